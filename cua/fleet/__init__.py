"""One task on many computers, each behind a KVM of its own.

inventory.py      the YAML file: computers, their settings, references to their secrets
yaml_lines.py     YAML with the line of each value, for errors
patterns.py       `--limit`: which computers of the inventory
settings.py       the settings file and an inventory entry -> the settings of one computer
run.py            an agent for each computer, some at a time, in one event loop
on_cluster.py     the same on a Ray cluster;  node.py: what runs on its nodes
earlier_attempt.py  what a model is told of an earlier attempt
row.py            what is known of each computer
run_folder.py     what is on disk, for `resume` and `@failed`;  summary.py: the page of a run
look.py           look at a KVM
"""
