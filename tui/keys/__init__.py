"""Keys: their names, and which of them do what by the settings."""
