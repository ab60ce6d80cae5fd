"""The real desktop behind a KVM: `python -m cua.evaluation.desktop.computer --dir DIR`.

It has the same interface as `cua.simulator`: FIFOs hidg0..2 in DIR, one line of JSON with the
addresses of the stream and the state, and it ends with its standard input.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import Any

from ...simulator.__main__ import parse_arguments, serve
from ...simulator.fifos import Fifos
from ...simulator.scenario import Scenario
from ...simulator.server import VideoSource
from .pages import Pages
from .programs import start
from .state import DesktopState
from .usb_to_x import UsbToX
from .xserver import Camera, XServer

START_TIMEOUT_S = 90.0
"""Time for all programs together."""


async def run(options: argparse.Namespace) -> None:
    fifos = Fifos(options.dir)
    x, pages = XServer(options.dir / "x", options.size), Pages()
    try:
        camera, host = Camera(x.framebuffer), UsbToX(x.display)
        state = DesktopState(x.display, x.home, pages)
        fifos.connect(host.report)
        await _open_programs(x, options.scenario, state)
        await serve(VideoSource(camera.look, quality=85), state, fifos)
    finally:
        fifos.close()
        pages.stop()
        x.stop()


async def _open_programs(x: XServer, scenario: Scenario, state: DesktopState) -> None:
    """Write the files, then start the programs in turn, so that the last one is in front.

    Raises `RuntimeError` if one does not start.
    """
    for path, text in scenario.files.items():
        file = x.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    until = time.monotonic() + START_TIMEOUT_S
    for what in scenario.open:
        process = start(x, what, state.pages.address)
        while not _is_there(state(), what):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{what['program']} did not come up")
            await asyncio.sleep(0.1)


def _is_there(state: dict[str, Any], what: dict[str, Any]) -> bool:
    shown = any(each["program"] == what["program"] and each["active"] for each in state["windows"])
    return shown and (what["program"] != "Browser" or "page" in state["page"])


def main() -> None:
    asyncio.run(run(parse_arguments()))


if __name__ == "__main__":
    main()
