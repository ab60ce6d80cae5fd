"""The commands of `cua_webapp.py`: `options` parses them, `commands` has a function for each."""
