"""Make a procedure from a recorded task that ended Done."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

from ..events.archive import FOLDER_DIGITS, Archive, Events, list_data
from ..messages import Message
from ..screen.ocr.client import Read, read_without
from ..types import ProcedureError
from ..types.actions import NAMED_SECRET
from .choose_sign import add_picture, choose_expect, choose_screen_sign, choose_when, shows_part
from .procedure import PLACEHOLDER, Procedure, Sign, Step, count_steps
from .recorded_steps import RecordedStep, drop_detours, find_goal, list_typed, read_steps
from .replay import Replay

HIDDEN = "secret:"
"""Begins the name of a value that is stored as a secret, not in the procedure."""
MIN_VALUE_CHARS = 2
Progress = Callable[[int, int], None]
"""Gets the number of the current step and the number of steps."""


async def make_procedure(
    name: str,
    archive: Archive,
    task: str,
    values: Mapping[str, str],
    read: Read,
    progress: Progress = lambda *_: None,
) -> Procedure:
    """Return the procedure of a recorded task. If that repeats the task before with another value
    (`instead`: the old and the new), it has the steps of that one. See `make_from_steps` too.

    Raises `ProcedureError` if the task did not end Done.
    """
    names, events = name_texts(values), await asyncio.to_thread(archive.events, task)
    while instead := next((each.get("instead") for each in list_data(events, "task")), None):
        old, new = instead
        names[old] = names.pop(new, new)
        task = f"{int(task) - 1:0{FOLDER_DIGITS}}"
        events = await asyncio.to_thread(archive.events, task)
    goal, steps = find_goal(events), read_steps(events, partial(archive.picture, task))
    made = await make_from_steps(name, goal, steps, names, read, progress)
    defaults = {each: text for each, text in values.items() if each in made.parameters}
    return made.model_copy(update={"parameters": defaults})


def name_texts(values: Mapping[str, str]) -> dict[str, str]:
    """Return `{name}` for each value's text, or `{{secret:name}}`, which is no parameter."""
    if bad := [name for name in values if not re.fullmatch(r"\w+", name.removeprefix(HIDDEN))]:
        raise ProcedureError(Message("procedure.bad_parameter", name=bad[0]))
    return {text: f"{{{{{n}}}}}" if ":" in n else f"{{{n}}}" for n, text in values.items()}


async def add_alternative(
    replay: Replay, events: Events, picture: Callable[[str], bytes | None], read: Read
) -> Procedure:
    """Return the procedure of `replay` with the model's steps after the handover.

    Raises like `make_procedure`, and if the handover was in a loop or under a condition.
    """
    old, since = replay.procedure, replay.handed_over_in + 1
    indexes = {count_steps(old.steps[:i]): i for i, each in enumerate(old.steps) if not each.steps}
    at = indexes.get(replay.at) if replay.handed_over_in else None
    later = [each for each in events if each["data"].get("step", since) >= since]
    recorded = read_steps(later, picture)
    values = {name: text for name, text in replay.values.items() if _is_typed(text, recorded)}
    names = name_texts(values)
    made = await make_from_steps(old.name, find_goal(events), recorded, names, read)
    if at is None or made.screen != old.screen:
        raise ProcedureError(Message("procedure.cannot_add"))
    name = f"alternative {len(old.alternatives) + 1}"
    first = made.steps[0].model_copy(update={"name": name, "otherwise": "model"})
    extended = old.model_copy(deep=True)
    extended.steps[at] = old.steps[at].model_copy(update={"otherwise": name})
    extended.alternatives.append([first, *made.steps[1:]])
    return extended


def _is_typed(value: str, recorded: Sequence[RecordedStep]) -> bool:
    typed = (getattr(each, "text", "") for step in recorded for each in step.actions)
    return len(value) >= MIN_VALUE_CHARS and any(value in text for text in typed)


async def make_from_steps(
    name: str,
    goal: str,
    recorded: Sequence[RecordedStep],
    names: Mapping[str, str],
    read: Read,
    progress: Progress = lambda *_: None,
) -> Procedure:
    """`names`: typed text -> what the procedure has instead, see `name_texts`; no sign contains the
    text of a secret. Raises `ProcedureError` if a target has no sign.
    """
    kept = await drop_detours(recorded)
    if not kept:
        raise ProcedureError(Message("procedure.no_steps"))
    for text, instead in names.items():
        if not _is_typed(text, kept):
            name = instead.strip("{}")
            raise ProcedureError(Message("procedure.value_not_typed", name=name, text=text))
    steps = await _make_steps(kept, read, names, progress)
    found = Procedure(name=name, goal=goal, screen=kept[0].frame.size, steps=steps)

    def rename(fields: dict[str, Any]) -> dict[str, Any]:
        for key in fields.keys() & {"goal", "text"}:
            for text, instead in names.items():
                if text in fields[key]:
                    fields[key] = fields[key].replace(text, instead)
                    fields.pop("picture", None)
        return fields

    plain = json.loads(found.model_dump_json(exclude_defaults=True), object_hook=rename)
    named = ((PLACEHOLDER.fullmatch(instead), text) for text, instead in names.items())
    defaults = {name[1]: text for name, text in named if name}
    return Procedure.model_validate({**plain, "parameters": defaults})


def suggest_values(events: Events) -> list[str]:
    """Return the typed texts that may become parameters."""
    return [t for t in list_typed(events) if len(t) >= MIN_VALUE_CHARS and "{{" not in t]


async def _make_steps(
    recorded: Sequence[RecordedStep], read: Read, names: Mapping[str, str], progress: Progress
) -> list[Step]:
    """A step without a target continues at the sign of the one before, or waits for its screen.

    A step that types one of the `names`, or a named secret, expects no sign, as the screen depends
    on the value.
    """
    secrets = [text for text, instead in names.items() if instead.startswith("{{" + HIDDEN)]
    made: list[Step] = []
    seen: set[str] = set()
    last: Sign | None = None
    expect: Sign | None = None
    read_others = read_without(read, secrets)
    for number, (each, later) in enumerate(zip_longest(recorded, recorded[1:]), 1):
        progress(number, len(recorded))
        seen.update((await read_others(each.frame)).words())
        when = await choose_when(each, read_others)
        if when and await shows_part(when, each.frame, read, secrets):
            raise ProcedureError(Message("procedure.secret_in_sign"))
        if when is None and expect is None:  # of the step before
            when = await choose_screen_sign(last, each.frame, read_others)
        typed = getattr(each.actions[-1], "text", "")
        varies = NAMED_SECRET.search(typed) or any(text in typed for text in names)
        expect = None if varies else await choose_expect(each, later, read_others, seen)
        if not secrets:
            when = when and add_picture(when, each.frame)
            expect = expect and add_picture(expect, each.screens[-1].frame)
        elif expect and expect.picture:  # it may show a secret
            expect = None
        last = expect or when or last
        made.append(Step(when=when, do=tuple(each.actions), expect=expect))
    return made
