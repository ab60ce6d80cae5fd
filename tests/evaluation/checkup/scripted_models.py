"""Models that see perfectly and answer in a way of their own: what a check-up has to find out.

They find the target and the size of the screenshot in the picture itself, as a real one does.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from PIL import Image

from cua.dialects import prompting
from cua.evaluation.checkup.skills import SENTENCE, build_scenario
from cua.screen.image import jpeg_size
from cua.types import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Keypress,
    Point,
    Scroll,
    Type,
)
from tests.dialects import writers
from tests.dialects.writers import Writer

Size = tuple[int, int]
Counting = Callable[[Size], tuple[float, float]]
"""The size of the screenshot as it came -> what the model counts to at the right and the bottom."""

SEED, SCREEN = 7, (1280, 720)


def with_done(writer: Writer) -> Writer:
    """A language in which a task ends by saying so."""
    return lambda action, place: (
        "DONE: it is" if isinstance(action, Done) else writer(action, place)
    )


STEP = writers.step("action", "kind")
WRITERS: dict[str, Writer] = {
    "kvm": writers.kvm,
    "json": STEP,
    "qwen3_vl": writers.qwen_json,
    "qwen25_vl": writers.qwen_json,
    "gui_owl": writers.qwen_json,
    "qwen35": writers.qwen_tags,
    "ui_tars": writers.ui_tars,
    "ui_tars_15": writers.ui_tars,
    "glm_v": writers.glm,
    "kimi": writers.code,
    "opencua": writers.code,
    "holo3": writers.step("tool_call", "tool_name"),
    "holo15": writers.step("action", "action"),
    "openai_computer": with_done(writers.openai),
    "claude": with_done(writers.claude),
    "gemini": with_done(writers.gemini),
}


class Seer:
    """A script for `OpenAIServer`. `writer`: its own language; None: it follows its prompt.

    `also` is added to every reply.
    """

    def __init__(
        self,
        counting: Counting,
        writer: Writer | None = None,
        *,
        screen: Size = SCREEN,
        **also: Any,
    ) -> None:
        self.counting, self.writer, self.screen = counting, writer, screen
        self.also = also

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        system, first = body["messages"][0]["content"], body["messages"][1]["content"]
        goal = "\n".join(part["text"] for part in first if part["type"] == "text")
        jpeg = picture(body)
        full = self.counting(size(jpeg))
        writer = self.writer or WRITERS[find_dialect(system)]

        def place(at: Point) -> list[float]:
            return [_number(at.x, full[0]), _number(at.y, full[1])]

        return {"text": writer(self.action(goal, jpeg), place), **self.also}

    def action(self, goal: str, jpeg: bytes) -> Action:
        if goal.startswith("Click"):
            return Click(at=self.see(jpeg))
        return next(act for begins, act in _acts(self.screen).items() if begins in goal)

    def see(self, jpeg: bytes) -> Point:
        return find_target(jpeg)


@lru_cache(300)
def find_target(jpeg: bytes) -> Point:
    """Return the middle of the one orange thing on the picture. Many tests show the same ones."""
    redder = Image.open(io.BytesIO(jpeg)).convert("L", (1, 0, -1, 0))  # than blue
    box = redder.point(lambda more: more > 150).getbbox()
    assert box
    return Point(x=(box[0] + box[2]) / 2 / redder.width, y=(box[1] + box[3]) / 2 / redder.height)


def _acts(screen: Size) -> dict[str, Action]:
    rects = {each["program"]: each["rect"] for each in build_scenario(screen)["open"]}
    (x, y, w, _), (bx, by, bw, bh) = rects["Notepad"], rects["Browser"]
    title = Point(x=(x + w / 3) / screen[0], y=(y + 20) / screen[1])
    page = Point(x=(bx + bw / 2) / screen[0], y=(by + bh * 0.7) / screen[1])
    return {
        "There is nothing to do": Done(),
        "Type": Type(text=SENTENCE),
        "Press CTRL+A": Keypress(keys=("CTRL", "A")),
        "Scroll down": Scroll(at=page, dy=8),
        "Drag": Drag(path=(title, Point(x=title.x, y=0.8))),
        "Ask": Ask(question="Which printer?"),
    }


def picture(body: dict[str, Any]) -> bytes:
    """The newest screenshot of a request."""
    parts = [part for message in body["messages"][1:] for part in message["content"]]
    urls = [
        part["image_url"]["url"] for part in parts if isinstance(part, dict) and "image_url" in part
    ]
    return base64.b64decode(urls[-1].partition(",")[2])


def size(jpeg: bytes) -> Size:
    found = jpeg_size(jpeg)
    assert found
    return found


@cache
def _beginnings() -> dict[str, str]:
    """The prompt of each dialect without the size of the screenshot."""
    return {name: _plain(prompting.default_prompt(name)) for name in WRITERS}


def _plain(prompt: str) -> str:
    return re.sub(r"\{width\}|\{height\}|\d+", "#", prompt)


def find_dialect(system: str) -> str:
    """The dialect whose prompt this is."""
    return next(name for name, prompt in _beginnings().items() if prompt == _plain(system))


def _number(part: float, full: float) -> float:
    return round(part, 4) if full == 1 else round(part * full)


# --- ways of counting -----------------------------------------------------------------------------


def fractions(_: Size) -> tuple[float, float]:
    return 1, 1


def thousandths(_: Size) -> tuple[float, float]:
    return 1000, 1000


def pixels(sent: Size) -> tuple[float, float]:
    return sent
