"""The programs of the real desktop, from Debian."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec
from typing import Any

from .xserver import XServer

NEEDED = ("Xvfb", "openbox", "xterm", "chromium", "mousepad", "pcmanfm", "zenity")
TITLES = {
    "xterm": "Terminal", "chromium": "Browser", "mousepad": "Editor", "pcmanfm": "Files",
    "zenity": "Settings",
}  # fmt: skip
"""WM_CLASS -> the program's name in tasks."""


CHROMIUM_OPTIONS = (
    *("--no-first-run", "--no-default-browser-check", "--password-store=basic"),
    *("--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-infobars"),
    *("--disable-features=Translate,MediaRouter", "--lang=en"),
    *(("--no-sandbox", "--test-type") if os.geteuid() == 0 else ()),
)


def find_missing() -> list[str]:
    """Return the missing Debian packages, which have the names of their programs."""
    return [name.lower() for name in NEEDED if not shutil.which(name)]


def describe_missing() -> str:
    """Return a message about what to install, "" if nothing is missing."""
    commands = []
    if missing := find_missing():
        commands.append(f"apt-get install {' '.join(missing)}")
    if not find_spec("Xlib"):
        commands.append("pip install -e '.[desktop]'")
    return f"The real desktop needs more programs: {'; '.join(commands)}" if commands else ""


def start(x: XServer, what: dict[str, Any], pages: str) -> subprocess.Popen[bytes]:
    """Start a program. `what`: "program" (its name), "rect", and "file" or "page" to open."""
    left, top, width, height = what.get("rect", (60, 40, 900, 560))
    if what["program"] == "Terminal":
        font = ("-fa", "DejaVu Sans Mono", "-fs", "12")
        shape = f"{width // 10}x{height // 20}+{left}+{top}"
        return x.run("xterm", "-geometry", shape, *font, "-e", "env", "PS1=$ ", "sh")
    if what["program"] == "Editor":
        return x.run("mousepad", "--disable-server", *filter(None, [what.get("file")]))
    if what["program"] == "Files":
        return x.run("pcmanfm", "--no-desktop", str(x.home))
    if what["program"] == "Settings":
        form = "--title=Settings --text=Settings --add-entry=Server --add-entry=Port"
        return x.run("sh", "-c", f"zenity --forms {form} > settings.txt")
    return x.run(
        "chromium",
        f"--user-data-dir={x.home.parent / 'chromium'}",
        *CHROMIUM_OPTIONS,
        f"--window-position={left},{top}",
        f"--window-size={width},{height}",
        pages + what.get("page", "/form.html"),
    )
