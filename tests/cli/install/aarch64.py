"""The offline bundle on the KVM's processor: `python -m tests.cli.install.aarch64`.

A real aarch64 Debian, under user-mode emulation, with Python and neither pip nor a package nor an
index: the bundle is unpacked and installs itself, and a scripted model does a task on the simulated
computer through the service and its page's protocol. Debian carries Python 3.11, so
that is what it runs; the KVM's own 3.10 is what `.ci/run` resolves and checks types for.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cua.cli.install import bundle
from cua.cli.install.pip import Target
from tests.cli.install.debian_root import PLACE, Root, root
from tests.servers.openai_server import OpenAIServer
from tests.support.kvm_hardware import any_free_port
from tests.support.page_client import page

PROGRAM = ("python3", f"{PLACE}/cua_webapp.py")
SCRIPT: list[dict[str, Any]] = [
    {"text": "# A desktop.\nmouse 0.5 0.5 1"},
    {"text": "typestr hello"},
    {"text": "Done", "repeat": True},
]
BEGAN = time.monotonic()


def main() -> None:
    system = root("arm64")
    python = system.python()
    say(f"{system.run('uname', '-m').strip()}, Python {python}")
    _unpack(system, python)
    say(system.run(*PROGRAM, "install", PIP_NO_INDEX="1"))
    say(f"{sum(f.stat().st_size for f in _installed(system)) / 1e6:.0f} MB installed")
    asyncio.run(_do_task(system))
    say("All of it works.")


def say(words: str) -> None:
    sys.stdout.write(f"[{time.monotonic() - BEGAN:.0f} s] {words.strip()}\n")
    sys.stdout.flush()


def _unpack(system: Root, python: str) -> None:
    major, minor = python.split(".")
    target = Target("aarch64", (int(major), int(minor)))
    system.clear()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "bundle.tar.gz"
        if bundle.main(["--machine", target.machine, "--python", python, "--to", str(file)]):
            raise SystemExit("no bundle")
        file.rename(system.folder / "bundle.tar.gz")
    system.run("tar", "-C", "/kvmapp", "-xzf", "/bundle.tar.gz")
    system.run("sh", "-c", f"cd {PLACE} && sha256sum --check --quiet SHA256SUMS")


def _installed(system: Root) -> list[Path]:
    return [path for path in (system.program / ".installed").rglob("*") if path.is_file()]


async def _do_task(system: Root) -> None:
    """Through the page, with a model behind HTTP."""
    async with OpenAIServer(SCRIPT) as model:
        environ = {
            "CUA_API_TYPE": "openai",
            "CUA_BASE_URL": model.base_url,
            "CUA_API_KEY": "none",
            "CUA_MODEL_NAME": "scripted",
            "CUA_NOTICE_ACKNOWLEDGED": "1",
        }
        await _serve(system, environ)


async def _serve(system: Root, environ: dict[str, str]) -> None:
    port = any_free_port()
    process = system.start(
        *PROGRAM, "--demo", "--model", "settings", "--port", str(port), environ=environ
    )
    assert process.stdout is not None
    try:
        assert "Authentication" in await asyncio.to_thread(process.stdout.readline)
        say("the service answers")
        async with page(f"http://127.0.0.1:{port}") as person:
            await person.until("screen", 120, state="live")
            await person.post("/api/send", text="say hello")
            await person.until("status", 300, status="done")
        say("a task is done through the page")
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


if __name__ == "__main__":
    main()
