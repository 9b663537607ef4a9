"""One file a screen or dialog: what it shows of the Session, and which actions it carries out."""
