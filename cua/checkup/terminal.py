"""The check-up as a command: progress as it comes, the report in words, and as JSON in a file."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from ..events import Event, EventLog
from ..types import CuaError
from .report import VERDICTS, Report, Verdict
from .run import Checkup
from .speed import Speed

EXIT: dict[Verdict, int] = {"ready": 0, "unusable": 1, "care": 3}


async def run(checkup: Checkup, log: EventLog, file: Path | None) -> int:
    """Returns the exit code. Raises `CuaError` if the report cannot be written."""
    teller = asyncio.create_task(_tell(log))
    try:
        report = await checkup.run()
        await asyncio.sleep(0)  # the teller's turn
    finally:
        teller.cancel()
    _say(in_words(report))
    if file:
        _write(file, report)
    return EXIT[report.verdict()]


def in_words(report: Report) -> str:
    lines = [f"\n{VERDICTS[report.verdict()]}: {report.subject.name}"]
    lines += [f"- {reason}" for reason in report.reasons()]
    if report.speed:
        lines.append(f"- {figures(report.speed)}")
    return "\n".join(lines)


def figures(speed: Speed) -> str:
    first = f"First token after {speed.first:.1f} s, " if speed.first else ""
    words = [f"{first}whole reply after {speed.whole:.1f} s"]
    if speed.tokens_per_second:
        words.append(f"{speed.tokens_per_second:.0f} tokens a second")
    if speed.image_tokens:
        words.append(f"about {speed.image_tokens} tokens for a screenshot")
    sentence = ", ".join([*words, f"prefix cache: {speed.cache}"])
    return f"{sentence[:1].upper()}{sentence[1:]}."


async def _tell(log: EventLog) -> None:
    async for _, event in log.follow():
        if line := _line(event):
            _say(line)


def _line(event: Event) -> str:
    if event.kind == "log":
        return f"{event.data['level']}: {event.data['text']}"
    if event.kind == "checkup" and event.data["phase"] != "report":
        return f"[{event.data['done']}/{event.data['of']}] {event.data['text']}"
    return ""


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _write(file: Path, report: Report) -> None:
    try:
        file.write_text(json.dumps(report.as_json(), indent=2, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise CuaError(f"The report cannot be written to {file}: {error.strerror}.") from error
