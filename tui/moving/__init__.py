"""Places, the way back, going to what is typed, and jump labels."""
