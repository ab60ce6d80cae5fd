"""One person's session with the agent: what they asked for, how it stands, and who may act.

The only place with state, and the only one that cancels: at most one task runs, it is disposable,
and what it knows stays here. Commands take one lock and return when their effect is complete; a
pause returns when the task is dead and every key is up. Only a stop waits for nobody: it cancels
first and asks for the lock afterwards, and what it latched, a person's resume alone opens. Their
own hands may pass it, in a turn taken after that stop: nothing that was asked for before does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Literal

from .agent import Agent
from .events import EventLog
from .types import Ask, Busy, CuaError, Done, Ending, Fail, Lapsed, OutOfBudget, Task
from .within import cancelled

Status = Literal["idle", "running", "paused", "stopped", "asking", "done", "failed"]

LATCHED = "It was stopped. Press Resume when it may work again."
HANDS_OFF = "It was stopped. Press Take over again if you want to go on by hand."
STOPPING = "It is still stopping."
AT_CONTROLS = "What you did by hand is still under way. Send again when it is done."
CUT_OFF = "What you did by hand was cut off. Look at the screen before you go on."

logger = logging.getLogger(__name__)


class Session:
    """`make_agent` puts an agent together from the settings as they are when a run starts."""

    def __init__(self, log: EventLog, make_agent: Callable[[], Agent]) -> None:
        self.log = log
        self.status: Status = "idle"
        self.ending: Ending | None = None
        """How the last run ended by itself."""
        self._make_agent = make_agent
        self._task: Task | None = None
        self._run: asyncio.Task[None] | None = None
        self._latched = False
        self._stops = 0
        self._in_hand = False
        """Whether a person took the controls since the last stop."""
        self._stopping: asyncio.Task[None] | None = None
        self._before: Status = "idle"
        """How it stood when it was stopped."""
        self._lock = asyncio.Lock()

    @property
    def working(self) -> bool:
        """Whether anything is under way at the keyboard: a run, or what the person does."""
        return self._run is not None and not self._run.done()

    @property
    def turn(self) -> int:
        """Of the person at the controls; every stop ends it."""
        return self._stops

    @property
    def by_hand(self) -> str:
        """What the person did at the controls since the model was told last."""
        return self._task.by_hand if self._task else ""

    @by_hand.setter
    def by_hand(self, words: str) -> None:
        if self._task:
            self._task.by_hand = words

    async def send(self, text: str, check: Callable[[], None] = lambda: None) -> None:
        """The person's words: a new task, a correction that resumes, or words for the next step.
        Raises `Busy`, and what `check` does just before anything begins.
        """
        async with self._lock:
            self._check_open()
            check()
            self._take(text)

    async def give_way(
        self, reason: str, turn: int, deed: Callable[[], Coroutine[Any, Any, None]] | None = None
    ) -> None:
        """The person is at the controls, since `turn`. What they do there is what runs, and is cut
        off as a run is: by a stop, a pause, another computer. Raises `Busy` for that, else what it
        raises.
        """
        async with self._lock:
            self._check_turn(turn)
            await self._paused(reason)
            self._check_turn(turn)  # a stop waits for nobody
            self._in_hand = True
            if deed is None:
                return
            run = self._run = asyncio.create_task(deed())
        try:
            await asyncio.wait([run])
        finally:
            run.cancel()
        if run.cancelled():
            raise Busy(CUT_OFF)
        run.result()

    async def stop(self, reason: str = "", by: str = "") -> None:
        """Stop between two reports, and let nothing begin until a person resumes; `by`: the page
        that asked.
        """
        self._latched = True
        self._stops += 1
        if self._run is not None:
            self._run.cancel()
        self._stopping = asyncio.create_task(self._latch(reason, by))
        await asyncio.shield(self._stopping)  # whoever asked may leave meanwhile

    async def resume(self, text: str = "", check: Callable[[], None] = lambda: None) -> None:
        """A person opens the latch of a stop; what was under way goes on, with their words. Raises
        as `send`.
        """
        async with self._lock:
            self._check_stopped()
            if self.status != "stopped":
                raise Busy("It is not stopped.")
            if self.working:
                raise Busy(AT_CONTROLS)
            check()
            self._latched = False
            goes_on = text or self._before in ("running", "paused")
            self.status = "paused" if self._before == "running" else self._before
            try:
                if goes_on:
                    self._take(text)
            finally:
                if not self.working:
                    self._set(self.status)

    async def pause(self, reason: str = "", by: str = "") -> None:
        """Stop between two reports. Does nothing unless a task runs."""
        async with self._lock:
            await self._paused(reason, by)

    async def reset(self) -> None:
        """End the task, forget the chat, be ready for the next."""
        async with self._lock:
            await self._stop()
            self._task = None
            self.log.clear()
            self.log.append("reset")
            self._before = "idle"
            self._set("stopped" if self._latched else "idle")

    async def ended(self) -> None:
        """Wait until the run that is under way has come to an end."""
        if self._run is not None:
            await asyncio.wait([self._run])

    def _check_open(self) -> None:
        if self._latched:
            raise Busy(LATCHED)

    def _check_turn(self, turn: int) -> None:
        if turn != self._stops:
            raise Busy(HANDS_OFF)
        self._check_stopped()

    def _check_stopped(self) -> None:
        """A stop that came later waits for the lock."""
        if self._stopping is not None and not self._stopping.done():
            raise Busy(STOPPING)

    async def _latch(self, reason: str, by: str) -> None:
        async with self._lock:
            await self._stop()
            if self.status != "stopped":
                self._before = self.status
            elif not self._in_hand:
                return
            self._in_hand = False
            self._set("stopped", reason, by)

    async def _paused(self, reason: str, by: str = "") -> None:
        await self._stop()
        if self.status == "running":
            self._set("paused", reason, by)

    def _take(self, text: str) -> None:
        if self.status == "running":
            self._hear(text, queued=True)
        elif self.working:
            raise Busy(AT_CONTROLS)
        elif self.status in ("idle", "done"):
            self._begin(text)
        else:
            agent = self._make_agent()
            self._hear(text, queued=False)
            self._start(agent)

    def _begin(self, text: str) -> None:
        if not text.strip():
            raise Busy("Write what is to be done first.")
        agent = self._make_agent()
        before = self._task or Task(goal="")
        self._task = Task(goal=text, most_images=before.most_images)
        self.log.append("task", text=text, max_rounds=agent.budget.rounds)
        self._start(agent)

    def _hear(self, text: str, *, queued: bool) -> None:
        assert self._task is not None
        if text.strip():
            self._task.inbox.append(text)
            self.log.append("said", text=text, queued=queued)

    def _start(self, agent: Agent) -> None:
        assert self._task is not None
        self.ending = None
        self._set("running")
        self._run = asyncio.create_task(self._drive(agent, self._task))

    async def _stop(self) -> None:
        if self._run is not None:
            await cancelled(self._run)
        self._run = None

    async def _drive(self, agent: Agent, task: Task) -> None:
        try:
            self._conclude(await agent.run(task))
        except CuaError as error:
            self._fail(str(error))
        except Exception as error:
            # A fault of ours must not look like a task that is still running.
            logger.exception("the run failed")
            self._fail(f"Internal error ({type(error).__name__}: {error}). Send to try again.")

    def _conclude(self, ending: Ending) -> None:
        self.ending = ending
        if isinstance(ending, Done):
            self.log.append("done", text=ending.answer)
            self._set("done")
        elif isinstance(ending, Ask):
            self.log.append("question", text=ending.question)
            self._set("asking")
        elif isinstance(ending, OutOfBudget):
            words = f"The task is not done after {ending.limit}."
            if ending.summary:
                self.log.append("log", level="info", text=f"{words} {ending.summary}")
            self._set("paused", f"{words} Send to give it as many more.")
        elif isinstance(ending, Lapsed):
            self._set("paused", f"{ending.told} Send goes on; it will look and ask again.")
        elif isinstance(ending, Fail):
            self._fail(ending.reason or "The model says that this cannot be done.")

    def _fail(self, words: str) -> None:
        self.log.append("failed", text=words)
        self._set("failed", words)

    def _set(self, status: Status, reason: str = "", by: str = "") -> None:
        self.status = status
        who: dict[str, Any] = {"by": by} if by else {}
        self.log.append("status", status=status, reason=reason, **who)
