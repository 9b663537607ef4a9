"""Watching a job: standing still told from slow, when to ring, when to keep an incident file, which files to keep."""
