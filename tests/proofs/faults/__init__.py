"""The fault matrix: each kind of fault in each phase of a step, against the service as a process.

testbed.py    one service (service.py) on stand-ins for hardware, model and network
stand_ins.py  the model and the computer
phases.py     a task for each phase, what it types and clicks, and how its moment is recognised
kinds/        the faults: how each is caused and ended
cell.py       one fault in one phase, and the task after it
rules.py      rules for the reports and for the messages to the user
matrix.py     all of them in parallel, one line per kind
"""
