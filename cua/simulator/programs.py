"""The programs of the virtual computer, by the name under their icon."""

from __future__ import annotations

from .apps.browser import Browser
from .apps.files import Files
from .apps.network import Network
from .apps.notepad import Notepad
from .apps.terminal import Terminal
from .apps.update import Update
from .apps.viewer import Viewer
from .window_manager import App

PROGRAMS: dict[str, type[App]] = {
    program.name: program
    for program in (Notepad, Network, Files, Browser, Terminal, Viewer, Update)
}
