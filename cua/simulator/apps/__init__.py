"""The programs of the simulated computer, one file each; `/state` has what they show, and where."""
