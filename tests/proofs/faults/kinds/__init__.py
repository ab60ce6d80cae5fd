"""The faults: how each is caused, how long it lasts, and how it is ended. `table` has them all."""
