"""The difference of two looks: what came, went, moved and stood still between them."""
