"""An X display with a window manager, D-Bus, AT-SPI, Orca and a Chromium."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from cua.evaluation.desktop.programs import CHROMIUM_OPTIONS
from cua.evaluation.desktop.xserver import Camera, XServer
from cua.simulator.server import VideoSource
from tests.support.browser import CHROMIUM

from .speech import SpeechServer

NEEDED = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "chromium": "chromium",
    "dbus-daemon": "dbus",
    "orca": "orca python3-speechd",
}
START_TIMEOUT_S = 30.0
"""Now and then Orca starts and says nothing, and is started again."""
MAX_STARTS = 4
SIZE = (1280, 900)


MAX_TABS = 40


class NotSpoken(AssertionError):
    """What was expected was not spoken."""


def describe_missing() -> str:
    """Say what to install first, "" if nothing is missing."""
    packages = [package for program, package in NEEDED.items() if not shutil.which(program)]
    commands = [f"apt-get install {' '.join(packages)}"] if packages else []
    if not find_spec("Xlib"):
        commands.append("pip install -e '.[desktop]'")
    return "; ".join(commands)


class OrcaSession:
    """One display with an Orca."""

    def __init__(self, folder: Path) -> None:
        self.speech = SpeechServer(folder / "voice")
        self._x = XServer(folder / "x", SIZE)
        self.display = self._x.display
        self.home = self._x.home
        bus = folder / "bus"
        self._own = {
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={bus}",
            "SPEECHD_ADDRESS": f"unix_socket:{folder / 'voice'}",
            "GSETTINGS_BACKEND": "memory",
            "LANG": "C.UTF-8",
            "ACCESSIBILITY_ENABLED": "1",
        }
        self.run("dbus-daemon", "--session", "--nofork", f"--address=unix:path={bus}")
        until("the session bus", bus.exists, 20)
        self.debug = folder / "orca.log"
        self.run("orca", "--debug-file", str(self.debug))

    def speaks(self) -> bool:
        with contextlib.suppress(NotSpoken):
            until("Orca's first words", lambda: bool(self.speech.spoken), START_TIMEOUT_S)
        return bool(self.speech.spoken)

    async def look(self) -> bytes:
        """Return a screenshot of the display as JPEG."""
        camera = VideoSource(Camera(self._x.framebuffer).look)
        tick = asyncio.create_task(camera.run())
        seen = await camera.next()
        tick.cancel()
        return seen

    def run(self, *command: str) -> subprocess.Popen[bytes]:
        own = [f"{name}={value}" for name, value in self._own.items()]
        return self._x.run("env", "-u", "NO_AT_BRIDGE", *own, *command)

    def close(self) -> None:
        self._x.stop()
        self.speech.close()


def until(what: str, true: Callable[[], bool], seconds: float) -> None:
    late = time.monotonic() + seconds
    while not true():
        if time.monotonic() > late:
            raise NotSpoken(f"{what} did not come within {seconds:g} s")
        time.sleep(0.05)


def _start_session(folder: Path) -> OrcaSession:
    for number in range(MAX_STARTS):
        (folder / str(number)).mkdir()
        made = OrcaSession(folder / str(number))
        if made.speaks():
            return made
        made.close()
    raise NotSpoken(f"Orca was started {MAX_STARTS} times and did not say a word")


@contextlib.contextmanager
def open_session(folder: Path) -> Iterator[OrcaSession]:
    made = _start_session(folder)
    try:
        yield made
    finally:
        made.close()


class Keys:
    """A keyboard at an X display, with the places that its own map gives to the letters."""

    def __init__(self, display: str) -> None:
        from Xlib import XK
        from Xlib.display import Display

        self._x = Display(display)
        self._sym = XK.string_to_keysym

    def press(self, chord: str) -> None:
        """As "Tab", "ctrl+l" or "shift+Tab"."""
        *held, key = chord.split("+")
        names = {"ctrl": "Control_L", "shift": "Shift_L", "alt": "Alt_L"}
        codes = [self._x.keysym_to_keycode(self._sym(names[each])) for each in held]
        codes.append(self._x.keysym_to_keycode(self._sym(key)))
        self._press_keys(codes)

    def write(self, text: str) -> None:
        for letter in text:
            [(code, level), *_] = sorted(
                self._x.keysym_to_keycodes(ord(letter)), key=lambda c: c[1]
            )
            shift = self._x.keysym_to_keycode(self._sym("Shift_L"))
            self._press_keys([shift, code] if level == 1 else [code])
            time.sleep(0.02)

    def _press_keys(self, codes: list[int]) -> None:
        from Xlib import X
        from Xlib.ext import xtest

        for code in codes:
            xtest.fake_input(self._x, X.KeyPress, code)
        for code in reversed(codes):
            xtest.fake_input(self._x, X.KeyRelease, code)
        self._x.sync()


class Listener:
    """A user of one page with a keyboard and a screen reader."""

    def __init__(self, open_session: OrcaSession, profile: Path, url: str) -> None:
        self._voice, self._keys = open_session.speech, Keys(open_session.display)
        self.since = len(self._voice.spoken)
        self._browser = open_session.run(
            str(CHROMIUM),
            f"--user-data-dir={profile}",
            *CHROMIUM_OPTIONS,
            "--force-renderer-accessibility",
            f"--window-size={SIZE[0]},{SIZE[1]}",
            "--window-position=0,0",
            url,
        )

    def close(self) -> None:
        self._browser.terminate()
        try:
            self._browser.wait(10)
        except subprocess.TimeoutExpired:
            self._browser.kill()
            self._browser.wait()

    def press(self, *chords: str) -> None:
        """Press each when the one before has been spoken; "Escape Escape" at once."""
        self.since = len(self._voice.spoken)
        for chord in chords:
            for each in chord.split():
                self._keys.press(each)
            self.wait_for_silence(0.5)

    def write(self, text: str) -> None:
        self.since = len(self._voice.spoken)
        self._keys.write(text)
        self.wait_for_silence(0.3)

    def move_to(self, name: str, key: str = "Tab") -> list[str]:
        """Press the key until something with this name is spoken."""
        spoken: list[str] = []
        for _ in range(MAX_TABS):
            if any(name in each for each in self.spoken()):
                break
            self.press(key)
            spoken += self.spoken()
        else:
            raise NotSpoken(f"no {name!r} in {spoken}")
        return [each for each in spoken if name in each]

    def wait_for_silence(self, seconds: float = 0.8) -> None:
        time.sleep(seconds)
        until("a silence", lambda: self._voice.is_quiet(seconds), 60)

    def spoken(self) -> list[str]:
        return self._voice.spoken[self.since :]

    def wait_for(self, *words: str, within: float = 20) -> list[str]:
        """Return all that was spoken since the last key, once it contains each of the words."""

        def said() -> bool:
            return all(any(word in each for each in self.spoken()) for word in words)

        try:
            until("", said, within)
        except NotSpoken:
            lacking = [word for word in words if not any(word in each for each in self.spoken())]
            raise NotSpoken(f"{lacking} not in {self.spoken()}") from None
        self.wait_for_silence()
        return self.spoken()
