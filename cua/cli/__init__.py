"""What `cua_webapp.py` offers in a terminal: its `options`, and a `commands` function for each."""
