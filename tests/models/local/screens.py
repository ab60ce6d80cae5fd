"""Screens as the reader would report them, without pictures: fast, and exact to the pixel."""

from __future__ import annotations

from collections.abc import Sequence

from cua.models.local.chat_history import read_chat
from cua.models.local.decide import decide
from cua.screen.ocr.layout import ScreenLayout
from cua.types import ChatMessage, Frame

WIDTH, HEIGHT = 1280, 720
LETTER = 9
Rect = tuple[int, int, int, int]
Text = tuple[str, int, int]


def look(
    texts: Sequence[Text] = (), boxes: Sequence[Rect] = (), pictures: Sequence[Rect] = ()
) -> ScreenLayout:
    """Each text with the left and top of its line, which is 24 high."""
    lines = [(text, _rect(text, x, y), _places(text, x)) for text, x, y in texts]
    read = {"lines": lines, "boxes": [(0, 0, WIDTH, HEIGHT), *boxes], "pictures": list(pictures)}
    return ScreenLayout.of(read, WIDTH, HEIGHT)


def _rect(text: str, x: int, y: int) -> Rect:
    return x, y, x + LETTER * len(text), y + 24


def _places(text: str, x: int) -> list[int]:
    return [x + LETTER * i + LETTER // 2 for i, letter in enumerate(text) if letter != " "]


def button(text: str, x: int, y: int) -> tuple[Text, Rect]:
    """A text with a button around it."""
    return (text, x, y), (x - 20, y - 8, x + LETTER * len(text) + 20, y + 32)


def frame(number: int) -> Frame:
    """Stands for one screenshot: frames are told apart by their bytes."""
    return Frame(b"picture %d" % number, WIDTH, HEIGHT, number, float(number))


def chat(task: str, *turns: str) -> list[ChatMessage]:
    """The task, then replies and the feedback with the next screenshot, in turn."""
    messages = [ChatMessage("system", ("prompt",)), ChatMessage("user", (task, frame(0)))]
    for number, words in enumerate(turns, 1):
        if number % 2:
            messages.append(ChatMessage("assistant", (words,)))
        else:
            messages.append(ChatMessage("user", (words, frame(number // 2))))
    return messages


def reply(screen: ScreenLayout, task: str, *turns: str, before: ScreenLayout | None = None) -> str:
    """Return the operator's reply to this screen after these turns."""
    return decide(read_chat(chat(task, *turns)), screen, before).text


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def at(x: int, y: int) -> str:
    """A place in pixels as a command says it."""
    return f"{x / WIDTH:.4f} {y / HEIGHT:.4f}"
