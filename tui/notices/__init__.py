"""What is told without being asked for: notifications and hints."""
