"""A desk without a screen to see: X, a window manager, D-Bus, AT-SPI, Orca and a Chromium."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from cua.evaluation.desktop.camera import Camera
from cua.evaluation.desktop.xserver import XServer
from tests.support.browser import CHROMIUM

from .voice import Voice

NEEDED = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "chromium": "chromium",
    "dbus-daemon": "dbus",
    "orca": "orca python3-speechd",
}
STARTING = 30.0
"""Seconds that Orca may take; now and then it starts and says nothing, and is begun anew."""
TRIES = 4
SIZE = (1280, 900)


FAR = 40
"""Most presses of Tab."""


class Silence(AssertionError):
    """It was not said."""


def missing() -> str:
    """What to do first, "" if all is there."""
    packages = [package for program, package in NEEDED.items() if not shutil.which(program)]
    commands = [f"apt-get install {' '.join(packages)}"] if packages else []
    if not find_spec("Xlib"):
        commands.append("pip install -e '.[desktop]'")
    return "; ".join(commands)


class Room:
    """One Orca, which listens to what is on the display."""

    def __init__(self, folder: Path) -> None:
        self.voice = Voice(folder / "voice")
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
        with contextlib.suppress(Silence):
            until("Orca's first words", lambda: bool(self.voice.heard), STARTING)
        return bool(self.voice.heard)

    async def look(self) -> bytes:
        """What a sighted person would have seen."""
        camera = Camera(self._x.framebuffer)
        beat = asyncio.create_task(camera.run())
        seen = await camera.next()
        beat.cancel()
        return seen

    def run(self, *command: str) -> subprocess.Popen[bytes]:
        own = [f"{name}={value}" for name, value in self._own.items()]
        return self._x.run("env", "-u", "NO_AT_BRIDGE", *own, *command)

    def close(self) -> None:
        self._x.stop()
        self.voice.close()


def until(what: str, true: Callable[[], bool], seconds: float) -> None:
    late = time.monotonic() + seconds
    while not true():
        if time.monotonic() > late:
            raise Silence(f"{what} did not come within {seconds:g} s")
        time.sleep(0.05)


def _begun(folder: Path) -> Room:
    for number in range(TRIES):
        (folder / str(number)).mkdir()
        made = Room(folder / str(number))
        if made.speaks():
            return made
        made.close()
    raise Silence(f"Orca was started {TRIES} times and did not say a word")


@contextlib.contextmanager
def room(folder: Path) -> Iterator[Room]:
    made = _begun(folder)
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
        self._strike(codes)

    def write(self, text: str) -> None:
        for letter in text:
            [(code, level), *_] = sorted(
                self._x.keysym_to_keycodes(ord(letter)), key=lambda c: c[1]
            )
            shift = self._x.keysym_to_keycode(self._sym("Shift_L"))
            self._strike([shift, code] if level == 1 else [code])
            time.sleep(0.02)

    def _strike(self, codes: list[int]) -> None:
        from Xlib import X
        from Xlib.ext import xtest

        for code in codes:
            xtest.fake_input(self._x, X.KeyPress, code)
        for code in reversed(codes):
            xtest.fake_input(self._x, X.KeyRelease, code)
        self._x.sync()


class Listener:
    """Who sits before one page, with a keyboard and without eyes."""

    def __init__(self, room: Room, profile: Path, url: str) -> None:
        self._voice, self._keys = room.voice, Keys(room.display)
        self.since = len(self._voice.heard)
        root = ("--no-sandbox", "--test-type") if os.geteuid() == 0 else ()
        self._browser = room.run(
            str(CHROMIUM),
            *root,
            f"--user-data-dir={profile}",
            *("--no-first-run", "--no-default-browser-check", "--password-store=basic"),
            *("--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"),
            *("--disable-component-update", "--disable-sync", "--disable-infobars"),
            *("--disable-features=Translate,MediaRouter", "--lang=en"),
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
        """Each when the one before has been spoken of; "Escape Escape" at once."""
        self.since = len(self._voice.heard)
        for chord in chords:
            for each in chord.split():
                self._keys.press(each)
            self.rest(0.5)

    def write(self, text: str) -> None:
        self.since = len(self._voice.heard)
        self._keys.write(text)
        self.rest(0.3)

    def reach(self, name: str, key: str = "Tab") -> list[str]:
        """To what is called so, with that key."""
        heard: list[str] = []
        for _ in range(FAR):
            if any(name in each for each in self.heard()):
                break
            self.press(key)
            heard += self.heard()
        else:
            raise Silence(f"no {name!r} in {heard}")
        return [each for each in heard if name in each]

    def spoken(self, words: str) -> Callable[[], bool]:
        return lambda: any(words in each for each in self.heard())

    def rest(self, seconds: float = 0.8) -> None:
        time.sleep(seconds)
        until("a silence", lambda: self._voice.quiet(seconds), 60)

    def heard(self) -> list[str]:
        return self._voice.heard[self.since :]

    def hears(self, *words: str, within: float = 20) -> list[str]:
        """All that was said since the last key, as soon as each of the words is among it."""

        def said() -> bool:
            return all(any(word in each for each in self.heard()) for word in words)

        try:
            until("", said, within)
        except Silence:
            lacking = [word for word in words if not any(word in each for each in self.heard())]
            raise Silence(f"{lacking} not in {self.heard()}") from None
        self.rest()
        return self.heard()
