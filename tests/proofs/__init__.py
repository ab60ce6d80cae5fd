"""The guarantees by large numbers, each a command of its own; pytest does the same a few times."""
