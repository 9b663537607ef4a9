"""Profiles as the screens show them (screen 6)."""
