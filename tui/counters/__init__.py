"""Wait counters as the screens show them (screen 5)."""
