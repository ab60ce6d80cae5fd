"""A reply as families read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..types import ToolCall
from .coordinates import CoordinateSpace


class ReceivedReply(NamedTuple):
    """A reply without its reasoning, and the space of its coordinates."""

    text: str
    calls: Sequence[ToolCall]
    space: CoordinateSpace
