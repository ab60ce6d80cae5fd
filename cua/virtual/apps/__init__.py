"""The programs of the virtual computer, by the name under their icon."""

from __future__ import annotations

from ..window import Program
from .browser import Browser
from .files import Files
from .network import Network
from .notepad import Notepad
from .terminal import Terminal
from .update import Update
from .viewer import Viewer

PROGRAMS: dict[str, type[Program]] = {
    program.name: program
    for program in (Notepad, Network, Files, Browser, Terminal, Viewer, Update)
}
