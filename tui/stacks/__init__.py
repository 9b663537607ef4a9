"""Stacks as the screens show them (screen 3)."""
