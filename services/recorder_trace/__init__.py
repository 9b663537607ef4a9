"""What flight recorders say as a trace for viewers of Chrome's trace event format (Perfetto, chrome://tracing)."""
