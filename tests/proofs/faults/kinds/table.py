"""All kinds."""

from __future__ import annotations

from .devices import DEVICES
from .files import FILES
from .model import REFUSALS, REPLIES
from .pages import PAGES
from .processes import PROCESSES
from .stream import STREAMS

KINDS = [*REFUSALS, *REPLIES, *STREAMS, *DEVICES, *FILES, *PROCESSES, *PAGES]
