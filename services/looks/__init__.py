"""One look after another: what is made of each, which are kept within bounds, and what changed between them."""
