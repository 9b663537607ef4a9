"""What a job left behind, in whatever files: found, told apart by content, and read into evidence for one rank each."""
