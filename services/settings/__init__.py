"""What a person has set, and where each value comes from; what the program remembers by itself."""
