"""The rank table as the screens show it (screens 1 and 2)."""
