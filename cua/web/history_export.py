"""A recorded task as one file that needs nothing else: HTML to read, JSON for programs.

What is recorded has no secrets in it, and this adds nothing to it. The HTML has no script: whoever
is handed the file can open it without trusting it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from functools import partial
from typing import Any

from ..events.recorder import Archive
from .pages import TAGS, template, translator, words

Events = Sequence[dict[str, Any]]
SAID = {
    "said": "export.you",
    "question": "chat.asks",
    "done": "state.done",
    "failed": "state.failed",
    "approval": "state.approval",
}
"""Who speaks, by the page's own texts."""

PARTS = ("who", "jpeg", "frame", "reply", "step", "effect", "captions", "placed")
BLANK: dict[str, Any] = dict.fromkeys(PARTS)


def as_json(events: Events, archive: Archive, id: str, _: str = "") -> bytes:
    """The events as they were recorded; a screenshot stands in its event's `jpeg`, as base64."""
    whole = [
        {**event, "jpeg": _base64(archive, id, event["picture"])} if "picture" in event else event
        for event in events
    ]
    return json.dumps({"task": id, "events": whole}, ensure_ascii=False).encode()


def as_html(events: Events, archive: Archive, id: str, language: str = "en") -> bytes:
    """A page with a card for every step, in the reader's language."""
    task = next((event for event in events if event["kind"] == "task"), events[0])
    intro: dict[str, Any] = next(
        (event["data"] for event in events if event["kind"] == "session_started"), {}
    )
    page = template("export.html").render(
        t=words(language),
        tag=TAGS.get(language, language),
        translated=translator(language),
        goal=task["data"].get("text", ""),
        at=datetime.fromtimestamp(task["at"], timezone.utc),
        model=intro.get("model", ""),
        label=_label,
        turned=_turned,
        figures=partial(_figures, words(language)),
        entries=_entries(events, lambda name: _base64(archive, id, name)),
    )
    return page.encode()


FORMS: dict[str, Callable[[Events, Archive, str, str], bytes]] = {"html": as_html, "json": as_json}
TYPES = {"html": "text/html; charset=utf-8", "json": "application/json"}


def _entries(events: Events, picture: Callable[[str], str]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    steps: dict[int, dict[str, Any]] = {}
    for event in events:
        kind, data = event["kind"], event["data"]
        if kind in ("frame", "reply", "step", "effect") and "step" in data:
            step = steps.get(data["step"])
            if step is None or kind == "frame":
                step = steps[data["step"]] = {**BLANK, "number": data["step"]}
                entries.append(step)
            step[kind] = data
            if kind == "reply":
                step["captions"] = [words for each in data["actions"] if (words := _caption(each))]
                step["placed"] = [each for each in data["actions"] if _placed(each)]
            if "picture" in event:
                step["jpeg"] = picture(event["picture"])
        elif kind in SAID:
            entries.append({"who": SAID[kind], "text": data.get("text") or data.get("words", "")})
    return entries


def _caption(action: dict[str, Any]) -> str:
    """What goes to the keyboard, as the page writes it over the picture; "" for anything else."""
    if action["kind"] == "type":
        return "“" + str(action.get("text", "")).replace("\n", " ↵ ") + "”"
    if action["kind"] != "keypress":
        return ""
    count = action.get("count", 1)
    return " + ".join(action.get("keys", [])) + (f" × {count}" if count > 1 else "")


def _placed(action: dict[str, Any]) -> bool:
    return action["kind"] == "scroll" or any(map(action.get, ("at", "path", "area")))


def _label(click: dict[str, Any], number: int | None) -> str:
    """What is written beside its ring, as on the page."""
    button, count = click.get("button") or "left", click.get("count") or 1
    told = [
        str(number or ""),
        "+".join(click.get("keys") or ()),
        button if button != "left" else "",
        f"{count}×" if count > 1 else "",
    ]
    return " ".join(filter(None, told))


def _turned(scroll: dict[str, Any]) -> int:
    """By how many degrees an arrow that points up."""
    dx, dy = scroll.get("dx") or 0, scroll.get("dy") or 0
    if abs(dx) > abs(dy):
        return 90 if dx > 0 else 270
    return 0 if dy < 0 else 180


def _figures(t: dict[str, str], entry: dict[str, Any]) -> str:
    """What a step took, as its card on the page says it."""
    reply, step = entry["reply"] or {}, entry["step"] or {}
    read, written = reply.get("tokens_in", 0), reply.get("tokens_out", 0)
    cost = reply.get("cost") or 0
    told = []
    if step:
        told.append(t["seconds"].format(n=f"{step['seconds']:.1f}"))
    if read + written:
        told.append(t["step.tokens"].format(read=f"{read:,}", written=f"{written:,}"))
    if cost:
        told.append(t["header.spent"].format(n=f"{cost:.4f}" if cost < 0.1 else f"{cost:.2f}"))
    return " · ".join(told)


def _base64(archive: Archive, id: str, name: str) -> str:
    """Empty where the screenshot is no longer kept."""
    return base64.b64encode(archive.picture(id, name) or b"").decode()
