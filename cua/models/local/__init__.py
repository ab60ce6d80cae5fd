"""The Local operator: OCR and rules instead of a model; it needs no server.

It reads the screenshot, follows plain instructions and answers in the KVM line dialect.

    local_operator.py  the model
    matching.py        find labels on a screen that ../../screen/ocr/ read;  locate.py: targets
    instructions.py    instructions as data
    language.py        parse the person's text, by phrases.py and goals.py
    progress.py        the chat -> the progress of the work;  context.py: the input of rules
    follow.py          the next move for an instruction: moves.py begins, outcomes.py checks
    recipes.py         the next move for a goal, by rules.py;  operator.py: the reply
"""

from .local_operator import LocalOperator

__all__ = ["LocalOperator"]
