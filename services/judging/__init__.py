"""What each source says of the ranks, as findings in words, and how they are joined: the parts of `verdict.judge`."""
