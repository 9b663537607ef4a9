"""Whether a job can be debugged when it hangs: checked before it does, from what its store and ranks answer."""
