"""Memory of the service, and how many modules it has, from its start to the end of a first task."""

from __future__ import annotations

import asyncio
import contextlib
import re
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from cua.screen.stream import frames
from tests.page_client import page
from tests.servers.openai_server import OpenAIServer

from .meter import memory
from .preview import preview
from .rows import Row
from .stage import Service, camera, service, settings, usb_host, vendors_service

SCRIPT = [
    {"text": "# A desktop.\nmouse 0.25 0.5 1"},
    {"text": "typestr hello\nkeyboard ENTER"},
    {"text": "Done"},
]
STAGES = ("start", "page open", "first task")
LOCAL = {"rapidocr", "onnxruntime", "numpy", "cv2"}


class Size(NamedTuple):
    """Memory in MiB, and the number of modules."""

    pss: float
    rss: float
    modules: int


async def rows(folder: Path) -> list[Row]:
    with camera("--stamped") as url, usb_host(folder):
        async with OpenAIServer(SCRIPT) as model:
            ours = await _ours(folder, settings(folder, url, model.base_url))
        async with OpenAIServer([{"text": "Done"}]) as model:
            with vendors_service(url) as started:
                theirs = await _theirs(started, model.base_url)
    return [_row(*each) for each in zip(STAGES, ours, theirs, strict=True)]


def _row(stage: str, ours: Size, theirs: Size) -> Row:
    what = f"PSS; RSS {ours.rss:.1f}/{theirs.rss:.1f}; {ours.modules}/{theirs.modules} modules"
    wanted = "<= 80" if stage == STAGES[-1] else ""
    return Row(f"memory: {stage}", "MiB", [ours.pss], [theirs.pss], what, wanted)


async def _ours(folder: Path, environ: dict[str, str]) -> list[Size]:
    imports = folder / "imports.txt"
    with imports.open("w") as errors, service(environ, "-X", "importtime", stderr=errors) as ours:

        async def size() -> Size:
            await asyncio.sleep(1.0)
            return Size(*memory(ours.pid), len(_imported(imports)))

        found = [await size()]
        async with page(ours.origin) as person:
            await person.get("/")
            await person.until("screen", state="live")
            await _watched(preview(ours.origin, person.token))
            found.append(await size())
            await person.post("/api/send", text="go")
            await person.until("status", status="done")
            found.append(await size())
        assert not LOCAL & _imported(imports), "what is not needed was imported"
    return found


def _imported(imports: Path) -> set[str]:
    """The names in what `-X importtime` says."""
    return set(re.findall(r"^import time:.*\| +([\w.]+)$", imports.read_text(), re.MULTILINE))


async def _theirs(started: Service, model: str) -> list[Size]:
    async def size() -> Size:
        modules = int(await asyncio.to_thread(_get, f"{started.origin}/modules"))
        return Size(*memory(started.pid), modules)

    found = [await size()]
    await asyncio.to_thread(_get, started.origin)
    await _watched(frames(f"{started.origin}/relay"))
    found.append(await size())
    query = urllib.parse.urlencode({"model": model})
    await asyncio.to_thread(_get, f"{started.origin}/task?{query}")
    found.append(await size())
    return found


async def _watched(pictures: AsyncIterator[bytes]) -> None:
    """Look at a stream for a moment."""
    async with contextlib.aclosing(pictures):  # type: ignore[type-var]
        for _ in range(30):
            await anext(pictures)


def _get(url: str) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=30) as answer:
        return str(answer.read().decode())
