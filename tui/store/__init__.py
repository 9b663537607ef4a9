"""The job's store as the screens show it (screen 7)."""
