"""Completion of what is typed into a field."""
