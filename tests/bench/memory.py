"""Memory of the service, and how many modules it has, from its start to the end of a first task."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from tests.servers.openai_server import OpenAIServer
from tests.support.page_client import page

from .meter import memory
from .preview import preview
from .rows import Row
from .stage import camera, service, settings, until_ready, usb_host

SCRIPT = [
    {"text": "# A desktop.\nmouse 0.25 0.5 1"},
    {"text": "typestr hello\nkeyboard ENTER"},
    {"text": "Done"},
]
STAGES = ("start", "page open", "first task")
WANTED = ("<= 42", "", "<= 72")
LOCAL = {"rapidocr", "onnxruntime", "numpy", "cv2"}


class Size(NamedTuple):
    """Memory in MiB, and the number of modules."""

    pss: float
    rss: float
    modules: int


async def rows(folder: Path) -> list[Row]:
    with camera("--stamped") as url, usb_host(folder):
        async with OpenAIServer(SCRIPT) as model:
            sizes = await _sizes(folder, settings(folder, url, model.base_url))
    return [_row(*each) for each in zip(STAGES, sizes, WANTED, strict=True)]


def _row(stage: str, size: Size, wanted: str) -> Row:
    what = f"PSS; RSS {size.rss:.1f}; {size.modules} modules"
    return Row(f"memory: {stage}", "MiB", [size.pss], what, wanted)


async def _sizes(folder: Path, environ: dict[str, str]) -> list[Size]:
    imports = folder / "imports.txt"
    with imports.open("w") as errors, service(environ, "-X", "importtime", stderr=errors) as ours:

        async def size() -> Size:
            await asyncio.sleep(1.0)
            return Size(*memory(ours.pid), len(imported(imports)))

        await until_ready(ours.origin)
        found = [await size()]
        async with page(ours.origin) as person:
            await person.get("/api/settings")  # as the page does
            await person.until("screen", state="live")
            await _watched(preview(ours.origin, person.token))
            found.append(await size())
            await person.post("/api/send", text="go")
            await person.until("status", status="done")
            found.append(await size())
        assert not LOCAL & imported(imports), "what is not needed was imported"
    return found


def imported(imports: Path) -> set[str]:
    """The names in what `-X importtime` says."""
    return set(re.findall(r"^import time:.*\| +([\w.]+)$", imports.read_text(), re.MULTILINE))


async def _watched(pictures: AsyncIterator[bytes]) -> None:
    """Look at a stream for a moment."""
    async with contextlib.aclosing(pictures):  # type: ignore[type-var]
        for _ in range(30):
            await anext(pictures)
