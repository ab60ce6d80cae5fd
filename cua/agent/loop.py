"""The loop: take a screenshot, ask the model, parse its reply, execute its actions.

Cancelling the asyncio task that runs it pauses a run: the current step stays unfinished in the
history, from which the next run continues. All progress is reported through the event log.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from .. import types
from ..events.log import EventLog
from ..types import ActionError, Ask, Done, Ending, Fail, InputAction, Step, Task
from ..types.describe import describe_briefly
from . import history_pruning, step_results
from .budget import Budget, Meter, warn_unmeasured, working_time
from .checks.check import Check, StepResult, first_result
from .checks.stable_screenshot import take_current, take_stable
from .feedback import add_feedback, request_reply
from .step_events import log_outcome, log_progress, log_reply, log_screenshot


@dataclass
class Agent:
    """Works on a task within a budget. `checks` take part at their hooks, in their order."""

    screen: types.Screen
    model: types.Model
    dialect: types.Dialect
    inputs: types.Inputs
    log: EventLog
    _: KW_ONLY
    gate: types.ApprovalGate
    prompt: str
    keep: int
    budget: Budget
    checks: Sequence[Check] = ()
    max_steps: int = history_pruning.MAX_STEPS

    async def run(self, task: Task) -> Ending:
        task.run = types.RunState(first_step=len(task.steps))
        meter = Meter(self.budget, task, self.gate)
        return await meter.limit_time(self._run_steps(task, meter))

    async def _run_steps(self, task: Task, meter: Meter) -> Ending:
        await self.model.begin(task)  # before the screenshot: an import takes up to 1 s
        while True:
            if ending := meter.find_limit() or await self.step(task, meter.write_note()):
                return ending

    async def step(self, task: Task, note: str = "") -> Ending | None:
        """Do one step, with a `note` for the model; return an ending if the run ends."""
        started = working_time(self.gate)
        step = await self._begin_step(task, note)
        self.log.append("phase", step=step.number, phase="thinking")
        reply = step.reply = await request_reply(
            self.model, self.dialect, self.prompt, task, self.keep, self.log
        )
        task.used.count_tokens(reply)
        warn_unmeasured(self.budget, task.used, reply, self.log)
        task.used.rounds += not reply.is_scripted
        step.outcome, ending = self._parse(task, step, reply) or await self._execute_actions(
            task, step
        )
        log_outcome(self.log, step, working_time(self.gate) - started)
        return ending

    async def _begin_step(self, task: Task, note: str) -> Step:
        """Take a screenshot, and add a step with it to the history."""
        number = task.steps[-1].number + 1 if task.steps else 1
        acted = bool(task.steps and task.steps[-1].actions_started)
        self.log.append("phase", step=number, phase="settling" if acted else "looking")
        started = time.monotonic()
        frame = await first_result(check.take_screenshot(task) for check in self.checks)
        frame = frame or await take_stable(self.screen, self.inputs)
        if acted:
            self.log.append("phase", step=number, phase="looking")
        step = Step(number, "", frame)
        notes = [await check.before_request(task, step) for check in self.checks]
        add_feedback(task, step, [*notes, note])
        task.steps.append(step)
        history_pruning.drop_old(task, self.keep, self.max_steps)
        log_screenshot(self.log, step, time.monotonic() - started)
        return step

    def _parse(self, task: Task, step: Step, reply: types.Reply) -> StepResult | None:
        try:
            step.parsed = reply.parsed or self.dialect.parse(reply, step.frame.size)
        except types.FormatError as error:
            return step_results.reject_reply(task, error)
        finally:
            log_reply(self.log, step, self.budget)
        task.run.format_errors = 0
        for check in self.checks:
            check.after_reply(step)
        return None

    async def _execute_actions(self, task: Task, step: Step) -> StepResult:
        """Execute the actions in order, until one must not be executed."""
        self.log.append("phase", step=step.number, phase="acting")
        if impossible := step_results.refuse_impossible(step, self.inputs):
            return impossible
        result = await first_result(check.before_actions(task) for check in self.checks)
        for index, action in enumerate(step.parsed.actions):
            if result is None and isinstance(action, InputAction):
                result = await self._execute_action(task, index, action)
            elif result is None and isinstance(action, (Done, Fail, Ask)):
                result = await self._end_run(task, action)
        return result or StepResult(step_results.EXECUTED)

    async def _execute_action(
        self, task: Task, index: int, action: InputAction
    ) -> StepResult | None:
        """Ask for approval; then execute the action, unless a check objects to it."""
        step = task.steps[-1]
        for check in self.checks:
            await check.before_approval(step, index)
        if refused := await self.gate.admit(step, action):  # may ask the person
            return step_results.refuse_action(step, index, refused)
        if index == 0:
            step.before = await take_current(self.screen)
        if result := await first_result(check.before_action(task, index) for check in self.checks):
            return result
        brief = describe_briefly(action, step.label)
        self.log.append("acting", step=step.number, index=index, label=step.label, brief=brief)
        step.actions_started = index + 1
        try:
            await self.inputs.perform(action)
        except ActionError as error:
            step.actions_started = index
            return step_results.refuse_action(step, index, error)
        finally:
            log_progress(self.log, step, self.inputs.progress)
        return None

    async def _end_run(self, task: Task, action: Done | Fail | Ask) -> StepResult:
        """End the run, unless a check objects or the person sends a message, even meanwhile."""
        objection, reply = None, task.steps[-1].reply
        doubtful = isinstance(action, Done) and not (reply and reply.is_scripted)
        if doubtful and not task.inbox:
            objection = await first_result(check.before_done(task) for check in self.checks)
        if task.inbox:
            objection = step_results.put_off(action)
        return StepResult(objection) if objection else step_results.end_run(task, action)
