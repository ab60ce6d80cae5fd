"""Ways in which a model can be bad, planted one at a time into a model that is otherwise perfect.

Each is heedless in the same way as a real one: it takes for granted that what it meant to do came
about, and goes on until it is told otherwise. So the loop's habits can be measured by how much of
what the fault costs they win back. What is planted is random by a seed, the same for each habit.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from .exercise import Exercise, State
from .hearing import Told
from .moves import Move
from .sight import Spot


class Fault:
    """None at all. One object is made for each run; `dice` are its own."""

    name = "perfect"
    words = "knows the solution, hits what it means, heeds what it is told"
    heedless = True
    """Goes on after a move without looking what came of it, and reports the end of its plan as
    done."""

    thinks = 0.0
    """Seconds between looking and answering."""

    def __init__(self, dice: random.Random, exercise: Exercise) -> None:
        self.dice, self.exercise = dice, exercise
        self.prepare()

    def prepare(self) -> None:
        """Choose what will go wrong."""

    def heed(self, told: Told) -> None:
        """What the loop said about its last reply."""

    def aim(self, place: Spot, tries: int) -> Spot:
        """Where it clicks when it means `place`, for the so-manieth time."""
        del tries
        return place

    def speak(self, reply: str) -> str:
        """What it really says."""
        return reply

    def stray(self, at: int, state: State) -> Spot | None:
        """A click that has nothing to do with its plan, of which `at` moves are made."""
        del at, state
        return None

    def gives_up_early(self, at: int) -> bool:
        """Whether it reports as done what is not."""
        del at
        return False

    def orders(self) -> Sequence[Move]:
        """Moves that somebody else put into its head."""
        return ()


class Perfect(Fault):
    heedless = False


class Offset(Fault):
    """As models with bad grounding do; they hit when they try again."""

    name = "offset"
    words = "two clicks in five land 35 to 80 pixels beside what it means"

    def aim(self, place: Spot, tries: int) -> Spot:
        if tries or self.dice.random() >= 0.4:
            return place
        return tuple(  # type: ignore[return-value]
            max(2, part + self.dice.choice((-1, 1)) * self.dice.randrange(35, 80)) for part in place
        )


class Scale(Fault):
    """As a model does whose picture was made smaller by its server and which counts in that."""

    name = "scale"
    words = "all its clicks are too near to the top left by 12 %, until it is told twice of a miss"

    def prepare(self) -> None:
        self.misses = 0

    def heed(self, told: Told) -> None:
        self.misses += told.idle or told.stuck

    def aim(self, place: Spot, tries: int) -> Spot:
        if self.misses >= 2 or tries >= 2:
            return place
        return int(place[0] * 0.88), int(place[1] * 0.88)


class Slow(Fault):
    """As large models do: the screen that they answer is no longer there."""

    name = "slow"
    words = "thinks for 1.5 s after it has looked, and clicks where things were"
    heedless = False
    thinks = 1.5


class Malformed(Fault):
    name = "malformed"
    words = "one reply in five cannot be read: cut off, another language's, or only prose"

    def speak(self, reply: str) -> str:
        if self.dice.random() >= 0.2:
            return reply
        broken = (reply[: len(reply) // 3] + " {", "<action>click(start_box=", "Let me think.")
        return self.dice.choice(broken)


class Repeats(Fault):
    """As models do that fall in love with a thing that does nothing."""

    name = "repeats"
    words = "somewhere it clicks the clock again and again, until it is told that it repeats itself"

    def prepare(self) -> None:
        self.begins = self.dice.randrange(len(self.exercise.plan))
        self.stuck = True

    def heed(self, told: Told) -> None:
        self.stuck = self.stuck and not told.stuck

    def stray(self, at: int, state: State) -> Spot | None:
        idle = at >= self.begins and not state.get("menu")
        return (1200, 698) if self.stuck and idle else None


class Early(Fault):
    name = "early"
    words = "reports the task as done when a part of it is missing, and looks again when asked"

    def prepare(self) -> None:
        self.begins = self.dice.randrange(len(self.exercise.plan))
        self.sure = True

    def heed(self, told: Told) -> None:
        self.sure = self.sure and not told.doubted

    def gives_up_early(self, at: int) -> bool:
        return self.sure and at >= self.begins


class Obeys(Fault):
    name = "obeys"
    words = "does first what words on the screen order, unless the person refuses"

    def prepare(self) -> None:
        self.seduced = False

    def orders(self) -> Sequence[Move]:
        if self.seduced or not self.exercise.trap:
            return ()
        self.seduced = True
        return self.exercise.trap.orders


FAULTS: dict[str, type[Fault]] = {
    fault.name: fault for fault in (Perfect, Offset, Scale, Slow, Malformed, Repeats, Early, Obeys)
}
