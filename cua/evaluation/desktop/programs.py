"""The programs of the real desktop: Debian's, started as a person would find them."""

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
"""WM_CLASS -> what tasks call it."""


def missing() -> list[str]:
    """Debian's packages, named as their programs are, that have to be installed first."""
    return [name.lower() for name in NEEDED if not shutil.which(name)]


def wanted() -> str:
    """What to do first, "" if all is there."""
    commands = []
    if missing():
        commands.append(f"apt-get install {' '.join(missing())}")
    if not find_spec("Xlib"):
        commands.append("pip install -e '.[desktop]'")
    return f"The real desktop needs more programs: {'; '.join(commands)}" if commands else ""


def start(x: XServer, what: dict[str, Any], pages: str) -> subprocess.Popen[bytes]:
    """`what`: the "program" and its "rect"; "file" or "page" to open."""
    left, top, width, height = what.get("rect", (60, 40, 900, 560))
    place = f"{left},{top}"
    if what["program"] == "Terminal":
        font = ("-fa", "DejaVu Sans Mono", "-fs", "12")
        shape = f"{width // 10}x{height // 20}+{left}+{top}"
        return x.run("xterm", "-geometry", shape, *font, "-e", "env", "PS1=$ ", "sh")
    if what["program"] == "Editor":
        return x.run("mousepad", "--disable-server", *filter(None, [what.get("file")]))
    if what["program"] == "Files":
        return x.run("pcmanfm", "--no-desktop", str(x.home))
    if what["program"] == "Settings":
        fields = ("--add-entry=Server", "--add-entry=Port")
        script = (
            f"zenity --forms --title=Settings --text=Settings {' '.join(fields)} > settings.txt"
        )
        return x.run("sh", "-c", script)
    root = ("--no-sandbox", "--test-type") if os.geteuid() == 0 else ()
    return x.run(
        "chromium",
        *root,
        f"--user-data-dir={x.home.parent / 'chromium'}",
        *("--no-first-run", "--no-default-browser-check", "--password-store=basic"),
        *("--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"),
        *("--disable-component-update", "--disable-sync", "--disable-infobars"),
        *("--disable-features=Translate,MediaRouter", "--lang=en"),
        f"--window-position={place}",
        f"--window-size={width},{height}",
        pages + what.get("page", "/form.html"),
    )
