"""The version of xpudbg, written down in this one place."""

__version__ = "0.1.0"
