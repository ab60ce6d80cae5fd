"""A person's own keyboard and mouse input, through the same `Inputs` as the agent, which pauses.

The next request tells the model which actions the person did, but not which characters they typed,
which may be a password and are not recorded either. Only the approval rules follow them, so that a
line that the person begins and the agent finishes is examined as a whole. Before a text is pasted,
the person decides about characters that the keyboard layout lacks and about what a rule asks.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from ..hid import keymap
from ..messages import Message
from ..types import (
    ActionError,
    Busy,
    Button,
    Click,
    CuaError,
    DeviceError,
    Drag,
    InputAction,
    Inputs,
    Keypress,
    Move,
    Point,
    Type,
    UntypableText,
)
from ..types.describe import describe
from .pointer_hold import PointerHold
from .session import Session, Work, get_result

MAX_TOLD_STEPS = 20
"""Newest manual actions that a request lists."""
CTRL, ALT, WIN = (
    keymap.MODIFIERS[name] | keymap.MODIFIERS[f"R{name}"] for name in ("CTRL", "ALT", "WIN")
)
TAKEOVER_OFF = Message("session.takeover_off")
BUTTON_HELD = Message("session.button_held")
BUTTON_RELEASED = Message("session.button_released")


@dataclass(eq=False)
class PressedButton:
    """A mouse button that a person presses, from the request until it is released."""

    number: int
    position: PointerHold
    task: asyncio.Task[None]


@dataclass(frozen=True)
class Pasted:
    """`characters`: number of typed ones; 0: the person has to decide about `missing` or `risk`.

    `missing`: the characters that the keyboard layout lacks. `risk`: why a rule asks; `digest`
    identifies this text and reason.
    """

    characters: int = 0
    missing: str = ""
    risk: str = ""
    digest: str = ""


@dataclass
class RunningPaste:
    cut_off: str = ""
    """How much of the text was typed when it was interrupted; "": it was not."""


class ActionRecording(Protocol):
    """Makes a procedure of the person's actions."""

    async def record_action(self, action: InputAction) -> None:
        """Record an action before it is executed. Raises `CuaError`."""

    def end_drag(self, drag: Drag) -> None:
        """Set the whole drag, in place of the one recorded when it began."""


class ManualControl:
    """`inputs` and `size` (of the screen, in pixels) return the current ones.

    `find_risk` returns why the rules ask about a text, or "".

    Each request names the `turn` that `take_over` returned (`Session.turn`). A stop ends the turn:
    requests from before it are rejected, and the person can take over again while the agent is
    stopped.
    """

    def __init__(
        self,
        session: Session,
        inputs: Callable[[], Inputs],
        size: Callable[[], tuple[int, int]],
        allowed: Callable[[], bool],
        find_risk: Callable[[Type], Awaitable[str]],
    ) -> None:
        self._session, self._inputs, self._size, self._allowed = session, inputs, size, allowed
        self._find_risk = find_risk
        self.recording: ActionRecording | None = None
        self._lock = asyncio.Lock()
        self._page = ""
        """The page in control, as the pages know it."""
        self._steps: list[str | int] = []
        """Manual actions for the model: each in words, or a number of typed characters."""
        self._done: Counter[str] = Counter()
        """Numbers of `characters`, `pasted`, `clicks` and `others` since the person took over."""
        self._numbers = itertools.count(1)
        self._pressed: PressedButton | None = None

    @property
    def is_holding(self) -> bool:
        """Whether a mouse button is pressed by hand, or about to be."""
        return self._pressed is not None and not self._pressed.task.done()

    async def take_over(self, page: str = "") -> int:
        """Pause the agent and release every key; return the turn. Raises `Busy`.

        `page`: the one that stays in control until it hands back.
        """
        self._check_free()
        self.recording, self._done = None, Counter()  # a paste before it does not count
        turn = await self._begin_turn()
        if page:
            self._log_control(page, Message("session.control_began"))
        return turn

    async def _begin_turn(self) -> int:
        turn = self._session.turn
        await self._run_manual(turn)
        return turn

    def _log_control(self, page: str, text: str) -> None:
        self._page = page
        self._session.log.append("control", page=page, text=text)

    def end_for(self, page: str) -> None:
        """End it if this page, which has gone, is in control."""
        if page and page == self._page:
            self.hand_back(page)

    def hand_back(self, page: str = "") -> int:
        """Log how much was done by hand; return the number of characters and actions."""
        if self._page and page in ("", self._page):  # no other page has taken over since
            self._log_control("", Message("session.control_ended"))
        done, self._done = self._done, Counter()
        if done and self._session.task:
            what = [Message(f"session.by_hand.{kind}", count=done[kind]) for kind in done]
            words = Message("session.by_hand", what=what)
            if list(done) == ["pasted"]:  # the person need not have taken over
                words = Message("session.only_pasted", count=done["pasted"])
            self._session.log.note("info", words, aloud=True)
        return done.total()

    async def perform(self, action: InputAction, turn: int = 0) -> None:
        """Raises `Busy`, `ActionError` and `DeviceError`."""
        self._check_free()
        await self._run_manual(turn, lambda: self._perform(action))

    async def begin_paste(self) -> int:
        """Return the turn for `paste`. Raises `Busy`."""
        self._check_not_running()
        self._check_free()
        return await self._begin_turn()

    async def paste(
        self, action: Type, turn: int, *, skip_missing: bool = False, confirmed: str = ""
    ) -> Pasted:
        """Type a text, unless the person has to decide first. Raises like `perform`.

        `confirmed` is the digest of the risk that the person accepts.
        """
        self._check_not_running()
        try:
            self._inputs().check(action)
        except UntypableText as error:
            if not skip_missing:
                return Pasted(missing=error.message)
            action = _leave_out(action, error.characters)
        finally:
            if not self._session.is_busy:
                self._session.notify_idle()
        risk = await self._find_risk(action)
        digest = hashlib.sha256(f"{turn}\0{risk}\0{action.text}".encode()).hexdigest()
        if risk and confirmed != digest:
            return Pasted(risk=risk, digest=digest)
        self._check_not_running()
        self._check_free()
        paste = RunningPaste()
        try:
            await self._run_manual(turn, lambda: self._perform(action, paste))
        except Busy:
            if paste.cut_off:
                raise Busy(paste.cut_off) from None
            raise
        return Pasted(len(action.text))

    def _check_not_running(self) -> None:
        if self._session.status == "running":
            raise Busy(Message("session.pause_to_paste"))

    async def press_button(self, at: Point, button: Button, turn: int = 0) -> int:
        """Press a button until `move_held` releases it; return the number of the hold.

        A stop, a pause, a task, another computer and a second without `move_held` release it too.
        Raises like `perform`.
        """
        self._check_free()
        position = PointerHold(at)
        task = asyncio.create_task(
            self._run_manual(turn, lambda: self._hold_button(position, button), is_hold=True)
        )
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        held = self._pressed = PressedButton(next(self._numbers), position, task)
        try:
            await asyncio.wait([task, position.pressed], return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.done():
            get_result(task)
        return held.number

    async def move_held(self, number: int, at: Point, *, release: bool) -> None:
        """Move the pointer of a hold; with `release`, return when the button is up. Raises like
        `perform`, also an error that occurred since the last call.
        """
        held = self._pressed
        if held is None or held.number != number:
            raise Busy(BUTTON_RELEASED)
        try:
            self._check_allowed()
            self._session.check_attended()
        except CuaError:
            await self.release()
            raise
        held.position.move(at, release=release)
        if release:
            await asyncio.wait([held.task])
        if held.task.done():
            get_result(held.task)

    async def release(self) -> None:
        """Release a button that is pressed by hand; it is up when this returns."""
        if self.is_holding:
            await self._session.pause()

    def _check_free(self) -> None:
        self._check_allowed()
        if self.is_holding:
            raise Busy(BUTTON_HELD)

    def _check_allowed(self) -> None:
        if not self._allowed():
            raise Busy(TAKEOVER_OFF)

    async def _run_manual(
        self, turn: int, action: Work | None = None, *, is_hold: bool = False
    ) -> None:
        async with self._lock:
            self._check_allowed()
            await self._session.run_manual(turn, action, is_hold=is_hold)

    async def _hold_button(self, position: PointerHold, button: Button) -> None:
        drag, recording = Drag(path=(position.start,), button=button), self.recording
        if recording:
            await recording.record_action(drag)
        try:
            await self._inputs().hold_button(button, position.follow())
        finally:  # a cancelled drag has moved something too
            drag = Drag(path=(position.start, position.current), button=button)
            if position.pressed.done():
                self._record(drag)
            if recording:
                recording.end_drag(drag)

    async def _perform(self, action: InputAction, paste: RunningPaste | None = None) -> None:
        """A text that is pasted is logged before its first key."""
        inputs = self._inputs()
        inputs.check(action)
        if self.recording:
            await self.recording.record_action(action)
        if paste:
            words = Message("session.pasted", count=_count_characters(action))
            self._session.log.append("by_hand", words=words)
        try:
            await inputs.perform(action)
        except (asyncio.CancelledError, DeviceError):
            if paste:
                paste.cut_off = self._record_part(action, inputs.progress)
            raise
        self._record(action, is_pasted=bool(paste))

    def _record_part(self, action: InputAction, progress: str) -> str:
        """Log how much of a pasted text was typed, and return it; "": nothing was begun."""
        if not isinstance(progress, Message) or progress.key != "progress.typed":
            return ""
        assert isinstance(action, Type)
        if part := action.text[: int(str(progress.values["typed"]))]:
            self._record(Type(text=part), is_pasted=True)
        self._session.log.append("by_hand", words=Message("agent.typed", **progress.values))
        return Message("session.paste_cut_off", **progress.values)

    def _record(self, action: InputAction, *, is_pasted: bool = False) -> None:
        """Add an action to the list for the model: characters in a row as one, no moves."""
        if isinstance(action, Move):
            return
        task = self._session.task
        if not task or not task.by_hand:  # the model was told
            self._steps.clear()
        characters = _count_characters(action)
        kind = "pasted" if is_pasted else "characters" if characters else "others"
        self._done["clicks" if isinstance(action, Click) else kind] += characters or 1
        last = self._steps[-1] if self._steps else ""
        if characters and isinstance(last, int):
            self._steps[-1] = last + characters
        else:
            words = Message("session.typing") if characters else describe(action, *self._size())
            self._steps.append(characters or words)
            if not is_pasted:
                self._session.log.append("by_hand", words=words)
        del self._steps[:-MAX_TOLD_STEPS]
        if task:
            told = (f"typed {n} characters" if isinstance(n, int) else n for n in self._steps)
            task.by_hand = f"Meanwhile the person did this by hand: {'; '.join(told)}."


def _leave_out(action: Type, characters: frozenset[str]) -> Type:
    text = "".join(char for char in action.text if char not in characters)
    if not text:
        raise ActionError(Message("session.nothing_to_paste"))
    return Type(text=text)


def _count_characters(action: InputAction) -> int:
    """Count keys without Ctrl, Alt and Win too: pressed one by one they may spell a password."""
    if isinstance(action, Type):
        return len(action.text)
    if not isinstance(action, Keypress):
        return 0
    signs = [name for name in action.keys if len(name) == 1 or keymap.key(name) == keymap.SPACE]
    held, _ = keymap.combine([keymap.key(name) for name in action.keys if len(name) > 1])
    # A browser reports AltGr, without which many keyboards have no @, as Ctrl and Alt.
    alt_gr = held & ALT and not all(sign.isascii() and sign.isalnum() for sign in signs)
    chord = held & WIN or (held & CTRL and not alt_gr)
    return 0 if chord else len(signs) * action.count
