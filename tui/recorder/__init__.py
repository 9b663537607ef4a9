"""Flight recorders as the screens show them: tables, timeline and progress (screens 1 and 4)."""
