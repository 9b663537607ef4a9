"""What all tables have in common: their names, and columns and sorts as they are remembered."""
