"""What a scripted model reads of the loop's feedback."""

from __future__ import annotations

import pytest

from cua.messages import Message, sentences
from cua.types import ChatMessage
from tests.evaluation.feedback import Feedback

REFUSED = sentences(Message("agent.refused"), Message("approval.refused"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (Message("agent.held_back", action="Press ENTER"), {"undone"}),
        (Message("agent.target_changed", number=3, action="Press F10"), {"undone"}),
        (REFUSED, {"undone", "refused"}),
        (Message("agent.change.nothing"), {"idle"}),
        (Message("agent.objected", answer="NO"), {"doubted", "objected"}),
        (Message("agent.executed"), set()),
    ],
)
def test_it_knows_what_the_loop_says(text: str, found: set[str]) -> None:
    feedback = Feedback([ChatMessage("user", (f"{text}\nThe next screenshot.",))])
    names = ("undone", "refused", "idle", "stuck", "objected", "doubted")
    assert {name for name in names if getattr(feedback, name)} == found


def test_a_stopped_reply_tells_how_much_was_carried_out() -> None:
    text = Message("agent.target_changed", number=3, action="Press F10")
    assert Feedback([ChatMessage("user", (text,))]).carried_out == 2
