"""The texts, pictures and calls of a conversation, as the requests of all providers need them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from cua.dialects import tool_calls
from cua.settings import RECOMMENDED_SCREEN
from cua.types import ChatMessage, Frame, ToolCall

_Block = TypeVar("_Block")


def as_text(part: str | ToolCall) -> str:
    """Return a part as text, for servers that support no calls in a conversation."""
    if isinstance(part, str):
        return part
    return tool_calls.format_call(part.name, json.dumps(part.arguments, ensure_ascii=False))


def as_base64(frame: Frame) -> str:
    return base64.b64encode(frame.jpeg).decode()


def as_data_url(frame: Frame) -> str:
    return f"data:image/jpeg;base64,{as_base64(frame)}"


def build_content(
    message: ChatMessage, text: Callable[[str], _Block], image: Callable[[Frame], _Block]
) -> list[_Block]:
    """Return texts and images in order, without screenshots; calls as text."""
    parts = [part for part in message.parts if not isinstance(part, Frame) or part.name]
    return [image(part) if isinstance(part, Frame) else text(as_text(part)) for part in parts]


def find_texts(message: ChatMessage) -> list[str]:
    """Return the texts of a message; calls as text."""
    return [as_text(part) for part in message.texts_and_calls]


def split_system(messages: Sequence[ChatMessage]) -> tuple[list[str], list[ChatMessage]]:
    """Return the system's texts, and the other messages."""
    system = [text for each in messages if each.role == "system" for text in find_texts(each)]
    return system, [each for each in messages if each.role != "system"]


def find_screen_size(messages: Sequence[ChatMessage]) -> tuple[int, int]:
    """Return width and height of the last screenshot that is not zoomed."""
    found = [frame for message in messages for frame in message.screenshots if not frame.area]
    return (found[-1].width, found[-1].height) if found else RECOMMENDED_SCREEN
