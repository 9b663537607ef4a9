"""The incident bundle: the looks at a job in one zip file, to be kept, sent and opened again (docs/bundle.md)."""
