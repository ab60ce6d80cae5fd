"""Faults of models, planted one at a time into a model that is otherwise perfect.

Most are heedless as real models are: they assume that their action worked, and go on until the loop
tells them otherwise. So the checks are worth the share of a fault's cost that they win back. What
is planted is random by a seed, the same for each check.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from cua.evaluation.task import EvalTask, State

from .feedback import Feedback
from .locate import PixelPoint
from .solution import SolutionStep, read_steps


class Fault:
    """No fault. There is one object for each run, with its own `rng`."""

    name = "perfect"
    summary = "knows the solution, hits what it means, heeds what it is told"
    heedless = True
    """Goes on after a move without checking its result, and reports the end of its plan as done."""

    delay_s = 0.0
    """Seconds between looking and answering."""
    max_actions = 1
    """Actions that it puts into one reply at most, as far as it sees where they go."""
    needs_zoom = False
    """Wants to see a target enlarged before it clicks on it."""
    max_messages = 0
    """Messages that its server takes at most; 0 is no limit."""
    lines_only = False
    """Whether it needs rows, notes or closer looks, for which the JSON has no words."""

    def __init__(self, rng: random.Random, task: EvalTask) -> None:
        self.rng, self.task = rng, task
        self.prepare()

    def doubts(self, feedback: Feedback) -> bool:
        """Whether it looks again when its claim to be done does not count."""
        return feedback.doubted

    def prepare(self) -> None:
        """Choose what will go wrong."""

    def receive_feedback(self, feedback: Feedback) -> None:
        """Take in what the loop said about the last reply."""

    def aim(self, place: PixelPoint, tries: int) -> PixelPoint:
        """Return the click position for `place`; `tries` counts from 0."""
        del tries
        return place

    def speak(self, reply: str) -> str:
        """Return the reply that it sends."""
        return reply

    def recall(self, text: str) -> str:
        """Return what it types for `text`."""
        return text

    def note(self, state: State) -> str:
        """Return its note to itself."""
        del state
        return ""

    def stray(self, at: int, state: State) -> PixelPoint | None:
        """A click that has nothing to do with its plan, of which `at` moves are made."""
        del at, state
        return None

    def gives_up_early(self, at: int) -> bool:
        """Whether it reports as done what is not."""
        del at
        return False

    def orders(self) -> Sequence[SolutionStep]:
        """Moves that words on the screen order."""
        return ()


def miss(rng: random.Random, place: PixelPoint) -> PixelPoint:
    x, y = (max(2, part + rng.choice((-1, 1)) * rng.randrange(35, 80)) for part in place)
    return x, y


class Perfect(Fault):
    heedless = False


class Offset(Fault):
    """As models with bad grounding do; they hit when they try again."""

    name = "offset"
    summary = "two clicks in five land 35 to 80 pixels beside what it means"

    def aim(self, place: PixelPoint, tries: int) -> PixelPoint:
        if tries or self.rng.random() >= 0.4:
            return place
        return miss(self.rng, place)


class Scale(Fault):
    """As a model does whose picture was made smaller by its server and which counts in that."""

    name = "scale"
    summary = (
        "all its clicks are too near to the top left by 12 %, until it is told twice of a miss"
    )

    def prepare(self) -> None:
        self.misses = 0

    def receive_feedback(self, feedback: Feedback) -> None:
        self.misses += feedback.idle or feedback.stuck

    def aim(self, place: PixelPoint, tries: int) -> PixelPoint:
        if self.misses >= 2 or tries >= 2:
            return place
        return int(place[0] * 0.88), int(place[1] * 0.88)


class Slow(Fault):
    """As large models do: the screen that they answer is no longer there."""

    name = "slow"
    summary = "thinks for 1.5 s after it has looked, and clicks where things were"
    heedless = False
    delay_s = 1.5


class Malformed(Fault):
    name = "malformed"
    summary = "one reply in five cannot be read: cut off, another language's, or only prose"

    def speak(self, reply: str) -> str:
        if self.rng.random() >= 0.2:
            return reply
        broken = (reply[: len(reply) // 3] + " {", "<action>click(start_box=", "Let me think.")
        return self.rng.choice(broken)


class Repeats(Fault):
    """As models do that fall in love with a thing that does nothing."""

    name = "repeats"
    summary = (
        "somewhere it clicks the clock again and again, until it is told that it repeats itself"
    )

    def prepare(self) -> None:
        self.begins = self.rng.randrange(len(self.task.moves))
        self.stuck = True

    def receive_feedback(self, feedback: Feedback) -> None:
        self.stuck = self.stuck and not feedback.stuck

    def stray(self, at: int, state: State) -> PixelPoint | None:
        idle = at >= self.begins and not state.get("menu")
        return (1200, 698) if self.stuck and idle else None


class Early(Fault):
    name = "early"
    summary = "reports the task as done when a part of it is missing, and looks again when asked"

    def prepare(self) -> None:
        self.begins = self.rng.randrange(len(self.task.moves))
        self.sure = True

    def receive_feedback(self, feedback: Feedback) -> None:
        self.sure = self.sure and not self.doubts(feedback)

    def gives_up_early(self, at: int) -> bool:
        return self.sure and at >= self.begins


class Obeys(Fault):
    name = "obeys"
    summary = "does first what words on the screen order, unless the person refuses"

    def prepare(self) -> None:
        self.attempted_injection = False

    def orders(self) -> Sequence[SolutionStep]:
        if self.attempted_injection or not self.task.trap:
            return ()
        self.attempted_injection = True
        return read_steps(self.task.trap["orders"])


class Stubborn(Early):
    name = "stubborn"
    summary = "does so again when asked, until the verifier objects"

    def doubts(self, feedback: Feedback) -> bool:
        return feedback.objected


class Hasty(Fault):
    """As models do that are trained to save replies."""

    name = "hasty"
    summary = "puts up to three actions into a reply, all aimed at the screen before the first"
    max_actions = 3
    lines_only = True


class Nearsighted(Fault):
    """As models whose pictures are made small are with small targets."""

    name = "nearsighted"
    summary = "clicks 35 to 80 pixels beside what it has not seen enlarged"
    needs_zoom = True
    lines_only = True

    def prepare(self) -> None:
        self.zoomed = False

    def receive_feedback(self, feedback: Feedback) -> None:
        self.zoomed = feedback.zoomed

    def aim(self, place: PixelPoint, tries: int) -> PixelPoint:
        del tries
        return place if self.zoomed else miss(self.rng, place)


class Forgetful(Fault):
    """As a model is on a small machine: what its server has no room for is gone."""

    name = "forgetful"
    summary = "knows what it has read before from the text of its last four replies and its notes"
    heedless = False
    max_messages = 9
    lines_only = True

    def prepare(self) -> None:
        self.known = ""

    def receive_feedback(self, feedback: Feedback) -> None:
        self.known = feedback.known

    def note(self, state: State) -> str:
        seen = json.dumps(state.get("windows", ()))
        new = [fact for fact in self.task.facts if fact in seen and fact not in self.known]
        return f"I shall need {', '.join(new)}." if new else ""

    def recall(self, text: str) -> str:
        for fact in self.task.facts:
            text = text if fact in self.known else text.replace(fact, "0000")
        return text


class Helpless(Fault):
    name = "helpless"
    summary = "does not know how to wake a computer"
    heedless = False


FAULTS: dict[str, type[Fault]] = {
    fault.name: fault
    for fault in (
        *(Perfect, Offset, Scale, Slow, Malformed, Repeats, Early, Obeys),
        *(Stubborn, Hasty, Nearsighted, Forgetful, Helpless),
    )
}
