"""One task on many computers, each behind a KVM of its own.

inventory.py      the YAML file: computers, their settings, references to their secrets
yaml_lines.py     YAML with the line of each value, for errors
patterns.py       `--limit`: selects computers of the inventory
settings.py       the settings file and an inventory entry -> the settings of one computer
run.py            an agent for each computer, some at a time, in one event loop
on_cluster.py     the same on a Ray cluster;  worker.py: its workers
earlier_attempt.py  text for the model about an earlier attempt
row.py            the state of each computer
folders.py        the files of fleets and of their runs;  summary.py: the page of a run
kvm_state.py      the state of a KVM, without input
"""
