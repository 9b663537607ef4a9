"""The dispatch console as the screens show it (screen 8)."""
