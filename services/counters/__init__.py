"""Wait counters of the ranks: in what each waits now, and how long it has waited (handler `wait_counter_values`)."""
