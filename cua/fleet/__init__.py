"""One task on many computers, each behind a KVM of its own.

inventory.py   the YAML file: computers, their settings, references to their secrets
yaml_lines.py  YAML with the line of each value, for errors
patterns.py    `--limit`: which computers of the inventory
"""
