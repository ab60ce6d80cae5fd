"""Xvfb with a window manager, and its framebuffer as a video signal."""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
import subprocess
import time
from pathlib import Path

from PIL import Image

OPENBOX = """<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><focusLast>yes</focusLast></focus>
  <desktops><number>1</number></desktops>
  <keyboard>
    <keybind key="A-F4"><action name="Close"/></keybind>
    <keybind key="A-Tab"><action name="NextWindow"/></keybind>
  </keyboard>
  <mouse>
    <context name="Titlebar">
      <mousebind button="Left" action="Drag"><action name="Move"/></mousebind>
      <mousebind button="Left" action="DoubleClick"><action name="ToggleMaximize"/></mousebind>
    </context>
    <context name="Client">
      <mousebind button="Left" action="Press">
        <action name="Focus"/><action name="Raise"/>
      </mousebind>
    </context>
  </mouse>
</openbox_config>
"""
START_TIMEOUT_S = 20.0


class XServer:
    """`display`: its name; `framebuffer`: the file with its pixels.

    Raises `RuntimeError` if the window manager does not start.
    """

    def __init__(self, folder: Path, size: tuple[int, int]) -> None:
        pixels, self.home = folder / "pixels", folder / "home"
        for each in (pixels, self.home):
            each.mkdir(parents=True)
        read, write = os.pipe()
        width, height = size
        self._processes = [
            subprocess.Popen(  # noqa: S603 - our own arguments
                [
                    *("Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24"),
                    *("-nolisten", "tcp", "-noreset", "-fbdir", str(pixels)),
                    # On a busy machine a release may come late: the key must not repeat.
                    *("-ardelay", "5000"),
                ],
                pass_fds=[write],
                stderr=subprocess.DEVNULL,
            )
        ]
        os.close(write)
        with os.fdopen(read) as number:
            self.display = f":{number.readline().strip()}"
        self.framebuffer = pixels / "Xvfb_screen0"
        settings = folder / "openbox.xml"
        settings.write_text(OPENBOX)
        manager = self.run("openbox", "--config-file", str(settings))
        try:
            _wait_for_manager(self.display, manager)
        except BaseException:
            self.stop()
            raise

    def run(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a program on this display; `stop` ends it."""
        environ = {
            "PATH": os.environ["PATH"],
            "DISPLAY": self.display,
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.home.parent),
            "LANG": "C.UTF-8",
            "NO_AT_BRIDGE": "1",
        }
        process = subprocess.Popen(  # noqa: S603 - known programs, our own arguments
            command,
            env=environ,
            cwd=self.home,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._processes.append(process)
        return process

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for_manager(display: str, manager: subprocess.Popen[bytes]) -> None:
    """Wait for the window manager, which may miss a window that opens while it starts."""
    from Xlib import X
    from Xlib.display import Display

    with contextlib.closing(Display(display)) as x:
        rules = x.intern_atom("_NET_SUPPORTING_WM_CHECK")
        until = time.monotonic() + START_TIMEOUT_S
        while not x.screen().root.get_full_property(rules, X.AnyPropertyType):
            if manager.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"openbox does not manage the windows of {display}")
            time.sleep(0.02)


class Camera:
    """Reads the pixels of `file`, an X window dump that the X server updates, with the pointer."""

    def __init__(self, file: Path) -> None:
        with file.open("rb") as pixels:
            self._map = mmap.mmap(pixels.fileno(), 0, prot=mmap.PROT_READ)
        head = struct.unpack(">25I", self._map[:100])
        self.size = (head[4], head[5])
        self._stride, self._begin = head[12], head[0] + 12 * head[19]
        self._last = b""

    def look(self) -> Image.Image | None:
        """Return the picture, or None if it has not changed."""
        pixels = self._map[self._begin : self._begin + self._stride * self.size[1]]
        if pixels == self._last:
            return None
        self._last = pixels
        return Image.frombuffer("RGB", self.size, pixels, "raw", "BGRX", self._stride, 1)
