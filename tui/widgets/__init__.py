"""What screens are made of: tables, grids, trees, cards; none holds more than what is painted."""
