"""The programs of the simulated computer, one file each; `/state` lists their widgets."""
