"""Looking at a job's store: its keys as a tree, the values of those that are looked at, a search over both."""
