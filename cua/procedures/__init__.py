"""Procedures: tasks that are repeated without a model.

procedure.py   a procedure as a file
signs.py       find the sign that a step waits for, and move its actions with it
replay.py      execute a procedure: a `types.Model`
recorded_steps.py the steps of a recorded task
from_record.py make a procedure from them
by_hand.py     make a procedure from a person's actions
choose_sign.py choose the signs of a step
folder.py      the files
"""
