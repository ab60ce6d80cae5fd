"""What a model says when it says Done is looked at once more."""

from __future__ import annotations

import pytest

from cua.agent.checks import completion, verifier
from cua.agent.checks.options import CheckOptions
from cua.agent.step_results import USER_SPOKE
from cua.hid.inputs import HidInputs
from cua.types import Area, Ask, Done, Frame, InputAction
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import letter, program, screen, window
from tests.support.devices import Recorder

CHECK = CheckOptions(loop_detection=False, ask_again=True)
PLAIN = CheckOptions(loop_detection=False)
ASKED = CheckOptions(loop_detection=False, completion=False, verifier=True)
plain, other, full = screen(), screen(window), screen(program)
CLICK = "mouse 0.5 0.5 1"


async def test_the_first_claim_is_handed_back_with_the_final_screen() -> None:
    agent = AgentRun([plain, plain, other], CLICK, "Done", "Done", options=CHECK)
    assert isinstance(await agent.run(), Done)
    told = agent.model.request_text()
    assert told.startswith("Done report not accepted:")
    assert "Check every part of the task" in told
    assert len(agent.model.requests) == 3


async def test_a_claim_without_any_action_is_handed_back_once_too() -> None:
    agent = AgentRun([plain], "Done", "Done", options=CHECK)
    assert isinstance(await agent.run(), Done)
    assert agent.model.request_text().startswith("Done report not accepted")


@pytest.mark.parametrize("replies", [["Done"], [CLICK, "Done"]])
async def test_unless_it_is_to_be_asked_again_a_claim_counts_that_nothing_contradicts(
    replies: list[str],
) -> None:
    agent = AgentRun([plain], *replies, options=PLAIN)
    assert isinstance(await agent.run(), Done)
    assert len(agent.model.requests) == len(replies)


async def test_a_model_that_goes_on_then_is_believed() -> None:
    frames = [plain, plain, *[other] * 4, full]
    agent = AgentRun(frames, CLICK, "Done", "mouse 0.3 0.3 1", "Done", options=CHECK)
    assert isinstance(await agent.run(), Done)
    assert agent.clicks == 2


async def test_a_claim_beside_actions_that_changed_the_screen_is_handed_back() -> None:
    agent = AgentRun([plain, plain, full], f"{CLICK}\nDone", "Done", options=PLAIN)
    assert isinstance(await agent.run(), Done)
    assert "the screen has changed since you saw it" in agent.model.request_text()


async def test_only_a_claim_is_compared_with_the_screen() -> None:
    agent = AgentRun([plain, full], "$ Which one?", options=PLAIN)
    assert isinstance(await agent.run(), Ask)


async def test_a_reply_that_was_not_carried_out_speaks_against_it() -> None:
    agent = AgentRun([plain, plain, other], CLICK, "keyboard NO_KEY", "Done", "Done", options=PLAIN)
    assert isinstance(await agent.run(), Done)
    assert "not carried out as you meant it" in agent.model.request_text()


async def test_a_screen_that_never_rests_does_not_keep_it_from_ending() -> None:
    frames = [screen(window if n % 2 else letter) for n in range(60)]
    agent = AgentRun(
        frames,
        CLICK,
        *["Done"] * 10,
        options=CheckOptions(loop_detection=False, stale_screen=False),
    )
    assert isinstance(await agent.run(), Done)
    assert len(agent.model.requests) == 2 + completion.MAX_OBJECTIONS


async def test_a_video_is_nothing_against_it() -> None:
    whole = Area(left=0.0, top=0.0, right=0.3, bottom=0.3)

    frames = [
        Frame(f.jpeg, f.width, f.height, 1, 0.0, (whole,)) for f in (plain, plain, other, plain)
    ]
    agent = AgentRun(frames, CLICK, "Done", "Done", options=CHECK)
    assert isinstance(await agent.run(), Done)


async def test_a_second_opinion_can_object_and_says_why() -> None:
    replies = [CLICK, "Done", "NO. The file is still open.", "Done", "Yes, it is."]
    agent = AgentRun([plain, plain, other], *replies, options=ASKED)
    assert isinstance(await agent.run(), Done)
    assert "The file is still open." in agent.model.request_text(3)
    system, question = agent.model.requests[2]
    assert len(agent.model.requests[2]) == 2
    assert "YES or NO" in str(system.parts)
    assert "do it" in str(question.parts[0])
    assert isinstance(question.parts[-1], Frame)
    assert agent.task.used.tokens_in == 5 * 10


async def test_it_knows_all_that_the_person_asked_for_and_is_heard_twice_at_most() -> None:
    agent = AgentRun([plain], CLICK, "Done", "no", "Done", "**No**", "Done", options=ASKED)
    agent.task.inbox.append("and close the window")
    assert isinstance(await agent.run(), Done)
    task = "The task:\ndo it\nThe person says: and close the window"
    assert agent.model.requests[2][1].parts[0] == task
    assert len(agent.model.requests) == 4 + verifier.MAX_OBJECTIONS


async def test_nobody_else_is_asked_when_the_person_has_said_more() -> None:
    class Interrupted(HidInputs):
        """The person speaks while they click."""

        async def perform(self, action: InputAction) -> None:
            await super().perform(action)
            agent.task.inbox.append("and close the window")

    agent = AgentRun(
        [plain], f"{CLICK}\nDone", "Done", "YES", options=ASKED, inputs=Interrupted(Recorder())
    )
    assert isinstance(await agent.run(), Done)
    assert USER_SPOKE.message in agent.model.request_text(1)
    assert len(agent.model.requests) == 3


@pytest.mark.parametrize("answer", ["YES", "", "Nothing speaks against it.", "I am not sure."])
async def test_what_is_no_clear_no_is_none(answer: str) -> None:
    agent = AgentRun([plain], CLICK, "Done", answer, options=ASKED)
    assert isinstance(await agent.run(), Done)
    assert len(agent.model.requests) == 3
