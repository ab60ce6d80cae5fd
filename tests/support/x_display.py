"""A connection to an X server."""

from __future__ import annotations

from Xlib.display import Display
from Xlib.protocol import display, event


def connect(name: str) -> Display:
    """Connect, with a table of events of its own.

    python-xlib has one for all servers of a process, where the same number is another event.
    """
    display.Display.event_classes = event.event_class.copy()
    connection = Display(name)
    connection.display.event_classes = display.Display.event_classes
    return connection
