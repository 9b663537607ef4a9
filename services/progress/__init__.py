"""How far each rank is in each process group: the progress matrix."""
