"""The program in a browser: `xpudbg web` (extra `[web]`)."""
