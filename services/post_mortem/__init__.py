"""Files that a job left behind as a target: read here or where they lie, and judged as looks are."""
