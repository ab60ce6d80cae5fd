"""The composition root: settings -> parts -> a running service. With `console` and `parts` the only
file that names concrete classes and reads the settings; the parts themselves get plain values.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from . import dialects, form, headless, kvm_server, parts
from .agent import Agent
from .approval import Approvals
from .checkup.service import Checkups
from .checkup.subject import Subject
from .console import Console
from .demo import VirtualComputer
from .dialects import prompting
from .events import EventLog
from .helm import Helm
from .mcp_server import Lent
from .nearby import Nearby
from .record import Archive, Recorder
from .session import Session
from .settings import RECOMMENDED_SCREEN, Settings, SettingsFile
from .types import Busy, Dialect, Manual, Model, Type
from .vault import SecretHands, Vault
from .veil import Veil
from .within import cancelled

OUTDATED = (
    "Your initial prompt stands in place of ours, which has changed since. Compare the two in "
    "Settings; what you only want to add is safer in the addition to the prompt."
)
CHANGING = "Another computer is being connected. Try again in a moment."


class Machine:
    """One computer behind one KVM, and everything that is put together to work on it."""

    def __init__(self, file: SettingsFile, virtual: VirtualComputer | None = None) -> None:
        parts.usable(file)
        self.vault = Vault(os.environ, file.secrets)
        self.log = EventLog(self.vault.masked)
        self._file = file
        self._only_virtual = virtual is not None
        self._nearby = Nearby(lambda: parts.reads(file.values))
        self.approvals = Approvals(
            self.log, lambda: parts.policy(file.values), read=self._nearby.read
        )
        self._console = Console(file, self.log, self._touched, self._follow, virtual)
        self.screen = self._console.screen
        self.recorder = Recorder(
            parts.shelf(file), file.values.record_mb * 2**20, self.log.boot, self._cannot_record
        )
        self.archive = Archive(self.recorder.folder)
        self.log.tap = self.recorder.take
        self.session = Session(self.log, self._make_agent)
        self.checkup = Checkups(
            self.log, self._subject, VirtualComputer, lambda: self.session.status == "running"
        )
        self.helm = Helm(
            self.session,
            self._hands,
            lambda: (self.screen.status.width, self.screen.status.height),
            lambda: self._file.values.take_over,
        )
        self.kvm_server = kvm_server.read(Path(file.values.kvm_config))
        self._model: tuple[tuple[str, ...], Model] | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        self._halting: asyncio.Future[None] | None = None
        self._changing = asyncio.Lock()
        """Held while another computer takes the place of this one: then nobody gets hands."""

    @property
    def demo(self) -> bool:
        """Whether the computer is the virtual one."""
        return self._console.virtual

    @property
    def grace(self) -> float:
        """Seconds that the only page may be away."""
        return self._file.values.grace_seconds

    async def open(self) -> None:
        self._recording = asyncio.create_task(self.recorder.run())
        self._introduce()
        self._console.open()

    async def close(self) -> None:
        await self._changing.acquire()  # for good: nothing is to be connected after this
        await self.session.pause("The service ends.")
        await self.checkup.stop()
        await self._console.close()
        await self._nearby.aclose()
        await self._drop_model()
        await cancelled(self._recording)
        if self._file.path is None and not self._file.values.record_dir:
            shutil.rmtree(self.recorder.folder, ignore_errors=True)

    def stop(self) -> None:
        """For a signal: returns at once, when the run has been cancelled."""
        self._halting = asyncio.ensure_future(self.session.stop("Stopped by a signal."))

    def _follow(self, action: Manual, sure: bool) -> None:
        """The gate knows a secret by its name only."""
        if isinstance(action, Type):
            action = action.model_copy(update={"text": self.vault.named(action.text)})
        self.approvals.follow(action, sure)

    def _touched(self, endpoint: str) -> None:
        self.approvals.disturbed()
        words = (
            f"Somebody else used the {endpoint} (the KVM's own page? Its mouse jiggler? Switch "
            "that off), so the run was paused."
        )
        if self.session.status == "running":
            self._halting = asyncio.ensure_future(self.session.pause(words))

    def ready(self) -> bool:
        return self._file.values.notice_acknowledged

    async def acknowledge(self) -> None:
        """The safety notice was read."""
        await self._file.save({"notice_acknowledged": True})

    async def reset(self) -> None:
        await self.session.reset()
        self._introduce()

    async def rehearse(self, *, on: bool) -> None:
        """The virtual computer takes the place of the person's own, or gives it back. What was
        said of the one means nothing to the other, so the chat begins anew.
        """
        if self._only_virtual:
            raise Busy("This service was started with the virtual computer only.")
        async with self._changing:
            if on != self.demo:
                await self._go_to("Another computer was chosen.", virtual=on)
                await self.reset()

    async def _go_to(self, reason: str, *, virtual: bool) -> None:
        """What is known of one computer's keyboard and screen does not hold for another."""
        await self.session.pause(reason)
        await self._console.change(await asyncio.to_thread(VirtualComputer) if virtual else None)
        self.approvals.forget()
        self.vault.withheld = False

    def settings(self) -> dict[str, Any]:
        return form.described(self._file, parts.dialect_name(self._file.values))

    async def change(self, settings: dict[str, Any]) -> None:
        changes = form.changes(settings)
        before = self._file.values
        parts.check(changes, self._file.proposed(changes))
        if changes.get("initial_prompt", before.initial_prompt) != before.initial_prompt:
            changes["initial_prompt_base"] = prompting.version(parts.our_prompt(before))
        await self._file.save(changes)
        await self.helm.let_go()  # it may no longer be allowed, or mean something else
        after = self._file.values
        self.log.append("settings", changed=sorted(changes))
        if before.api_key.get_secret_value() and not after.api_key.get_secret_value():
            self._note("info", "The API key was removed: it belonged to the server set before.")
        if parts.kvm_target(after) != parts.kvm_target(before):
            async with self._changing:
                if not self.demo:
                    await self._go_to("Another KVM was chosen.", virtual=False)
        if (
            parts.model_choice(before) != parts.model_choice(after)
            and self.session.status != "running"
        ):
            self._retire()
        if parts.model_words(before) != parts.model_words(after):
            self._introduce()
        await self._nearby.rest()

    async def work(self, goal: str, *, as_json: bool) -> int:
        """The headless job; returns its exit code."""
        self.approvals.present = False
        await self.open()
        _cancel_on_signals()
        try:
            return await headless.run(self.session, self.log, goal, as_json=as_json)
        finally:
            await self.close()

    async def calibrate(self, what: str) -> str:
        """See `Console.calibrate`."""
        await self.open()
        _cancel_on_signals()
        try:
            return await self._console.calibrate(what)
        finally:
            await self.close()

    def lend(self, ask: Callable[[str], Awaitable[bool | None]]) -> Lent:
        """Eyes and hands for somebody else's model, with its own way to ask the person."""
        self.approvals.present = False
        self.approvals.elsewhere = ask
        screen = Veil(self.screen, lambda: self.vault.withheld)
        return Lent(screen, self._hands(), self.approvals)

    def _introduce(self) -> None:
        words = parts.model_words(self._file.values)
        status = self.session.status
        screen = self.screen.status.as_json()
        now: dict[str, Any] = {
            "model": words,
            "screen": screen,
            "status": status,
            "reach": self._console.why_not,
            "rehearsal": self.demo and not self._only_virtual,
        }
        self.log.append("session_started", demo=self.demo, **now)
        if self._file.warning:
            self._note("warning", self._file.warning)
        if parts.outdated(self._file.values):
            self._note("info", OUTDATED)

    def _note(self, level: str, text: str) -> None:
        self.log.append("log", level=level, text=text)

    def _cannot_record(self, why: str) -> None:
        """Who does not look at the Log has to know it too."""
        self.log.append("log", level="warning", text=why, aloud=True)

    def _hands(self) -> SecretHands:
        """For a run, or for the person: with the computer as it is described now."""
        if self._changing.locked():
            raise Busy(CHANGING)
        self._console.aim()
        return SecretHands(self._console.powered(), self.vault)

    def _make_agent(self) -> Agent:
        values = self._file.values
        dialect = dialects.create(parts.dialect_name(values))
        self.screen.fit = parts.fit(dialect, values.screenshot_width)
        hands = self._hands()
        self._nearby.wake()
        return Agent(
            Veil(self.screen, lambda: self.vault.withheld),
            self._model_for(values, dialect),
            dialect,
            hands,
            self.log,
            gate=self.approvals,
            prompt=parts.prompt(values),
            keep=values.img_keep_n,
            budget=parts.budget(values),
            craft=parts.craft(values),
            other_mouse=self._console.other_mouse if values.gate != "always" else None,
            read=self._nearby.whole if values.api_type != "local" else None,
        )

    async def _drop_model(self) -> None:
        self._retire()
        if self._leaving:
            await asyncio.wait(self._leaving)

    def _retire(self) -> None:
        """Nobody uses it any more: who would has been cancelled before another one is asked for."""
        if self._model is not None:
            leaving = asyncio.ensure_future(self._model[1].aclose())
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
            self._model = None

    def _model_for(self, values: Settings, dialect: Dialect) -> Model:
        """The same one as long as the choice is the same: it keeps connections and caches."""
        choice = parts.model_choice(values)
        if self._model is None or self._model[0] != choice:
            self._retire()
            self._model = (choice, parts.model(values, dialect, self.log))
        return self._model[1]

    def _subject(self) -> Subject:
        return parts.subject(self._file.values, self._console.size, self.log)


async def check(values: Settings, file: Path | None) -> int:
    """The model check-up without a page; returns its exit code. `file`: where the JSON goes."""
    from .checkup import terminal
    from .checkup.run import Checkup

    log = EventLog()
    _cancel_on_signals()
    checkup = Checkup(parts.subject(values, RECOMMENDED_SCREEN, log), log, VirtualComputer, seed=1)
    return await terminal.run(checkup, log, file)


def _cancel_on_signals() -> None:
    run = asyncio.current_task()
    assert run is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        asyncio.get_running_loop().add_signal_handler(number, run.cancel)
