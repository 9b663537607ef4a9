"""A server that runs single operators, compatible with TTK's xpu_server: NumPy always, PyTorch where it is installed.

The server process imports neither: each run is a child forked from a template process that has them loaded. Modules
of the child's side (`template`, `child`, `callables`, `op_names`, `binding`, `spec_class`, `tensors`, `frames`,
`run_request`, `run_error`) need the standard library and NumPy only, so that the child can be another interpreter.
"""
