"""The composition root: settings -> parts -> a running service. The only file that names concrete
classes, and the only one that reads the settings; parts get plain values.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from . import calibrate, dialects, form, headless, kvm_server, kvms, models
from .agent import Agent
from .approval import Approvals, Policy
from .checkup.service import Checkups
from .checkup.subject import Manner, Subject
from .craft import Craft
from .craft.budget import Budget
from .demo import VirtualComputer
from .dialects import prompting
from .events import EventLog
from .helm import Helm
from .hid import Hands
from .hid.pointing import Mouse
from .hid.target import Target
from .kvms.powered import Powered
from .kvms.virtual import VirtualKvm
from .mcp_server import Lent
from .patterns import patterns
from .record import Archive, Recorder
from .screen import MjpegScreen
from .session import Session
from .settings import SECRETS, BadSettings, Settings, SettingsFile
from .types import CuaError, Dialect, Model
from .vault import SecretHands, Vault
from .veil import Veil

if TYPE_CHECKING:
    from .evaluation.run import Pilot

OUTDATED = (
    "Your initial prompt stands in place of ours, which has changed since. Compare the two in "
    "Settings; what you only want to add is safer in the addition to the prompt."
)
USUAL = (1280, 720)
"""Pixels of the screens that a model is checked on where no computer's own size is known."""


class Machine:
    """One computer behind one KVM, and everything that is put together to work on it."""

    def __init__(self, file: SettingsFile, virtual: VirtualComputer | None = None) -> None:
        self.vault = Vault(os.environ, file.secrets)
        self.log = EventLog(self.vault.masked)
        self.demo = virtual is not None
        self._file = file
        self._virtual = virtual
        self._unreached = ""
        self._lamps: int | None = None
        self._kvm = self._make_kvm()
        self._hands = self._make_hands()
        self.screen = MjpegScreen(self._kvm.frames, self.log)
        self.approvals = Approvals(self.log, self._policy)
        self.recorder = Recorder(
            _shelf(file), file.values.record_mb * 2**20, self.log.boot, self._cannot_record
        )
        self.archive = Archive(self.recorder.folder)
        self.log.tap = self.recorder.take
        self.session = Session(self.log, self._make_agent)
        self.checkup = Checkups(
            self.log, self._subject, VirtualComputer, lambda: self.session.status == "running"
        )
        self.helm = Helm(
            self.session,
            lambda: self._hands,
            lambda: (self.screen.status.width, self.screen.status.height),
            lambda: self._file.values.take_over,
            self.approvals.follow,
        )
        self.kvm_server = kvm_server.read(Path(file.values.kvm_config))
        self._model: tuple[Settings, Model] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._halting: asyncio.Future[None] | None = None

    @property
    def grace(self) -> float:
        """Seconds that the only page may be away."""
        return self._file.values.grace_seconds

    async def open(self) -> None:
        self._recording = asyncio.create_task(self.recorder.run())
        self._introduce()
        self._reader = asyncio.create_task(self._look())

    async def close(self) -> None:
        await self.session.pause("The service ends.")
        await self.checkup.stop()
        await self._stop_looking()
        await self._drop_model()
        await self._kvm.close()
        self._recording.cancel()
        await asyncio.wait([self._recording])
        if self._file.path is None and not self._file.values.record_dir:
            shutil.rmtree(self.recorder.folder, ignore_errors=True)

    def stop(self) -> None:
        """For a signal: returns at once, when the run has been cancelled."""
        self._halting = asyncio.ensure_future(self.session.stop("Stopped by a signal."))

    def _touched(self, endpoint: str) -> None:
        words = f"Somebody else used the {endpoint} (the KVM's own page?), so the run was paused."
        if self.session.status == "running":
            self._halting = asyncio.ensure_future(self.session.pause(words))

    def _lit(self, lamps: int | None) -> None:
        self._lamps = lamps

    def _reached(self, why_not: str) -> None:
        self._unreached = why_not
        self.log.append("reach", sentence=why_not)

    def ready(self) -> bool:
        return self._file.values.notice_acknowledged

    async def reset(self) -> None:
        await self.session.reset()
        self._introduce()

    def settings(self) -> dict[str, Any]:
        return form.described(self._file, _dialect_name(self._file.values))

    async def change(self, settings: dict[str, Any]) -> None:
        changes = _changes(settings)
        known = ["auto", *(name for name, *_ in dialects.names())]
        if changes.get("dialect", "auto") not in known:
            raise BadSettings({"dialect": "there is no such dialect"})
        _check_kvm(changes.get("kvm", ""))
        _check_layout(self._file.values.model_copy(update=changes))
        before = self._file.values
        if changes.get("initial_prompt", before.initial_prompt) != before.initial_prompt:
            changes["initial_prompt_base"] = prompting.version(_our_prompt(before))
        self._file.update(changes)
        after = self._file.values
        self.log.append("settings", changed=sorted(changes))
        if before.api_key.get_secret_value() and not after.api_key.get_secret_value():
            self._note("info", "The API key was removed: it belonged to the server set before.")
        if _which_kvm(after) != _which_kvm(before) and not self._virtual:
            await self._change_kvm()
        if self.session.status != "running":
            await self._drop_model()
        if _model_words(before) != _model_words(after):
            self._introduce()

    async def work(self, goal: str, *, as_json: bool) -> int:
        """The headless job; returns its exit code."""
        self.approvals.present = False
        await self.open()
        _cancel_on_signals()
        try:
            return await headless.run(self.session, self.log, goal, as_json=as_json)
        finally:
            await self.close()

    async def calibrate(self) -> float:
        """Measure what a count of the relative mouse is worth, and keep it. Raises `CuaError`."""
        await self.open()
        _cancel_on_signals()
        try:
            found = await calibrate.gain(self.screen, self._hands)
        finally:
            await self.close()
        self._file.update({"pointer_gain": found})
        return found

    def lend(self) -> Lent:
        """Eyes and hands for somebody else's model, when nobody is there to be asked."""
        self.approvals.present = False
        self._hands.target = self._target(self._file.values)
        screen = Veil(self.screen, lambda: self.vault.withheld)
        return Lent(screen, SecretHands(self._hands, self.vault), self.approvals)

    def _introduce(self) -> None:
        words = _model_words(self._file.values)
        status = self.session.status
        screen = self.screen.status.as_json()
        now: dict[str, Any] = {
            "model": words,
            "screen": screen,
            "status": status,
            "reach": self._unreached,
        }
        self.log.append("session_started", demo=self.demo, **now)
        if self._file.warning:
            self._note("warning", self._file.warning)
        if _outdated(self._file.values):
            self._note("info", OUTDATED)

    def _note(self, level: str, text: str) -> None:
        self.log.append("log", level=level, text=text)

    def _cannot_record(self, why: str) -> None:
        self._note("warning", why)

    def _make_kvm(self) -> kvms.Kvm:
        notices = kvms.Notices(self._note, self._pin, self._touched, self._reached, self._lit)
        if self._virtual:
            return VirtualKvm(self._virtual, notices)
        return kvms.create(_which_kvm(self._file.values), notices)

    def _make_hands(self) -> Hands:
        return Hands(self._kvm, show=self._show_typed, lamps=lambda: self._lamps)

    def _pin(self, certificate: str) -> None:
        if "kvm_certificate" not in self._file.locked:
            self._file.update({"kvm_certificate": certificate})

    async def _look(self) -> None:
        try:
            await self._kvm.open()
        except CuaError as error:
            self._note("error", str(error))
        await self.screen.run()

    async def _change_kvm(self) -> None:
        await self.session.pause("Another KVM was chosen.")
        await self._stop_looking()
        await self._kvm.close()
        self._reached("")
        self._lit(None)
        self._kvm = self._make_kvm()
        self._hands = self._make_hands()
        self.screen.source = self._kvm.frames
        self._reader = asyncio.create_task(self._look())

    async def _stop_looking(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.wait([self._reader])

    def _show_typed(self, typed: int) -> None:
        self.log.mention("typed", count=typed)

    def _policy(self) -> Policy:
        values = self._file.values
        return Policy(values.gate, patterns(values.gate_ask), patterns(values.gate_pass))

    def _make_agent(self) -> Agent:
        values = self._file.values
        dialect = dialects.create(_dialect_name(values))
        self.screen.fit = _fit(dialect, values.screenshot_width)
        self._hands.target = self._target(values)
        return Agent(
            Veil(self.screen, lambda: self.vault.withheld),
            self._model_for(values, dialect),
            dialect,
            SecretHands(Powered(self._hands, self._kvm), self.vault),
            self.log,
            gate=self.approvals,
            prompt=_prompt(values),
            keep=values.img_keep_n,
            budget=_budget(values),
            craft=_craft(values),
            other_mouse=self._other_mouse,
        )

    async def _other_mouse(self) -> bool:
        """Measure the relative mouse and keep to it, if it moves what the absolute one did not."""
        before = self._hands.target
        if before.mouse is not None:
            return False
        try:
            found = await calibrate.gain(self.screen, self._hands)
        except CuaError as error:
            self._hands.target = before
            self._note("warning", f"The pointer does not move, by neither mouse. {error}")
            return False
        self._hands.target = before._replace(mouse=Mouse(*self._screen_size(), found))
        kept = {"pointer": "relative", "pointer_gain": found}
        locked = self._file.locked
        self._file.update({name: value for name, value in kept.items() if name not in locked})
        self._note("info", "The computer ignores the absolute pointer: the relative mouse is used.")
        return True

    def _target(self, values: Settings) -> Target:
        found = _target(values, self._screen_size(), relative=self._kvm.relative)
        return found._replace(layout=self._kvm.layout or found.layout)

    async def _drop_model(self) -> None:
        if self._model is not None:
            await self._model[1].aclose()
            self._model = None

    def _model_for(self, values: Settings, dialect: Dialect) -> Model:
        """The same one as long as the settings are the same: it keeps connections and caches."""
        if self._model is None or self._model[0] != values:
            self._model = (values, _model(values, dialect, self.log))
        return self._model[1]

    def _subject(self) -> Subject:
        return _subject(self._file.values, self._screen_size(), self.log)

    def _screen_size(self) -> tuple[int, int]:
        status = self.screen.status
        return (status.width, status.height) if status.width else USUAL


async def check(values: Settings, file: Path | None) -> int:
    """The model check-up without a page; returns its exit code. `file`: where the JSON goes."""
    from .checkup import terminal
    from .checkup.run import Checkup

    log = EventLog()
    _cancel_on_signals()
    checkup = Checkup(_subject(values, USUAL, log), log, VirtualComputer, seed=1)
    return await terminal.run(checkup, log, file)


def examined(values: Settings) -> tuple[kvms.Kvm, Subject]:
    """The KVM and the model as they are set, for `doctor`. Raises `CuaError`."""
    nobody = kvms.Notices(lambda *_: None, lambda _: None, lambda _: None, lambda _: None)
    return kvms.create(_which_kvm(values), nobody), _subject(values, USUAL, EventLog())


def pilot(values: Settings) -> Pilot:
    """The model as it is set, for the bench; one for all of its runs. May raise `CuaError`."""
    from .evaluation.run import Pilot

    dialect = _dialect_name(values)
    model = _model(values, dialects.create(dialect), EventLog())
    return Pilot(
        _model_words(values),
        dialect,
        lambda *_: model,
        lambda dialect: _fit(dialect, values.screenshot_width),
        prompt=_prompt(values),
        keep=values.img_keep_n,
        close=model.aclose,
    )


def _our_prompt(values: Settings) -> str:
    return dialects.default_prompt(_dialect_name(values), values.prompt_language, values.target_os)


def _prompt(values: Settings) -> str:
    prompt = values.initial_prompt or _our_prompt(values)
    return prompting.with_addition(prompt, values.prompt_addition, values.prompt_language)


def _outdated(values: Settings) -> bool:
    """Whether ours has changed since the person wrote a whole prompt in its place."""
    base = values.initial_prompt_base
    return bool(values.initial_prompt and base) and base != prompting.version(_our_prompt(values))


def _budget(values: Settings) -> Budget:
    return Budget(
        values.max_rounds,
        values.max_minutes,
        values.max_tokens,
        values.max_cost,
        values.price_in,
        values.price_out,
    )


def _craft(values: Settings) -> Craft:
    """The local operator looks for itself before it says that it is done."""
    reads = values.api_type != "local"
    return Craft(
        check_done=values.check_done and reads,
        ask_again=values.ask_again,
        second_opinion=values.second_opinion and reads,
    )


def _cancel_on_signals() -> None:
    run = asyncio.current_task()
    assert run is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        asyncio.get_running_loop().add_signal_handler(number, run.cancel)


def _model(values: Settings, dialect: Dialect, log: EventLog) -> Model:
    return models.create(
        values.api_type,
        base_url=values.base_url,
        api_key=values.api_key.get_secret_value(),
        model_name=values.model_name,
        dialect=dialect.name,
        sampling=dialect.sampling,
        notify=lambda words: log.append("log", level="warning", text=words),
        show=lambda words: log.mention("draft", text=words),
        pause=lambda seconds: log.append("retry", seconds=seconds),
        kvm_ports=kvm_server.read(Path(values.kvm_config)).ports,
    )


def _subject(values: Settings, screen: tuple[int, int], log: EventLog) -> Subject:
    """The model as it is set, for a check-up."""
    return Subject(
        _model_words(values),
        values.model_name,
        Manner(_dialect_name(values), values.screenshot_width, values.initial_prompt),
        screen,
        lambda dialect: _model(values, dialect, log),
        _fit,
    )


def _changes(settings: dict[str, Any]) -> dict[str, Any]:
    """What a form asks for. An empty secret stays as it is, None forgets it."""
    changes = {name: value for name, value in settings.items() if value is not None}
    for name in SECRETS:
        if not changes.get(name):
            changes.pop(name, None)
        if settings.get(name, "") is None:
            changes[name] = ""
    return changes


def _check_kvm(address: str) -> None:
    try:
        kvms.target(address)
    except CuaError as error:
        raise BadSettings({"kvm": str(error)}) from None


def _which_kvm(values: Settings) -> kvms.Target:
    found = kvms.target(values.kvm, values.kvm_user)
    return replace(
        found,
        password=values.kvm_password.get_secret_value(),
        code=values.kvm_code,
        certificate=values.kvm_certificate,
        stream_url=values.stream_url,
        hid_prefix=values.hid_prefix,
    )


def _target(values: Settings, screen: tuple[int, int], *, relative: bool = False) -> Target:
    """The computer as the person has described it. Raises `CuaError` if nobody knows its keys."""
    return Target(
        values.keyboard_layout,
        values.target_os,
        values.unicode_entry,
        values.pace == "careful",
        Mouse(*screen, values.pointer_gain) if relative or values.pointer == "relative" else None,
    ).known()


def _check_layout(values: Settings) -> None:
    try:
        _target(values, USUAL)
    except CuaError as error:
        raise BadSettings({"keyboard_layout": str(error)}) from None


def _dialect_name(values: Settings) -> str:
    if values.api_type == "local":
        return "kvm"  # what the operator writes
    return dialects.for_model(values.model_name) if values.dialect == "auto" else values.dialect


def _fit(dialect: Dialect, widest: int) -> Callable[[int, int], tuple[int, int]]:
    """The size in which a screenshot is sent: as it is, unless somebody wants it smaller."""

    def fit(width: int, height: int) -> tuple[int, int]:
        if 0 < widest < width:
            width, height = widest, round(height * widest / width)
        return dialect.image_size(width, height)

    return fit


def _shelf(file: SettingsFile) -> Path:
    """Where tasks are recorded."""
    if file.values.record_dir:
        return Path(file.values.record_dir)
    if file.path:
        return file.path.parent / "cua_record"
    return Path(tempfile.mkdtemp(prefix="cua-record-"))


def _model_words(values: Settings) -> str:
    if values.api_type == "local":
        return "Local operator: OCR and rules, no AI"
    host = urlsplit(values.base_url).netloc if values.base_url else values.api_type
    return f"{values.model_name} at {host}"
