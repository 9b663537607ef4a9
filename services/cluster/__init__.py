"""A live job seen from outside: its store, the worker servers of its ranks, and who is alive."""
