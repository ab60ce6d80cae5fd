"""The composition root: settings -> parts -> a running service. The only file that names concrete
classes, and the only one that reads the settings; parts get plain values.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from . import dialects, headless, models
from .agent import Agent
from .checkup.service import Checkups
from .checkup.subject import Manner, Subject
from .demo import VirtualComputer
from .desk import Desk
from .events import EventLog
from .hid import Hands
from .hid.gadget import Gadget
from .lobby import Lobby
from .screen import MjpegScreen
from .session import Session
from .settings import CHOICES, EDITABLE, BadSettings, Settings, SettingsFile
from .types import CuaError, Dialect, Model

if TYPE_CHECKING:
    from .evaluation.run import Pilot

USUAL = (1280, 720)
"""Pixels of the screens that a model is checked on where no computer's own size is known."""


class Machine:
    """One computer behind one KVM, and everything that is put together to work on it."""

    def __init__(self, file: SettingsFile, virtual: VirtualComputer | None = None) -> None:
        self.log = EventLog()
        self.demo = virtual is not None
        self._file = file
        self._virtual = virtual
        self._device = Gadget(file.values.hid_prefix, self._touched)
        self._hands = Hands(self._device)
        self.screen = MjpegScreen(file.values.stream_url, self.log)
        self.session = Session(self.log, self._make_agent)
        self.checkup = Checkups(
            self.log, self._subject, VirtualComputer, lambda: self.session.status == "running"
        )
        self._model: tuple[Settings, Model] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._halting: asyncio.Future[None] | None = None

    @property
    def grace(self) -> float:
        """Seconds that the only page may be away."""
        return self._file.values.grace_seconds

    async def open(self) -> None:
        self._introduce()
        self._reader = asyncio.create_task(self._look())

    async def close(self) -> None:
        await self.session.pause("The service ends.")
        await self.checkup.stop()
        await self._stop_looking()
        await self._drop_model()
        self._device.close()
        if self._virtual:
            self._virtual.stop()

    def stop(self) -> None:
        """For a signal: returns at once, when the run has been cancelled."""
        self._halting = asyncio.ensure_future(self.session.stop("Stopped by a signal."))

    def _touched(self, endpoint: str) -> None:
        words = f"Somebody else used the {endpoint} (the KVM's own page?), so the run was paused."
        if self.session.status == "running":
            self._halting = asyncio.ensure_future(self.session.pause(words))

    def ready(self) -> bool:
        return self._file.values.notice_acknowledged

    async def reset(self) -> None:
        await self.session.reset()
        self._introduce()

    def settings(self) -> dict[str, Any]:
        values = self._file.values
        return {
            "values": values.model_dump(mode="json", include=set(EDITABLE)),
            "has_key": bool(values.api_key.get_secret_value()),
            "locked": self._file.locked,
            "choices": {
                "api_type": _choices(models.kinds()),
                "dialect": _dialect_choices(values),
                **{name: _choices(rows) for name, rows in CHOICES.items()},
            },
            "help": {
                name: Settings.model_fields[name].description for name in ("api_key", *EDITABLE)
            },
            "default_prompt": dialects.default_prompt(_dialect_name(values)),
            "notice_acknowledged": values.notice_acknowledged,
            "saved_to": str(self._file.path or "nowhere: they are forgotten when this ends"),
        }

    async def change(self, settings: dict[str, Any]) -> None:
        changes = {name: value for name, value in settings.items() if value is not None}
        if not changes.get("api_key"):
            changes.pop("api_key", None)
        if settings.get("api_key", "") is None:
            changes["api_key"] = ""
        known = [row["value"] for row in _dialect_choices(self._file.values)]
        if changes.get("dialect", "auto") not in known:
            raise BadSettings({"dialect": "there is no such dialect"})
        before = self._file.values
        self._file.update(changes)
        after = self._file.values
        if before.api_key.get_secret_value() and not after.api_key.get_secret_value():
            self._note("info", "The API key was removed: it belonged to the server set before.")
        if after.stream_url != before.stream_url:
            await self._look_elsewhere(after.stream_url)
        if self.session.status != "running":
            await self._drop_model()
        if _model_words(before) != _model_words(after):
            self._introduce()

    async def work(self, goal: str, *, as_json: bool) -> int:
        """The headless job; returns its exit code."""
        await self.open()
        _cancel_on_signals()
        try:
            return await headless.run(self.session, self.log, goal, as_json=as_json)
        finally:
            await self.close()

    def _introduce(self) -> None:
        words = _model_words(self._file.values)
        status = self.session.status
        screen = self.screen.status.as_json()
        self.log.append(
            "session_started", demo=self.demo, model=words, screen=screen, status=status
        )
        if self._file.warning:
            self._note("warning", self._file.warning)

    def _note(self, level: str, text: str) -> None:
        self.log.append("log", level=level, text=text)

    async def _look(self) -> None:
        try:
            if self._virtual:
                addresses = await self._virtual.addresses()
                self.screen.url = addresses["stream"]
                self._note(
                    "info", f"What the virtual computer is really like: {addresses['state']}"
                )
            self._device.release_everything()
        except CuaError as error:
            self._note("error", str(error))
        await self.screen.run()

    async def _look_elsewhere(self, url: str) -> None:
        await self._stop_looking()
        self.screen.url = url
        self._reader = asyncio.create_task(self.screen.run())

    async def _stop_looking(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.wait([self._reader])

    def _make_agent(self) -> Agent:
        values = self._file.values
        dialect = dialects.create(_dialect_name(values))
        self.screen.fit = _fit(dialect, values.screenshot_width)
        return Agent(
            self.screen,
            self._model_for(values, dialect),
            dialect,
            self._hands,
            self.log,
            prompt=values.initial_prompt or dialects.default_prompt(dialect.name),
            keep=values.img_keep_n,
            max_rounds=values.max_rounds,
        )

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
        status = self.screen.status
        screen = (status.width, status.height) if status.width else USUAL
        return _subject(self._file.values, screen, self.log)


async def check(values: Settings, file: Path | None) -> int:
    """The model check-up without a page; returns its exit code. `file`: where the JSON goes."""
    from .checkup import terminal
    from .checkup.run import Checkup

    log = EventLog()
    _cancel_on_signals()
    checkup = Checkup(_subject(values, USUAL, log), log, VirtualComputer, seed=1)
    return await terminal.run(checkup, log, file)


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
        prompt=values.initial_prompt,
        keep=values.img_keep_n,
        close=model.aclose,
    )


def _cancel_on_signals() -> None:
    run = asyncio.current_task()
    assert run is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        asyncio.get_running_loop().add_signal_handler(number, run.cancel)


async def serve(
    machine: Machine, desk: Desk, listener: socket.socket, lobby: Lobby | None = None
) -> None:
    """The service on a listening socket, until it is told to end or the desk is vacated.

    `lobby` has answered the socket so far; those who wait in it are taken over.
    """
    import uvicorn

    from . import web

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            waiting = lobby.close() if lobby else []
            await super().startup(sockets)
            for visitor in waiting:
                await asyncio.get_running_loop().connect_accepted_socket(self._protocol, visitor)

        def _protocol(self) -> asyncio.Protocol:
            state = {"server_state": self.server_state, "app_state": self.lifespan.state}
            made: asyncio.Protocol = config.http_protocol_class(config=config, **state)  # type: ignore[call-arg]
            return made

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await machine.close()
            desk.close()  # uvicorn waits for the pages' sockets to end
            await super().shutdown(sockets)

    config = uvicorn.Config(
        web.create(machine, desk),
        ws="websockets-sansio",
        ws_max_size=64 * 1024,
        ws_per_message_deflate=False,  # JPEGs do not shrink
        ws_ping_interval=5.0,
        ws_ping_timeout=5.0,
        limit_concurrency=64,
        timeout_graceful_shutdown=1,
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
    )
    server = Server(config)
    await machine.open()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, machine.stop)
    watch = asyncio.create_task(_end_when(desk.vacated, server))
    try:
        await server.serve([listener])
    finally:
        watch.cancel()


async def _end_when(vacated: asyncio.Event, server: Any) -> None:
    await vacated.wait()
    server.should_exit = True


def _model(values: Settings, dialect: Dialect, log: EventLog) -> Model:
    return models.create(
        values.api_type,
        base_url=values.base_url,
        api_key=values.api_key.get_secret_value(),
        model_name=values.model_name,
        dialect=dialect.name,
        sampling=dialect.sampling,
        notify=lambda words: log.append("log", level="warning", text=words),
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


def _model_words(values: Settings) -> str:
    if values.api_type == "local":
        return "Local operator: OCR and rules, no AI"
    host = urlsplit(values.base_url).netloc if values.base_url else values.api_type
    return f"{values.model_name} at {host}"


def _choices(rows: list[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [dict(zip(("value", "label", "help"), row, strict=True)) for row in rows]


def _dialect_choices(values: Settings) -> list[dict[str, str]]:
    rows = dialects.names()
    chosen = dialects.for_model(values.model_name) if values.api_type != "local" else "kvm"
    label = next(label for name, label, _ in rows if name == chosen)
    return _choices([("auto", "Automatic", f"By the model's name: {label}."), *rows])


async def run_service(
    machine: Machine, listener: socket.socket, lobby: Lobby, *, exclusive: bool
) -> None:
    desk = Desk(machine.session, exclusive=exclusive, grace=machine.grace)
    await serve(machine, desk, listener, lobby)
