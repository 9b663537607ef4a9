"""The dispatch console: cases opened and edited, their runs, and how these compare."""
