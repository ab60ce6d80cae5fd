"""The points of a stranger's first hour: what is typed, and what has to come of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.support.kvm_hardware import ROOT

PROGRAM = "python3 cua_webapp.py"
TASK = "'set dns server to 8.8.8.8'"
README = (ROOT / "README.md").read_text("utf-8")
(FIRST,) = re.findall(r"```sh\n(python3 -m venv .venv && .*'\.\[local\]'.*?)\n```", README)
"""README's first command, which ends by starting the demo."""
(_QUICK,) = re.findall(r'quick="(.*?)"', (ROOT / ".ci" / "run").read_text("utf-8"), re.DOTALL)
QUICK = " ".join(_QUICK.split())
"""Tests that are run with each Python."""
READ_PAGE = """
import http.client, time, urllib.error, urllib.request
while True:
    try:
        urllib.request.urlopen('http://127.0.0.1:$PORT/').read()
        print(urllib.request.urlopen('http://127.0.0.1:$PORT/api/install').read().decode())
        break
    except urllib.error.HTTPError as error:
        print('the service itself answers', error.code)
        break
    except (OSError, http.client.HTTPException):
        time.sleep(0.3)
"""


class Point(NamedTuple):
    """`said` is a pattern of the output; `network`: not with loopback alone."""

    name: str
    command: str
    said: str
    code: int = 0
    network: bool = False
    only: str = ""
    """"user" or "root": who does it; both if empty."""


def serve(options: str) -> str:
    """Start the service, read its page, end it."""
    return (
        f'{PROGRAM} --port $PORT {options} & sleep 1; timeout 100 python3 -c "{READ_PAGE}"; '
        "code=$?; kill $!; wait; exit $code"
    )


def damage(file: str, command: str) -> str:
    """Do it with a file cut off, which is mended again."""
    return (
        f"file=$(ls {file}); cp $file /tmp/whole; truncate -s 500 $file; {command}; code=$?; "
        "cp /tmp/whole $file; exit $code"
    )


def cannot_start(arguments: str, said: str) -> Point:
    return Point(f"exit code of `{arguments}`", f"{PROGRAM} {arguments}", said, 2)


BARE = [
    Point("venv is missing", "python3 -m venv .venv", "apt install python3.*-venv", 1),
    Point("install without pip", f"{PROGRAM} install", "apt-get install python3-pip", 1),
    Point("the page without pip", serve("--auth --access first-visitor"), "has no pip"),
    Point("doctor without packages", f"{PROGRAM} doctor", "packages.*install", 1),
    Point("a command without packages", f"{PROGRAM} run {TASK}", "Install them: .* install", 2),
    Point("pair without a service", f"{PROGRAM} pair", "No service runs", 1),
]
"""The program in a Debian with Python, without pip and venv."""

BUNDLE = [
    Point("a wheel that is cut off", damage("wheels/fastapi-*", f"{PROGRAM} install"),
          "fastapi.* is damaged. Copy the bundle again", 1),
    Point("a program file that is cut off",
          damage("cua/cli/install/installation.py", f"{PROGRAM} install"), "damaged.*again", 2),
    Point("another program file", damage("cua/dialects/kvm_lines.py", f"{PROGRAM} install"),
          "damaged.*again", 1),
    Point("the bundle installs without pip", f"{PROGRAM} install --with local",
          "All packages are installed"),
    Point("the service starts", serve("--auth"), "the service itself answers"),
    Point("the demo does a task", f"{PROGRAM} run --demo {TASK}", "Done"),
    Point("no telemetry", "find ~ -name '*deviceid*' | grep . || echo none", "^none$"),
    Point("the demo's page", serve("--demo"), "the service itself answers"),
    Point("doctor", f"{PROGRAM} doctor", "try the demo: .*--demo", 1),
    cannot_start("run ''", "not a KVM|Write what"),
    cannot_start("run x", "not a KVM|No model"),
    cannot_start("bundle --to /nope/x", "cannot be written"),
    cannot_start("bundle --machine foo", "foo"),
    cannot_start("eval --model nope --tasks notepad/open", "nope: "),
    cannot_start("eval --json /nope/x", "cannot be written"),
    cannot_start("--kvm pikvm:// run x", "pikvm://"),
    cannot_start("--tls-cert /nope --tls-key /nope", "There is no file /nope"),
    Point("settings that are no text",
          rf"printf '\377\376' > /tmp/no-text; {PROGRAM} --config /tmp/no-text doctor",
          "settings file could not be understood|puts it aside", 1),
    Point("a base URL alone is OpenAI-compatible",
          f"CUA_BASE_URL=http://127.0.0.1:1234/v1 CUA_MODEL_NAME=x CUA_API_KEY=x {PROGRAM} doctor",
          r"model.*127\.0\.0\.1:1234", 1),
    Point("https at an http server",
          "python3 -m http.server -b 127.0.0.1 $PORT & sleep 3; CUA_MODEL_NAME=x CUA_API_KEY=x "
          f"CUA_BASE_URL=https://127.0.0.1:$PORT/v1 {PROGRAM} doctor; code=$?; kill $!; exit $code",
          "http://", 1),
    Point("100,000 brackets", f"python3 -c 'print(\"[\" * 100000)' | {PROGRAM} gate",
          "too deeply", 1),
    Point("interrupts", "for t in 1 2 3 4; do "
          f"timeout -s INT $t {PROGRAM} run --demo {TASK}; test $? = 124 || exit 1; done", ""),
]  # fmt: skip
"""A bundle with the extra `local`, unpacked over it."""

ONLINE = [
    Point("venv, as README says", "apt-get -qq update && apt-get -qq install -y python3-venv", "",
          network=True, only="root"),
    Point("README's first command", FIRST.replace("--demo", f"run --demo {TASK}"), "Done",
          network=True, only="user"),
    Point("install without a network", f"{PROGRAM} install", "bundle --machine .* --python 3", 1),
    Point("install", f"{PROGRAM} install", "All packages are installed", network=True),
    Point("the service starts", serve("--auth"), "the service itself answers"),
    Point("a wheel", "python3 -m venv /tmp/venv && /tmp/venv/bin/pip install -q . && "
          "/tmp/venv/bin/kvm-cua install", "pip has installed this", 2, network=True),
    Point("packages for the tests", ".venv/bin/pip install -q '.[test]'", "", network=True,
          only="user"),
    Point("the tests with loopback only",
          f".venv/bin/pytest -q -m 'not slow and not browser and not usb' {QUICK}",
          "passed", only="user"),
]  # fmt: skip
"""A checkout; root installs the first for both."""
