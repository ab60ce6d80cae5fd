"""A person's session with the agent: the task, its status, and who may act.

It holds all the state, and is the only place that cancels: at most one asyncio task runs. Commands
take one lock and return when their effect is complete: a pause when the task has ended and every
key is up. `stop()` cancels before it waits for the lock, and sets a latch that only `resume()`,
`reset()` and `send(anew=True)` clear. While stopped, manual input needs the `turn` that began with
that stop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from ..events.log import EventLog
from ..messages import Message, sentences
from ..timeouts import cancel_and_wait
from ..types import (
    ApprovalTimeout,
    Ask,
    Busy,
    CuaError,
    Done,
    Ending,
    Fail,
    Model,
    OutOfBudget,
    Plan,
    Task,
    Usage,
)
from . import attachments, planning
from .budget import count_unusable
from .checks.screen_changes import find_pointers
from .loop import Agent

Status = Literal["idle", "running", "paused", "stopped", "asking", "done", "failed"]

LATCHED = Message("session.stopped")
TURN_ENDED = Message("session.hands_off")
STOPPING = Message("session.stopping")
MANUAL_INPUT_RUNS = Message("session.at_controls")
RUNNING = Message("session.new_running")
CUT_OFF = Message("session.cut_off")
TOOK_OVER = Message("session.took_over")

Files = Sequence[attachments.Attachment]
Work = Callable[[], Coroutine[Any, Any, None]]
"""A person's manual action."""


class TaskReplay(Protocol):
    """A procedure that works on a task in place of the model, and may hand the rest over to it."""

    name: str
    handed_over_in: int
    """Number of the step in which it handed the rest over to the model; 0: it has not."""

    @property
    def values(self) -> Mapping[str, str]:
        """Those of its parameters."""

    @property
    def place(self) -> Mapping[str, int]:
        """`number` of its step that the next screenshot is for, and their `count`."""

    def stand_in_for(self, model: Model) -> Model:
        """Return the model that the loop uses in this run instead of `model`."""


@runtime_checkable
class FollowsWords(Protocol):
    """A model that follows rules, as the Local operator: it needs the whole task in one text."""

    def find_meaning(self, words: str, goal: str) -> dict[str, Any]:
        """Return the log data of a task that follows the finished task `goal`."""


class NewTask(NamedTuple):
    """`replay`: works on it in place of the model. `plan`: it begins with one to approve."""

    text: str
    files: Files = ()
    replay: TaskReplay | None = None
    plan: bool = False


logger = logging.getLogger(__name__)


class Session:
    """`make_agent` makes an agent of the settings at the start of a run."""

    def __init__(self, log: EventLog, make_agent: Callable[[], Agent]) -> None:
        self.log = log
        self.status: Status = "idle"
        self.ending: Ending | None = None
        """The ending of the last run; None: it was cancelled, raised or is under way."""
        self.on_done: Callable[[], None] = lambda: None
        """Called when a task has ended Done."""
        self.on_idle: Callable[[], None] = lambda: None
        """Called when no task is unfinished and manual input has ended."""
        self.on_begin: Callable[[], object] = lambda: None
        """Called before a message that begins a run is logged."""
        self.check_attended: Callable[[], None] = lambda: None
        """Raises `Busy` if neither a run nor manual input may begin, as when no page is visible."""
        self._make_agent = make_agent
        self.task: Task | None = None
        self.replay: TaskReplay | None = None
        """The procedure that works on the task; None: the model does."""
        self._active: asyncio.Task[None] | None = None
        """The current or last run or manual action."""
        self._button_hold: asyncio.Task[None] | None = None
        """The last hold of a mouse button by a person."""
        self.turn = 0
        """Number of stops so far. Manual input from an earlier turn is rejected."""
        self._had_manual = False
        """Whether there was manual input since the last stop."""
        self._stopping: asyncio.Task[None] | None = None
        self._stopped_status: Status = "idle"
        """The status at the last stop."""
        self._lock = asyncio.Lock()

    @property
    def is_busy(self) -> bool:
        """Whether a run or manual input is under way."""
        return self._active is not None and not self._active.done()

    @property
    def task_status(self) -> Status | Literal["partly"]:
        """The status of the task, which a stop after its end does not change; "partly": it is done,
        except what the person declined.
        """
        has_ended = self.status == "stopped" and self._stopped_status in ("done", "failed")
        status = self._stopped_status if has_ended else self.status
        return "partly" if status == "done" and self._is_partly else status

    @property
    def _is_partly(self) -> bool:
        if not isinstance(self.ending, Done):
            return False
        left_out = self.task is not None and self.task.leaves_out
        return left_out if self.ending.refused is None else self.ending.refused

    async def send(
        self,
        text: str,
        files: Files = (),
        replay: TaskReplay | None = None,
        plan: bool = False,
        *,
        anew: bool = False,
    ) -> None:
        """Take a new task, a correction that resumes, or words for the next step.

        `plan`: a new task begins with a plan that the person approves. `anew`: it is a new task,
        replaces an unfinished one, and clears the latch; `replay` works on it. Raises `Busy`.
        """
        async with self._lock_to_begin(when_stopped=anew):
            self._check_stopped()
            self.check_attended()
            self._accept(NewTask(text, files, replay, plan), anew=anew)

    async def edit_plan(self, items: Sequence[str], proposal: int) -> int:
        """Set the items of the plan that event `proposal` proposed; return the number of the event
        that tells them to every page.
        """
        async with self._lock:
            self._find_plan(proposal).items = tuple(items)
            return self.log.append("plan_edited", items=items, proposal=proposal).seq

    async def approve_plan(self, items: Sequence[str], proposal: int) -> None:
        """Begin work with these items of the plan that event `proposal` proposed; none: without a
        plan. Raises like `send`.
        """
        async with self._lock_to_begin():
            self._find_plan(proposal)
            if self.status != "asking" or not self.task:
                raise Busy(Message("plan.missing"))
            self.check_attended()
            agent = self._make_agent()
            planning.approve(agent, self.task, items)
            self._start_run(agent)

    def _find_plan(self, proposal: int) -> Plan:
        plan = self.task and self.task.plan
        if not plan or plan.approved or plan.proposal != proposal:
            raise Busy(Message("plan.missing"))
        return plan

    async def begin_next(self, find_next: Callable[[], NewTask | None]) -> bool:
        """Begin the task that `find_next` returns, if any, unless one runs; return whether it did.

        Raises like `send` and `find_next`.
        """
        async with self._lock_to_begin():
            if self.status == "running":
                return False
            if self.is_busy:
                raise Busy(MANUAL_INPUT_RUNS)
            if task := find_next():
                self.check_attended()
                self._start_task(task)
            return bool(task)

    async def run_manual(self, turn: int, action: Work | None, *, is_hold: bool = False) -> None:
        """Pause the run, then run the person's own `action`, if any.

        A stop, a pause or another computer cancels it like a run; whatever begins next also ends a
        hold (`is_hold`). Raises `Busy` then, or if `turn` is not the current one; otherwise what
        `action` raises.
        """
        async with self._lock:
            self._check_manual(turn)
            await self._pause(TOOK_OVER)
            self._check_manual(turn)  # a stop does not wait for the lock
            self._had_manual = True
            if action is None:
                return
            run = self._active = asyncio.create_task(action())
            self._button_hold = run if is_hold else None
        try:
            await asyncio.wait([run])
        finally:
            run.cancel()
            self.notify_idle()
        get_result(run)

    async def stop(self, reason: str = "", by: str = "") -> None:
        """Cancel between two reports and set the latch; `by`: the page that asked."""
        self.turn += 1
        if self._active is not None:
            self._active.cancel()
        self._stopping = asyncio.create_task(self._set_latch(reason, by))
        await asyncio.shield(self._stopping)  # closing the page must not cancel it

    async def resume(self, text: str = "", files: Files = (), *, plan: bool = False) -> None:
        """Clear the latch and continue the stopped run, with a message. Raises like `send`."""
        async with self._lock_to_begin(when_stopped=True):
            self._check_stopped()
            if self.status != "stopped":
                raise Busy(Message("session.not_stopped"))
            if self.is_busy:
                raise Busy(MANUAL_INPUT_RUNS)
            self.check_attended()
            before = self._stopped_status
            self.status = "paused" if before == "running" else before
            try:
                if text or files or before in ("running", "paused"):
                    self._accept(NewTask(text, files, plan=plan))
            except BaseException:
                self.status = "stopped"
                raise
            if not self.is_busy:
                self._set_status(self.status)

    async def lift_idle_stop(self) -> None:
        """Clear the latch if no task was unfinished when it was set. Raises like `send`."""
        if self.status == "stopped" and self._stopped_status in ("idle", "done", "failed"):
            await self.resume()

    async def pause(self, reason: str = "", by: str = "") -> None:
        """Cancel between two reports. Does nothing unless something runs."""
        async with self._lock:
            await self._pause(reason, by)

    async def reset(self) -> None:
        """End the task, clear the log and the latch of an earlier stop."""
        async with self._lock:
            await self._cancel()
            self.task = None
            self.log.clear()
            self.log.append("reset")
            self._stopped_status = "idle"
            self._set_status("stopped" if self._is_stop_pending() else "idle")

    async def wait_ended(self) -> None:
        if self._active is not None:
            await asyncio.wait([self._active])

    @asynccontextmanager
    async def _lock_to_begin(self, *, when_stopped: bool = False) -> AsyncIterator[None]:
        """Release a button that is pressed by hand, and take the lock to begin something.

        Raises `Busy` after a stop, unless `when_stopped`.
        """
        async with self._lock:
            if self._button_hold:
                await cancel_and_wait(self._button_hold)
            is_stopped = self.status == "stopped" or self._is_stop_pending()
            if is_stopped and not when_stopped:
                raise Busy(LATCHED)
            yield

    def _check_manual(self, turn: int) -> None:
        self.check_attended()
        if turn != self.turn:
            raise Busy(TURN_ENDED)
        self._check_stopped()

    def _check_stopped(self) -> None:
        if self._is_stop_pending():
            raise Busy(STOPPING)

    def _is_stop_pending(self) -> bool:
        """Whether a stop waits for the lock."""
        return self._stopping is not None and not self._stopping.done()

    async def _set_latch(self, reason: str, by: str) -> None:
        async with self._lock:
            await self._cancel()
            if self.status != "stopped":
                self._stopped_status = self.status
            elif not self._had_manual:
                return
            self._had_manual = False
            self._set_status("stopped", reason, by)

    async def _pause(self, reason: str, by: str = "") -> None:
        await self._cancel()
        if self.status == "running":
            self._set_status("paused", reason, by)

    def _accept(self, task: NewTask, *, anew: bool = False) -> None:
        if self.status == "running" and not anew:
            self._add_to_inbox(task.text, task.files)
        elif self.is_busy:
            raise Busy(RUNNING if self.status == "running" else MANUAL_INPUT_RUNS)
        elif anew or self.status in ("idle", "done") or self._wants_new_task():
            self._start_task(task)
        else:
            agent = self._make_agent()
            self.on_begin()
            self._add_to_inbox(task.text, task.files)
            self._start_run(agent)

    def _wants_new_task(self) -> bool:
        """Whether the last task was not understood, so that the next message replaces it."""
        return isinstance(self.ending, Ask) and self.ending.anew

    def _start_task(self, new: NewTask) -> None:
        if not new.text.strip():
            raise Busy(Message("session.write_task"))
        agent, last = self._make_agent(), self.task
        self.on_begin()
        about: dict[str, Any] = {"text": new.text}
        follows = self.status == "done" and not new.replay
        if last and follows and isinstance(agent.model, FollowsWords):
            about = agent.model.find_meaning(new.text, last.goal)
        self.task = Task(
            goal=attachments.add_texts(about["text"], new.files),
            references=attachments.images(new.files),
            plan=Plan() if new.plan else None,
        )
        if last:
            self.task.max_images = last.max_images
            self.task.pointers = tuple(find_pointers(last))
        self.replay = new.replay
        rounds, replay = agent.budget.rounds, new.replay
        name, values = (replay.name, {**replay.values}) if replay else ("", {})
        about |= {"procedure": name, "values": values, "place": replay.place if replay else None}
        self.log.append("task", **about, max_rounds=rounds)
        self._log_files(new.files)
        self._start_run(agent)

    def _add_to_inbox(self, text: str, files: Files) -> None:
        assert self.task is not None
        if text.strip() or files:
            if self.status != "asking" and self.replay and not self.replay.handed_over_in:
                raise Busy(Message("session.no_hints"))
            self.task.inbox.append(attachments.add_texts(text, files))
            self.task.inbox_references += attachments.images(files)
            old = self.ending.replaces if isinstance(self.ending, Ask) else ""
            about: dict[str, Any] = {"replaces": old} if old else {}
            self.log.append("said", text=text, queued=self.status == "running", **about)
            self._log_files(files)

    def _log_files(self, files: Files) -> None:
        for each in files:
            jpeg = each.image.jpeg if each.image else None
            self.log.append("file", jpeg, name=each.name, content=each.text)

    def _start_run(self, agent: Agent) -> None:
        assert self.task is not None
        if self.replay:
            agent.model = self.replay.stand_in_for(agent.model)
        self.ending = None
        left = max(agent.budget.rounds - self.task.used.rounds, 0)
        self._set_status("running", max_rounds=left)
        self._active = asyncio.create_task(self._run_to_end(agent, self.task))

    async def _cancel(self) -> None:
        if self._active is not None:
            await cancel_and_wait(self._active)

    async def _run_to_end(self, agent: Agent, task: Task) -> None:
        if task.plan and not task.plan.approved and isinstance(agent.model, FollowsWords):
            task.plan = None  # another model was to write it
            self.log.note("info", Message("plan.local"), aloud=True)
        try:
            self._conclude(await planning.run(agent, task))
        except CuaError as error:
            unusable = count_unusable(agent.budget, task.used, error)
            self._fail(error.message, error.setting, **unusable)
        except Exception as error:
            # A bug must not leave the status at running.
            logger.exception("the run failed")
            name = type(error).__name__
            self._fail(Message("session.internal_error", name=name, reason=str(error)))

    def _conclude(self, ending: Ending) -> None:
        self.ending = ending
        if isinstance(ending, Done):
            handed_over = bool(self.replay and self.replay.handed_over_in)
            refused = self._is_partly
            self.log.append("done", text=ending.answer, handed_over=handed_over, refused=refused)
            self._set_status("done")
            self.on_done()
        elif isinstance(ending, Ask):
            fix = _fixed_by(self.task.needed_setting if self.task else "")
            self.log.append("question", text=ending.question, anew=ending.anew, **fix)
            self._set_status("asking")
        elif isinstance(ending, OutOfBudget):
            assert self.task is not None
            known = self.task.used.is_unmeasured
            self.task.used = Usage(is_renewed=True, is_unmeasured=known)
            text = Message("session.not_done", limit=ending.limit)
            if ending.summary:
                self.log.note("info", sentences(text, ending.summary))
            self._set_status("paused", sentences(text, Message("session.resume_for_more")))
        elif isinstance(ending, ApprovalTimeout):
            self._set_status(
                "paused", sentences(ending.message, Message("session.resume_to_retry"))
            )
        elif isinstance(ending, Fail):
            self._fail(ending.reason, ending.setting)

    def _fail(self, words: str, setting: str = "", **spent: Any) -> None:
        fix = _fixed_by(setting)
        self.log.append("failed", text=words, **fix, **spent)
        self._set_status("failed", words, **fix)

    def _set_status(self, status: Status, reason: str = "", by: str = "", **more: Any) -> None:
        self.status = status
        if by:
            more["by"] = by
        self.log.append("status", status=status, reason=reason, **more)
        self.notify_idle()

    def notify_idle(self) -> None:
        """Call `on_idle` unless a task is unfinished. No manual input may be under way."""
        if self.status in ("idle", "done", "failed"):
            self.on_idle()


def _fixed_by(setting: str) -> dict[str, Any]:
    return {"setting": setting} if setting else {}


def get_result(run: asyncio.Task[None]) -> None:
    """Raise the exception of a finished manual action; `Busy` if it was cancelled."""
    if run.cancelled():
        raise Busy(CUT_OFF)
    run.result()
