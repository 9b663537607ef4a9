"""The demo cluster: a child process that serves ranks and a store on loopback, with faults that are known."""
