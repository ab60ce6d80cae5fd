from __future__ import annotations

import pytest

from cua.dialects.prose import find_sentences

SEEN = "I see the menu."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# I press", ""),
        (f"# {SEEN} I press", SEEN),
        (f"# {SEEN}\nkeyboard ENT", SEEN),
        ("# I open the calendar now\nkey", "I open the calendar now"),
        ("我看到菜单。然后", "我看到菜单。"),
        ('I click "Save" of v1.5.', 'I click "Save" of v1.5.'),
        (f"Thought: {SEEN}\nAction: click(start_box='(1,2)')", SEEN),
        (f'{{"thought": "{SEEN}", "x": 1}}', ""),
        (f'{{\n  "thought": "{SEEN}",\n', ""),
        (f"```python\npyautogui.click(1, 2)\n# {SEEN}", SEEN),
        ("typestr Hello world.", ""),
        ("---\nDone", ""),
    ],
)
def test_of_an_unfinished_reply_only_sentences_are_shown(text: str, found: str) -> None:
    assert find_sentences(text) == found
