"""Where things are: hosts and ports as people type them, what --map says of them, lists of workers."""
