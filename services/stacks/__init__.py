"""Stacks of all ranks: reading dumps, merging them, following them over looks, finding who is somewhere else. Pure."""
