"""Two outputs of an operator compared by the standards of the operator test kit, and their values shown. Pure.

Everything works block by block: arrays of many GB, mapped from files, cost tens of MB beside themselves.
"""
