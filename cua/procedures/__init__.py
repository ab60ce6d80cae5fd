"""Procedures: chores that are done again without a model.

procedure.py   a procedure as a file
signs.py       find what a step waits for
replay.py      do it: a `types.Model`
recorded_steps.py the steps of a recorded task
from_record.py make one from them
by_hand.py     make one from what a person does
choose_sign.py the signs of such a step
folder.py      the files
"""
