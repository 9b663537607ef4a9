"""Tables of the flight recorder to browse: filter, sort, jump, over numpy columns and never over rows."""
