"""One run of an operator as people see it: what it should have given, by which measure, and what came."""
