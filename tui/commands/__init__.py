"""The commands: what each asks of services, and how it says what came. One to a file."""
