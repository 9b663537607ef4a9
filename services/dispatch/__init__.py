"""Running one operator on a remote op server: the case, the wire, the client."""
