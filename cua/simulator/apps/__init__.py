"""The programs of the virtual computer, one file each; `/state` has what they show, and where."""
