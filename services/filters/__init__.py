"""What a person types to find something: the one grammar of filter lines, and expressions that can't take for ever."""
