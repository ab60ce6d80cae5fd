"""The model of the demo here: it knows what each task of a flow wants, and says it in KVM lines."""

from __future__ import annotations

from typing import Any

from cua.agent.planning import PROMPT

NOTE = "write hello world in the notepad"
PRESS = 'press "F1"'
FOREVER = "watch the clock until it is eight"
RISKY_KEY, RISKY_WORDS = "close the window", "remove the build folder"
ASKING = "print it"
PLANNED = "put the meeting into the calendar"
REPORT, FAILING = "tell me what is on the disk", "open the file of last week"
LONG = "open the settings of the network and tell me which address it has, twice if it changes"
REPLIES = {
    NOTE: [
        "# I see the desktop; the notepad is on the left.\nkeyboard WIN",
        "# The menu is open. I look for the notepad.\ntypestr notepad",
        "# It is found.\nkeyboard ENTER",
        "# The notepad is there and empty.\ntypestr hello world, and a second line of it",
        "# The text is there, I put the pointer into it.\nmouse 0.4 0.5 1",
        "Done\n# The notepad shows hello world.",
    ],
    PRESS: ["# I press the key.\nkeyboard F1", "Done"],
    RISKY_KEY: ["# The window is to be closed.\nkeyboard ALT+F4", "Done"],
    RISKY_WORDS: ["# A terminal is open.\ntypestr rm -rf  build", "Done"],
    ASKING: ["$ Which printer shall I use, the left one or the one beside the window?", "Done"],
    LONG: ["Done"],
    PLANNED: [
        "Plan: 1\n# I open the calendar.\nkeyboard WIN",
        "Plan: 2\n# The month is there.\nmouse 0.4 0.5 1",
        "Done\n# The meeting is in the calendar.",
    ],
    REPORT: [
        "# I open the file manager.\nkeyboard WIN",
        "Done\n# The disk has **three** folders:\n\n"
        + "\n".join(f"- `folder {n}`, {n * 7} files of {n * 31} MB" for n in (1, 2, 3))
        + "\n\nThe largest file is `holiday.mp4`. "
        + "It was changed last on Monday, and nothing else is as large. " * 3,
    ],
    FAILING: [
        "# I look for it.\nkeyboard WIN",
        "Fail There is no file of last week on the desktop, nor in Documents.",
    ],
    FOREVER: [f"# It is not eight yet, look {n}.\nmouse 0.5 0.{n + 10} 0" for n in range(1, 50)],
}
PLAN = "1. Open the calendar\n2. Add the meeting on Tuesday at ten\n3. Save it"
PATIENT = {FOREVER: 2.0}
"""Seconds for which it thinks; elsewhere as long as its words can be seen to stream in."""


def replies(body: dict[str, Any]) -> dict[str, Any]:
    """A script for `OpenAIServer`: the next line of the task that is asked for."""
    said = [_text(message) for message in body["messages"]]
    if said[0].startswith(PROMPT):
        return {"text": PLAN, "delay": 0.3}
    begun, task = next(
        (number, task)
        for number in reversed(range(1, len(said)))
        for task in REPLIES
        if task in said[number]
    )
    answered = [message["role"] for message in body["messages"][begun:]].count("assistant")
    text = REPLIES[task][min(answered, len(REPLIES[task]) - 1)]
    return {"text": text, "pieces": 6, "pace": 0.08, "delay": PATIENT.get(task, 0.3)}


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")
