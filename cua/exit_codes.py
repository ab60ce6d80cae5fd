"""Exit codes of the commands that do a task; the `--help` of the others names theirs."""

DONE = 0
FAILED = 1
CANNOT_START = 2
QUESTION = 3
"""The model asks something, or an action needs a person's yes."""
OUT_OF_BUDGET = 4
INTERRUPTED = 130
"""By Ctrl-C, as shells report SIGINT."""
