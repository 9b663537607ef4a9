"""Every op run that was made on this machine, with its inputs and outputs, for looking back and running again."""
