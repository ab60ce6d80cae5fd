"""`python -m cua.virtual --dir DIR`: the virtual computer as a process.

When it is ready it prints one line of JSON, {"stream": url, "state": url}. It ends on SIGTERM and
when its standard input ends, so it never outlives the program that started it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import time
from pathlib import Path

from .display import Display
from .pc import Computer
from .scenario import read_scenario
from .server import STATE, STREAM, Server
from .wire import Wires


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m cua.virtual", description="A simulated PC.")
    parser.add_argument("--dir", type=Path, required=True, help="where to make the FIFOs hidg0..2")
    parser.add_argument("--port", type=int, default=0, help="of the stream; 0: any free one")
    parser.add_argument("--size", default="1280x720", help="of the screen, WIDTHxHEIGHT")
    parser.add_argument("--seed", type=int, default=0, help="moves windows and icons about")
    parser.add_argument("--fps", type=float, default=30)
    parser.add_argument("--boot", action="store_true", help="start at the boot screen")
    parser.add_argument("--scenario", default="", help="JSON or a file of it; see scenario.py")
    return parser.parse_args(argv)


async def run(options: argparse.Namespace) -> None:
    """Until SIGTERM, or the end of the standard input."""
    width, height = (int(number) for number in options.size.split("x"))
    scenario = read_scenario(options.scenario)
    scenario.boot |= options.boot
    pc = Computer((width, height), scenario, options.seed, time.monotonic())
    display = Display(pc, options.fps)
    options.dir.mkdir(parents=True, exist_ok=True)
    wires, server = Wires(options.dir, pc.report), Server(display, pc.state)
    wires.open()
    try:
        port = await server.start(options.port)
        _say_ready(f"http://127.0.0.1:{port}")
        drawing = asyncio.create_task(display.run())
        ended = asyncio.create_task(_end())
        await asyncio.wait((drawing, ended), return_when=asyncio.FIRST_COMPLETED)
        if drawing.done():
            drawing.result()
    finally:
        wires.close()
        await server.stop()


def _say_ready(address: str) -> None:
    urls = {"stream": address + STREAM, "state": address + STATE}
    sys.stdout.write(json.dumps(urls) + "\n")
    sys.stdout.flush()


async def _end() -> None:
    """Returns when the process is to end."""
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    eof = asyncio.create_task(_drained(reader))
    over_task = asyncio.create_task(over.wait())
    await asyncio.wait((eof, over_task), return_when=asyncio.FIRST_COMPLETED)


async def _drained(reader: asyncio.StreamReader) -> None:
    while await reader.read(65536):
        pass


if __name__ == "__main__":
    asyncio.run(run(arguments()))
