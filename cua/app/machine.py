"""The composition root: wires the parts of the service together and owns their lifetimes."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..agent import history_pruning
from ..agent.attachments import Attachments
from ..agent.checks.options import make_checks
from ..agent.checks.stable_screenshot import take_stable
from ..agent.loop import Agent
from ..agent.manual_control import ManualControl
from ..agent.session import NewTask, Session
from ..agent.task_queue import TaskQueue
from ..dialects import registry
from ..evaluation.checkup.model_under_test import ModelUnderTest, ask_once
from ..evaluation.checkup.service import Checkups
from ..events.archive import Archive
from ..events.log import EventLog
from ..events.recorder import Recorder
from ..extras import missing_modules
from ..kvms import local_web_server
from ..kvms.kvm import Kvm
from ..kvms.simulated_computer import SimulatedComputer
from ..messages import Message, sentences
from ..notifications import Notifier
from ..safety.approval import Approvals, Policy
from ..safety.redacted_screen import RedactedScreen
from ..safety.secrets import SecretInputs, SecretStore
from ..safety.target_text import TargetText
from ..screen.ocr.client import OcrClient
from ..settings import BadSettings, Settings, SettingsFile
from ..settings.word_list import patterns
from ..timeouts import cancel_and_wait
from ..types import (
    ApprovalGate,
    Area,
    Busy,
    Frame,
    Inputs,
    ManualAction,
    MissingExtra,
    Move,
    Point,
    Screen,
    Type,
)
from . import factory
from .computer import ControlledComputer
from .model_cache import ModelCache
from .settings_editor import SettingsEditor

if TYPE_CHECKING:
    from ..procedures.by_hand import HandRecording
    from ..procedures.folder import ProcedureFolder
    from ..procedures.procedure import Procedure


LOOK_TIMEOUT_S = 5.0
NEWEST_WITHIN_S = 0.5
EDGE = 0.998
"""How far right the pointer goes where it covers nothing."""


class ExternalAccess(NamedTuple):
    """Screen, input and approval policy for a model outside this program."""

    screen: Screen
    inputs: Inputs
    gate: ApprovalGate
    kvm: Kvm
    session: Session
    procedures: Callable[[], ProcedureFolder]
    make_replay: Callable[[Procedure, Mapping[str, str]], NewTask]


class Machine:
    """Creates and connects the service's parts: KVM connection, session, model, settings and logs.

    The command line and the web routes work through it.
    """

    hand_recording: HandRecording | None = None
    """The last recording of manual actions, running or ended."""

    def __init__(
        self,
        file: SettingsFile,
        simulated: SimulatedComputer | None = None,
        environ: Mapping[str, str] = os.environ,
        procedures: ProcedureFolder | None = None,
    ) -> None:
        """`environ` has the secrets for typing; `procedures`: if not beside `file`."""
        factory.drop_unknown_names(file)
        self.secret_store = SecretStore(environ, file.secrets)
        self.log = EventLog(self.secret_store.mask)
        self.attachments = Attachments(self.secret_store.insert_names)
        self._file, self._procedures = file, procedures
        self._only_simulated = simulated is not None
        self.ocr = OcrClient()
        """OCR; its process starts with the first picture."""
        self._target_text = TargetText(self.ocr, lambda: factory.reads_targets(file.values))
        self.approvals = Approvals(
            self.log, self._policy, read=self._target_text.read, look=self._look_at_effect
        )
        self.computer = ControlledComputer(
            file,
            self.log,
            self._handle_foreign_input,
            self._note_performed,
            simulated,
        )
        self.screen = self.computer.screen
        self._redacted_screen = RedactedScreen(self.screen, lambda: self.secret_store.withheld)
        self.recorder = Recorder(
            factory.find_record_folder(file),
            lambda: file.values.record_mb * 2**20,
            self.log.boot,
            lambda reason: self.log.note("warning", reason, aloud=True),
        )
        self.log.record = self.recorder
        self.archive = Archive(self.recorder.folder)
        self.notifier = Notifier(lambda: file.values, self.log)
        self.log.listeners += [self.recorder.queue_event, self.notifier.queue_event]
        self.session = Session(self.log, self._make_agent)
        self.session.on_idle = self.computer.unlock_kvm
        self.checkup = Checkups(self.log, self._subject, lambda: self.session.status == "running")
        self.manual_control = ManualControl(
            self.session,
            self._inputs,
            lambda: (self.screen.status.width, self.screen.status.height),
            lambda: self._file.values.take_over,
            self.approvals.find_manual_risk,
        )
        self.queue = TaskQueue(self.session)
        self.session.on_begin = self._on_begin
        self.session.on_done = self.queue.begin_next_soon
        self.kvm_server = local_web_server.read(Path(file.values.kvm_config))
        self._models = ModelCache(self.log, self.ocr)
        self.settings = SettingsEditor(file, self.log, self._apply)
        self._pausing: asyncio.Future[None] | None = None
        self._connecting = asyncio.Lock()
        """Taken while another computer is connected; `close` takes it and never releases it."""

    @property
    def is_simulated(self) -> bool:
        return self.computer.is_simulated

    @property
    def asks_server(self) -> bool:
        return self._file.values.asks_server

    @property
    def grace(self) -> float:
        """Seconds without a page after which the service ends."""
        return self._file.values.grace_seconds

    def supervise(self, is_attended: Callable[[], bool]) -> None:
        """Begin tasks and send input only while a page is visible and after the notice was read.

        The video stream is open only while a task runs, or a page needs a picture, so that the KVM
        does not encode video that no page shows.
        """

        def check_attended() -> None:
            if not self.is_notice_read():
                raise Busy(Message("session.notice_unread"))
            if not is_attended():
                raise Busy(Message("session.no_page_visible"))

        self.session.check_attended = check_attended
        self.screen.needs_every_frame = lambda: self.session.status == "running"
        self.screen.is_attended = is_attended

    async def open(self) -> None:
        self._recording = asyncio.create_task(self.recorder.run())
        self.notifier.open()
        self._log_session_started()
        self.computer.open()

    async def close(self) -> None:
        await self._connecting.acquire()
        await self.session.pause(Message("session.service_ends"))
        await self.checkup.stop()
        await self.computer.close()
        await self.ocr.aclose()
        await self._models.aclose()
        await self.notifier.close()
        await cancel_and_wait(self._recording)
        if self._file.path is None and not self._file.values.record_dir:
            shutil.rmtree(self.recorder.folder, ignore_errors=True)

    def _note_performed(self, action: ManualAction, sure: bool) -> None:
        """Report an action to the approval rules, with names in place of secrets."""
        if isinstance(action, Type):
            action = action.model_copy(update={"text": self.secret_store.insert_names(action.text)})
        self.approvals.note_performed(action, sure)

    def _handle_foreign_input(self, endpoint: str) -> None:
        self.approvals.leave_line()
        name = Message(f"hid.endpoint.{endpoint}")
        words = Message("session.input_used_elsewhere", endpoint=name)
        if self.session.status == "running":
            self._pausing = asyncio.ensure_future(self.session.pause(words))

    def read_message(self, text: str, files: Sequence[str] = (), *, plan: bool = False) -> NewTask:
        """Return what a person sends, with names in place of secrets, and the files with these IDs.

        `plan`: it begins with one, unless the Local operator works on it. Raises `Busy`.
        """
        if files:
            self.check_sees_files()
        named, found = self.secret_store.insert_names(text), self.attachments.get(files)
        return NewTask(named, found, plan=plan and self.asks_server)

    def check_sees_files(self) -> None:
        """Raise `Busy` for the Local operator, which cannot use files."""
        if not self.asks_server:
            raise Busy(Message("session.files_not_seen"))

    async def test_model(self, settings: dict[str, Any]) -> float:
        """Send a small request with unsaved settings; return the seconds. Raises `CuaError`."""
        values = await self.settings.propose(settings)
        return await ask_once(factory.make_subject(values, self.computer.size, EventLog()))

    async def test_notification(self, settings: dict[str, Any]) -> None:
        """Send a message with unsaved settings. Raises `CuaError`."""
        values = await self.settings.propose(settings)
        if not values.notify_url.get_secret_value():
            raise BadSettings({"notify_url": Message("notify.no_address")})
        await self.notifier.send(values, Message("notify.test"))

    async def test_kvm(self, settings: dict[str, Any]) -> str:
        """Return what was found at the KVM of unsaved settings. Raises `CuaError`."""
        values = await self.settings.propose(settings)
        if self.session.status == "running":
            raise Busy(Message("session.test_while_running"))
        result = await self.computer.test(factory.make_kvm_config(values))
        named = settings.get("kvm", values.kvm) == values.kvm
        return sentences("" if named else Message("kvm.found", address=values.kvm), result)

    def _on_begin(self) -> None:
        self.manual_control.hand_back()
        self.approvals.forget_click()

    def is_notice_read(self) -> bool:
        return self._file.values.notice_acknowledged

    async def acknowledge_notice(self) -> None:
        await self._file.save({"notice_acknowledged": True})

    async def reset(self) -> None:
        """End the task, clear the log, pause the queue."""
        reason = Message("queue.reset")
        self.queue.pause(reason)  # no task begins while the session's reset waits
        await self.session.reset()
        self._log_session_started()
        self.queue.pause(reason)  # logged anew, as the log was cleared

    async def use_simulated(self, *, on: bool) -> None:
        """Switch to the simulated computer or back, and clear chat and queue about the other one.

        If no model is chosen, the Local operator works there, if it is installed.
        """
        if self._only_simulated:
            raise Busy(Message("session.simulated_only"))
        async with self._connecting:
            if on != self.is_simulated:
                self.queue.clear()
                await self._connect(Message("session.other_computer"), simulated=on)
                has_model = factory.is_model_chosen(self._file.values) or missing_modules("local")
                self._file.lend(**({"api_type": "local"} if on and not has_model else {}))
                await self.reset()

    async def restart_simulated(self) -> None:
        """Restart the simulated computer. Raises `Busy` while a task runs, or for another one."""
        await self.manual_control.release()
        async with self._connecting:
            if not self.is_simulated:
                raise Busy(Message("session.not_simulated"))
            if self.session.status == "running":
                raise Busy(Message("session.restart_running"))
            await self._connect(Message("session.simulator_restarted"), simulated=True)
        self.log.note("info", Message("session.simulator_restarted"), aloud=True)

    async def _connect(self, reason: str, *, simulated: bool) -> None:
        """Connect a new simulated computer, or the KVM of the settings."""
        await self.session.pause(reason)
        computer = await asyncio.to_thread(SimulatedComputer) if simulated else None
        await self.computer.change(computer)
        self.approvals.forget()  # the text typed on the computer before
        self.secret_store.withheld = False

    async def _apply(self, before: Settings, after: Settings, entered: Collection[str]) -> None:
        """Apply changed settings that are not read at each use.

        Entering the same password again logs in again, for KVMs where another login ended ours.
        """
        await self.manual_control.release()
        is_other = factory.make_kvm_config(after) != factory.make_kvm_config(before)
        if is_other or "kvm_password" in entered:
            async with self._connecting:
                if not self.is_simulated:
                    await self._connect(Message("session.other_kvm"), simulated=False)
        model_changed = factory.model_key(before) != factory.model_key(after)
        if model_changed and self.session.status != "running":
            self._models.discard()
        if factory.describe_model(before) != factory.describe_model(after):
            self._log_session_started()
        if self.session.status != "running" and after.asks_server:  # else they may use it
            await self._target_text.stop_if_unused()

    async def calibrate(self, what: str) -> str:
        """See `ControlledComputer.calibrate`."""
        await self.open()
        try:
            return await self.computer.calibrate(what)
        finally:
            await self.close()

    def procedure_folder(self) -> ProcedureFolder:
        from ..procedures.folder import ProcedureFolder

        path = factory.find_procedure_folder(self._file.path, self.recorder.folder)
        return self._procedures or ProcedureFolder(path)

    def record_by_hand(self) -> None:
        """Start recording the person's manual actions. Raises `MissingExtra`."""
        from ..procedures.by_hand import HandRecording

        if missing_modules("local"):
            raise MissingExtra("local")
        self.hand_recording = HandRecording(self.look, lambda: self.screen.newest, self.ocr.read)
        self.manual_control.recording = self.hand_recording

    async def look(self) -> Frame:
        return await self.screen.take_screenshot(
            time.monotonic() - NEWEST_WITHIN_S, 0, LOOK_TIMEOUT_S
        )

    async def look_without_pointer(self, part: Area) -> Frame:
        """Take a screenshot once the pointer is out of this part, unless a task uses it."""
        if self.session.status != "running":
            inputs = self._inputs()
            aside = Move(at=Point(x=EDGE if part.middle[0] < 0.5 else 1 - EDGE, y=0.5))
            await self.session.run_manual(self.session.turn, lambda: inputs.perform(aside))
        return await take_stable(self.screen, self.computer.inputs)

    def make_replay(
        self, procedure: Procedure, values: Mapping[str, str], first: int = 0
    ) -> NewTask:
        """Return a procedure as a task that begins with step `first`.

        Raises `CuaError`, also for a text that cannot be typed, once the computer is connected: a
        KVM may not have told its layout before.
        """
        from ..procedures.procedure import describe_run
        from ..procedures.replay import Replay

        replay = Replay(procedure, values, self.ocr.read, first)
        if self.screen.status.width:
            self.computer.update_profile()
            inputs = SecretInputs(self.computer.inputs, self.secret_store)
            for text in replay.texts:
                inputs.check(text)
        return NewTask(describe_run(procedure, replay.values), replay=replay)

    def grant_external_access(self, ask: Callable[[str], Awaitable[bool | None]]) -> ExternalAccess:
        """Return screen, input and approval for an external model; `ask` asks the person."""
        self.approvals.has_page = False
        self.approvals.ask_externally = ask
        self.session.on_idle = lambda: None  # it may act at any time
        return ExternalAccess(
            self._redacted_screen,
            self._inputs(),
            self.approvals,
            self.computer.kvm,
            self.session,
            self.procedure_folder,
            self.make_replay,
        )

    def _log_session_started(self) -> None:
        self.log.append(
            "session_started",
            demo=self.is_simulated,
            model=factory.describe_model(self._file.values),
            screen=self.screen.status.as_json(),
            status=self.session.status,
            reach=self.computer.unreachable_reason,
            can_switch_back=self.is_simulated and not self._only_simulated,
        )
        if self._file.warning:
            self.log.note("warning", self._file.warning)
        if factory.is_prompt_outdated(self._file.values):
            self.log.note("info", Message("settings.prompt_outdated"))

    def _inputs(self) -> SecretInputs:
        """Return the input for a run or for manual control, with the current settings."""
        if self._connecting.locked():
            raise Busy(Message("session.connecting_computer"))
        self.computer.apply_settings()
        return SecretInputs(self.computer.inputs, self.secret_store)

    def _policy(self) -> Policy:
        values = self._file.values
        return Policy(values.gate, patterns(values.gate_ask), patterns(values.gate_pass))

    async def _look_at_effect(self) -> Frame:
        """Take a screenshot after the last action, for a question about the next."""
        return await take_stable(self._redacted_screen, self.computer.inputs)

    def _make_agent(self) -> Agent:
        if self.checkup.running:
            raise Busy(Message("session.checkup_runs"))
        values = self._file.values
        dialect = registry.create(factory.choose_dialect(values))
        self.screen.sent_size = factory.make_sent_size(dialect, values.screenshot_width)
        model, inputs = self._models.get(values, dialect), self._inputs()
        screen = self._redacted_screen
        self._target_text.start()
        return Agent(
            screen,
            model,
            dialect,
            inputs,
            self.log,
            gate=self.approvals,
            prompt=factory.make_prompt(values),
            keep=values.img_keep_n,
            budget=factory.make_budget(values),
            checks=make_checks(
                factory.make_check_options(values),
                screen,
                inputs,
                model,
                self.log,
                other_mouse=self.computer.switch_mouse if values.gate != "always" else None,
            ),
            # the Local operator needs all of them
            max_steps=history_pruning.MAX_STEPS if values.asks_server else sys.maxsize,
        )

    def _subject(self) -> ModelUnderTest:
        return factory.make_subject(self._file.values, self.computer.size, self.log)
