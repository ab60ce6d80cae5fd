"""Export a recorded task as one self-contained file: HTML without scripts, or JSON.

Records contain no secrets, and nothing is added to them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import partial
from itertools import pairwise
from typing import Any

from ..events.archive import Archive, Events, find_intro, list_data, summarize
from ..messages import SENTENCES, catalogue, translate
from ..types.describe import name_keys
from .pages import TAGS, TEMPLATES, page_texts

SPEAKERS = {
    "said": "export.you",
    "done": "state.done",
    "failed": "state.failed",
}
"""Kind of event -> the key of the page's text that names the speaker."""
STEP_KINDS = ("frame", "reply", "approval", "acting", "typed", "step", "effect")
UNFINISHED = ("running", "paused", "asking")
"""Statuses of a task that can go on."""


def as_json(events: Events, archive: Archive, id: str, _: str = "") -> bytes:
    """Return the events as recorded, with screenshots as base64 in `jpeg`."""
    whole = [
        {**event, "jpeg": _base64(archive, id, event["picture"])} if "picture" in event else event
        for event in events
    ]
    return json.dumps({"task": id, "events": whole}, ensure_ascii=False).encode()


def as_html(events: Events, archive: Archive, id: str, language: str = "en") -> bytes:
    """Return a page with the result, then a card for every step."""
    import jinja2

    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True)
    task = next((event for event in events if event["kind"] == "task"), events[0])
    texts = catalogue(language)
    page = templates.get_template("export.html").render(
        t=page_texts(language),
        tag=TAGS.get(language, language),
        translated=partial(translate, texts=texts),
        between=texts["join.sentence"],
        title=_title(task["data"]),
        at=datetime.fromtimestamp(task["at"], timezone.utc),
        model=find_intro(events).get("model", ""),
        turned=_scroll_angle,
        name_keys=name_keys,
        answers={each["id"]: each["answer"] for each in list_data(events, "answered")},
        summary=summarize(id, events),
        entries=_entries(events[events.index(task) :], lambda name: _base64(archive, id, name)),
    )
    return page.encode()


FORMS: dict[str, Callable[[Events, Archive, str, str], bytes]] = {"html": as_html, "json": as_json}
TYPES = {"html": "text/html; charset=utf-8", "json": "application/json"}


def _title(task: dict[str, Any]) -> str:
    goal, name = task.get("text", ""), task.get("procedure")
    return (
        f"{goal} · {name}"
        if name and isinstance(name, str) and not f"{goal} (".startswith(f"{name} (")
        else goal
    )


def _entries(events: Events, picture: Callable[[str], str]) -> list[dict[str, Any]]:
    chat = _Chat(picture)
    for event in events:
        chat.add(event)
    return _without_past_waits(_without_later_notes(chat.entries))


@dataclass
class _Chat:
    """The entries of the page's chat, by the rules of `static/core/state.js`."""

    picture: Callable[[str], str]
    entries: list[dict[str, Any]] = field(default_factory=list)
    _steps: dict[int, dict[str, Any]] = field(default_factory=dict)
    _step: dict[str, Any] = field(default_factory=dict)
    _status: str = ""
    _in_procedure: bool = False

    def add(self, event: dict[str, Any]) -> None:
        kind, data = event["kind"], event["data"]
        if kind == "task":
            self._in_procedure = bool(data.get("procedure"))
        elif kind == "status":
            self._add_status(data["status"], data.get("reason", ""))
        elif kind in STEP_KINDS and "step" in data:
            if kind == "reply":
                self._in_procedure &= bool(data.get("scripted"))
            _add_to_step(self._find_step(kind, data["step"]), event, self.picture)
        elif entry := _words_entry(event, self.picture):
            if kind == "failed":
                self._close_step("state.failed")
            self.entries.append(entry)

    def _add_status(self, status: str, reason: Any) -> None:
        before, self._status = self._status, status
        if status != "running":
            self._close_step("step.interrupted")
        last = self.entries[-1] if self.entries else {"who": "export.you"}
        was_said = "file" in last or last.get("who") in ("export.you", "plan.title")
        if status == "paused" or (status == "stopped" and before in UNFINISHED):
            self.entries.append({"note": f"note.{status}", "text": reason})
        elif status in UNFINISHED and before != "running" and not was_said:
            self.entries.append({"note": "note.resumed", "text": ""})

    def _find_step(self, kind: str, number: int) -> dict[str, Any]:
        if number not in self._steps or kind == "frame":
            self._close_step("step.interrupted")
            self._step = self._steps[number] = {"asked": []}
            self.entries.append(self._step)
        # The words of a procedure begin with another number.
        self._steps[number]["number"] = "" if self._in_procedure else number
        return self._steps[number]

    def _close_step(self, key: str) -> None:
        """`key`: the page's text for a step without an outcome."""
        if "step" not in self._step:
            self._step.setdefault("end", key)


def _without_later_notes(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what was done by hand after the end, as the replay does."""
    end = max((at for at, each in enumerate(entries) if "note" not in each), default=-1)
    is_over = end >= 0 and entries[end].get("who") in ("state.done", "state.failed")
    return entries[: end + 1] if is_over else entries


def _without_past_waits(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out each wait of a procedure that another one follows, as the page does."""
    for one, other in pairwise(each for each in entries if "asked" in each):
        if _awaits(one) and _awaits(other):
            one["past"] = True
            other["waited"] = one.get("waited", 0) + one.get("step", {}).get("seconds", 0)
    return [each for each in entries if "past" not in each]


def _awaits(step: dict[str, Any]) -> bool:
    return bool(step.get("reply", {}).get("awaits"))


def _add_to_step(
    step: dict[str, Any], event: dict[str, Any], picture: Callable[[str], str]
) -> None:
    kind, data = event["kind"], event["data"]
    step[kind] = data
    if kind == "approval":
        step["asked"].append(data)
        _name_action(step, step.get("acting", {"index": -1})["index"] + 1, data)
    elif kind == "acting":
        _name_action(step, data["index"], data)
    elif kind == "reply":
        step["captions"] = [words for each in data["actions"] if (words := _caption(each))]
        step["placed"] = [each for each in data["actions"] if _has_position(each)]
    elif "picture" in event:
        step["jpeg"] = picture(event["picture"])


def _name_action(step: dict[str, Any], index: int, data: dict[str, Any]) -> None:
    """Name the target, which is read just before the action is asked about or begins."""
    actions = step.get("reply", {}).get("actions", [])
    if data.get("brief") and index < len(actions):
        actions[index]["brief"] = data["brief"]


def _words_entry(event: dict[str, Any], picture: Callable[[str], str]) -> dict[str, Any]:
    """Return the words or the file of an event, {} for another kind."""
    kind, data = event["kind"], event["data"]
    if kind == "plan" and data["approved"] and data["items"]:
        numbered = [f"{number}. {item}" for number, item in enumerate(data["items"], 1)]
        return {"who": "plan.title", "text": "\n".join(numbered)}
    if kind == "file":
        jpeg = picture(event["picture"]) if "picture" in event else ""
        return {"file": data["name"], "text": data["content"], "jpeg": jpeg}
    if kind == "question":
        return _question_entry(data)
    words = data.get("text") or data.get("words", "")
    if kind in SPEAKERS:
        return {"who": SPEAKERS[kind], "text": words}
    return {"note": kind, "text": words} if data.get("aloud") else {}


def _question_entry(data: dict[str, Any]) -> dict[str, Any]:
    text, way = _split_commands(data["text"])
    if isinstance(text, dict) and text["key"].startswith("plan."):
        return {"who": "plan.title", "text": text}
    unclear = data.get("anew") or way == "local.commands"
    return {"who": "chat.not_understood" if unclear else "chat.asks", "text": text}


def _split_commands(text: Any) -> tuple[Any, str]:
    """Take off the way to answer, for which the page has buttons, and return its key too."""
    texts = text["values"]["texts"] if isinstance(text, dict) and text["key"] == SENTENCES else [""]
    way = texts[-1]["key"] if isinstance(texts[-1], dict) else ""
    if not way.startswith(("local.commands", "procedure.ask")):
        return text, ""
    return {**text, "values": {"texts": texts[:-1]}}, way


def _caption(action: dict[str, Any]) -> str:
    """Return the text of keyboard input to show over the picture; "" for other actions."""
    if action["kind"] == "type":
        return "“" + str(action.get("text", "")).replace("\n", " ↵ ") + "”"
    if action["kind"] != "keypress":
        return ""
    count = action.get("count", 1)
    return name_keys(action.get("keys", [])) + (f" × {count}" if count > 1 else "")


def _has_position(action: dict[str, Any]) -> bool:
    return action["kind"] == "scroll" or any(map(action.get, ("at", "path", "area")))


def _scroll_angle(scroll: dict[str, Any]) -> int:
    """Return the clockwise rotation of an upward arrow, in degrees."""
    dx, dy = scroll.get("dx") or 0, scroll.get("dy") or 0
    if abs(dx) > abs(dy):
        return 90 if dx > 0 else 270
    return 0 if dy < 0 else 180


def _base64(archive: Archive, id: str, name: str) -> str:
    """Return a screenshot in Base64; "" if it was deleted."""
    return base64.b64encode(archive.picture(id, name) or b"").decode()
