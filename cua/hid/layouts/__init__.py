"""Keyboard layouts of the controlled computer: a file `<name>.txt` each, and their reader."""

from .reader import Key, Layout, Table, label, load_layout, names
