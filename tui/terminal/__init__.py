"""The terminal: what it can do, how it is drawn on, and what is done through it (clipboard, pager, editor)."""
