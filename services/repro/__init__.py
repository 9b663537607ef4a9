"""A case as a Python script that anybody can run."""
