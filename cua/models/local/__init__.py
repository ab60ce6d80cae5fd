"""The Local operator: OCR and rules instead of a model; it needs no server.

It reads the screenshot, follows plain instructions and answers in KVM lines.

    local_operator.py  the model
    instructions.py    instructions as data
    language.py        parse the person's texts;  phrases.py: single phrases
    grammar.py         what a language needs: english.yaml, chinese.yaml
    task_history.py    the steps of the task -> how far it is
    locate.py          find targets, with ../../screen/ocr/matching.py
    decide.py          the reply, with verbs.py;  context.py: its input
    as_step.py         an instruction as a step of a procedure
"""
