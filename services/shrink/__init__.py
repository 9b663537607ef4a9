"""A failing case made smaller until nothing can be taken from it without the failure going away."""
