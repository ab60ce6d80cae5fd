"""`python -m cua.simulator --dir DIR`: the simulated computer as a process.

When ready, it prints one line of JSON, {"stream": url, "state": url}. It ends on SIGTERM and at the
end of its standard input, so it never outlives the program that started it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .fifos import Fifos
from .paint import set_theme
from .pc import Computer
from .scenario import read_scenario
from .server import STATE, STREAM, Server, VideoSource


def parse_size(text: str) -> tuple[int, int]:
    width, height = (int(number) for number in text.split("x"))
    return width, height


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", type=Path, required=True, help="where to make the FIFOs hidg0..2")
    parser.add_argument("--size", type=parse_size, default=(1280, 720), help="WIDTHxHEIGHT")
    parser.add_argument("--seed", type=int, default=0, help="moves windows and icons about")
    parser.add_argument("--scenario", type=read_scenario, default="{}", help="see scenario.py")
    return parser.parse_args()


async def run(options: argparse.Namespace) -> None:
    fifos = Fifos(options.dir)
    set_theme(**options.scenario.look)
    pc = Computer(options.size, options.scenario, options.seed, time.monotonic())
    fifos.connect(pc.report)
    try:
        await serve(VideoSource(lambda: pc.look(fifos.now())), pc.state, fifos)
    finally:
        fifos.close()


async def serve(video: VideoSource, state: Callable[[], dict[str, Any]], fifos: Fifos) -> None:
    """Serve the stream and the state until SIGTERM or the end of the standard input."""
    port = await Server(video, state, fifos).start()
    drawing = asyncio.create_task(video.run())
    ended = asyncio.create_task(_wait_for_end())
    _announce(port)
    done, _ = await asyncio.wait((drawing, ended), return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()


def _announce(port: int) -> None:
    address = f"http://127.0.0.1:{port}"
    urls = {"stream": address + STREAM, "state": address + STATE}
    with contextlib.suppress(BrokenPipeError):  # the program that started it has ended
        os.write(sys.stdout.fileno(), json.dumps(urls).encode() + b"\n")


async def _wait_for_end() -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)

    def drain() -> None:
        while os.read(sys.stdin.fileno(), 65536):
            pass
        loop.call_soon_threadsafe(ended.set)

    # A thread, because an event loop cannot wait for every kind of standard input.
    threading.Thread(target=drain, daemon=True).start()
    await ended.wait()


def main() -> None:
    asyncio.run(run(parse_arguments()))


if __name__ == "__main__":
    main()
