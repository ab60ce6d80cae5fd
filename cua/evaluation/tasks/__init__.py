"""The tasks on the virtual computer, from one click to a dozen moves, one file per program."""
