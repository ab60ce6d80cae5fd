"""The command `check`: prints progress and the report in words, writes it as JSON to a file."""

from __future__ import annotations

from pathlib import Path

from ..app.factory import make_subject
from ..evaluation.checkup.report import VERDICTS, Report, Verdict
from ..evaluation.checkup.run import Checkup
from ..evaluation.checkup.speed import Speed
from ..events.log import Event, EventLog
from ..settings import RECOMMENDED_SCREEN, Settings
from .event_output import as_text, check_writable, print_as, write_json
from .output import say

EXIT: dict[Verdict, int] = {"ready": 0, "unusable": 1, "care": 3}


async def run(values: Settings, file: Path | None) -> int:
    """Check the model of the settings; return the exit code. `file`: for the JSON.

    Raises `CuaError` if the report cannot be written.
    """
    check_writable(file)
    log = EventLog()
    checkup = Checkup(make_subject(values, RECOMMENDED_SCREEN, log), log, seed=1)
    async with log.followed_by(print_as(_line)):
        report = await checkup.run()
    say(format_report(report))
    if file:
        write_json(file, report.as_json())
    return EXIT[report.verdict()]


def format_report(report: Report) -> str:
    lines = [f"\n{VERDICTS[report.verdict()]}: {report.subject.name}"]
    lines += [f"- {reason}" for reason in report.reasons()]
    if report.speed:
        lines.append(f"- {format_speed(report.speed)}")
    return "\n".join(lines)


def format_speed(speed: Speed) -> str:
    first = f"First token after {speed.first:.1f} s, " if speed.first else ""
    words = [f"{first}whole reply after {speed.whole:.1f} s"]
    if speed.tokens_per_second:
        words.append(f"{speed.tokens_per_second:.0f} tokens a second")
    if speed.image_tokens:
        words.append(f"about {speed.image_tokens} tokens for a screenshot")
    sentence = ", ".join([*words, f"prefix cache: {speed.cache}"])
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _line(event: Event) -> str:
    if event.kind == "checkup" and event.data["phase"] != "report":
        return f"[{event.data['done']}/{event.data['of']}] {event.data['text']}"
    return as_text(event)
