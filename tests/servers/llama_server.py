"""A real llama.cpp server (the `xllamacpp` package) with a tiny model, as a process of its own.

    python -m tests.servers.llama_server PORT [vl|text|plain]

It starts in half a second. Key `sk-test`, model `tiny-vl` or `tiny-text`, context 4096 tokens.
With `plain` (16384 tokens) the server does not parse tool calls: a model of random
weights writes their marks anywhere, and the server's parser then fails the request.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

FILES = Path(__file__).parents[1] / "tiny_vlm"
MODELS = {
    "vl": "tiny-qwen3vl.gguf",
    "plain": "tiny-qwen3vl.gguf",
    "text": "tiny-qwen3-text.gguf",
}
KEY = "sk-test"


def missing_dependency(library: str = "libgomp.so.1") -> str:
    """What has to be installed before this server can start; empty if nothing."""
    if not find_spec("xllamacpp"):
        return "needs a real llama.cpp server: pip install xllamacpp"
    try:
        ctypes.CDLL(library)
    except OSError:
        return f"needs {library}: apt-get install libgomp1"
    return ""


needs_llama = pytest.mark.skipif(
    bool(missing_dependency()) and not os.environ.get("CI"), reason=missing_dependency()
)


class Running(NamedTuple):
    base_url: str
    process: asyncio.subprocess.Process


@asynccontextmanager
async def running(kind: str = "vl") -> AsyncIterator[Running]:
    port = _free_port()
    command = [sys.executable, "-m", "tests.servers.llama_server", str(port), kind]
    quiet, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdout=pipe, stderr=quiet, cwd=FILES.parents[1]
    )
    assert process.stdout
    try:
        assert await asyncio.wait_for(process.stdout.readline(), 60) == b"ready\n"
        yield Running(f"http://127.0.0.1:{port}/v1", process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def serve(port: int, kind: str) -> None:
    import xllamacpp  # type: ignore[import-untyped, import-not-found, unused-ignore]

    params = xllamacpp.CommonParams()
    params.model.path = str(FILES / MODELS[kind])
    if kind != "text":
        params.mmproj.path = str(FILES / "mmproj-tiny-qwen3vl.gguf")
    params.model_alias = {"tiny-text" if kind == "text" else "tiny-vl"}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], port, [KEY]
    params.n_ctx, params.n_parallel, params.n_predict = 16384 if kind == "plain" else 4096, 1, -1
    params.use_jinja = kind != "plain"
    # Two threads wait for each other at full speed: minutes on busy cores, for a model this small.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while server:
        time.sleep(3600)


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "vl")
