"""When each rank made each call of a group: lanes over time or over sequence numbers, who is last, and by how much."""
