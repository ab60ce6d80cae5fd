"""A procedure: steps to repeat without a model, as a YAML file that people can edit."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic import BeforeValidator as Before
from pydantic import PlainSerializer as AsJson

from ..messages import Message
from ..settings.fields import describe_fault
from ..types import Area, InputAction, ProcedureError

MAX_FILE_BYTES = 8 * 2**20
MAX_VALUE_CHARS = 40
MAX_STEPS = 2000
"""Steps of one run at most, loops unrolled."""
OTHERWISE = ("ask", "stop", "model")
"""Reactions to a missing sign besides the name of a step: ask the person, fail, or hand the rest of
the task over to the model of the settings."""
PLACEHOLDER = re.compile(r"(?<!\{)\{(\w+)\}(?!\})")


def _name_edges(at: Any) -> Any:
    return (
        dict(zip_longest(Area.model_fields, at, fillvalue="more")) if isinstance(at, list) else at
    )


Place = Annotated[
    Area,
    Before(_name_edges),
    AsJson(lambda area: [round(value, 4) for _, value in area]),
]
"""An area; in a file [left, top, right, bottom] in fractions of the screen."""
Picture = Annotated[
    bytes,
    Before(lambda value: base64.b64decode(value) if isinstance(value, str) else value),
    AsJson(lambda png: base64.b64encode(png).decode()),
]
"""A PNG; in a file in Base64."""
Act = Annotated[
    InputAction,
    Field(discriminator="kind"),
    AsJson(lambda act: {"kind": act.kind, **act.model_dump(mode="json", exclude_defaults=True)}),
]
Acts = Annotated[
    tuple[Act, ...], Before(lambda value: (value,) if isinstance(value, dict) else value)
]
"""Actions; in a file one action, or a list of them."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Sign(_Model):
    """A whole line of text or a picture to find on the screen. `at`: its old place.

    `field`: find the input field with this label. `button`: the text has a box of its own, which a
    title does not have. A text may have its picture too, whose title is that text.
    """

    text: str = ""
    field: bool = False
    button: bool = False
    at: Place | None = None
    picture: Picture = b""

    @model_validator(mode="after")
    def _has_something(self) -> Sign:
        if not self.text.strip() and not self.picture:
            raise ValueError(Message("procedure.empty_sign"))
        return self


class Step(_Model):
    """Wait for `when`, `do` the actions at once, wait for `expect`.

    The places of `do` are those of the recorded screen; they move with `when`. If a sign is missing
    after `timeout_s`, the actions are repeated up to `retry` times, then `otherwise` applies.

    Or do other `steps`, once for each value of one parameter, or if a sign is visible at that
    moment.
    """

    name: str = ""
    when: Sign | None = None
    do: Acts = ()
    expect: Sign | None = None
    timeout_s: float = Field(default=20, ge=0, le=3600)
    retry: int = Field(default=0, ge=0, le=20)
    otherwise: str = "ask"
    for_each: dict[str, list[str]] = Field(default={}, max_length=1)
    if_shown: Sign | None = None
    steps: list[Step] = []

    @model_validator(mode="before")
    @classmethod
    def _read_line(cls, step: Any) -> Any:
        """Read an instruction of the Local operator, such as `click "Save"`, too."""
        if not isinstance(step, str):
            return step
        from ..models.local.as_step import read_step  # slow, as it compiles many patterns

        return read_step(step)

    @model_validator(mode="after")
    def _has_one_purpose(self) -> Step:
        other = self.model_fields_set - {"for_each", "if_shown", "steps"}
        conditions = bool(self.for_each) + bool(self.if_shown)
        if conditions != bool(self.steps) or (self.steps and other):
            raise ValueError(Message("procedure.mixed_step"))
        return self


class Procedure(_Model):
    """`screen`: width and height in pixels of the recorded screen; `parameters`: name -> default;
    `alternatives`: other steps to the end, to which the `otherwise` of a step leads."""

    name: str
    goal: str = ""
    screen: tuple[int, int] = (1280, 720)
    parameters: dict[str, str] = {}
    steps: list[Step] = Field(min_length=1)
    alternatives: list[list[Step]] = []


def read(text: str) -> Procedure:
    """Parse a procedure. Raises `ProcedureError` that names the line or the field."""
    try:
        plain = yaml.safe_load(text) if "steps" in text else None
        found = Procedure.model_validate(plain) if isinstance(plain, dict) else None
    except ValidationError as error:
        raise _describe(error) from None
    except (yaml.reader.ReaderError, ValueError):  # another format, or an invalid date
        found = None
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark
        words = Message("procedure.invalid", line=at.line + 1, column=at.column + 1)
        raise ProcedureError(words) from None
    if found is None:
        raise ProcedureError(Message("procedure.other_file"))
    unroll(found, {})
    return found


_IN_YAML = {
    "tuple_type": "list_type",
    **dict.fromkeys(("model_type", "model_attributes_type"), "dict_type"),
}
"""Pydantic's kinds of errors that are the same in a file."""


def _describe(error: ValidationError) -> ProcedureError:
    first = error.errors()[0]
    at = (each + 1 if isinstance(each, int) else each for each in first["loc"])  # as in the editor
    where, reason = ".".join(map(str, at)), describe_fault(first)
    try:
        if not isinstance(reason, Message):
            kind = _IN_YAML.get(first["type"], first["type"])
            reason = Message(f"procedure.field.{kind}", **first.get("ctx", {}))
    except KeyError:  # of another kind
        reason = Message("procedure.field.not_valid")
    return ProcedureError(Message("procedure.invalid_field", field=where, reason=reason))


def write(procedure: Procedure) -> str:
    plain = procedure.model_dump(mode="json", exclude_defaults=True)
    return str(yaml.safe_dump(plain, allow_unicode=True, sort_keys=False, default_flow_style=None))


def parse_values(texts: Sequence[str]) -> dict[str, str]:
    """Return the values of parameters by name. `texts`: NAME=VALUE. Raises `ProcedureError`."""
    if bad := [text for text in texts if not re.match(r"\w+=", text)]:
        raise ProcedureError(Message("procedure.bad_value", text=bad[0]))
    return {name: value for name, _, value in (text.partition("=") for text in texts)}


def unroll(procedure: Procedure, values: Mapping[str, str]) -> list[Step | None]:
    """Return the steps with all values inserted, in the order of execution; None: the end.

    A condition comes before its steps. Raises `ProcedureError` for a value without a parameter, or
    an `otherwise` that leads nowhere.
    """
    if unknown := values.keys() - procedure.parameters.keys():
        names = list(procedure.parameters) or Message("procedure.no_parameters")
        raise ProcedureError(
            Message("procedure.unknown_parameter", name=min(unknown), parameters=names)
        )
    if sum(map(count_steps, (procedure.steps, *procedure.alternatives))) > MAX_STEPS:
        raise ProcedureError(Message("procedure.too_long", most=MAX_STEPS))
    values = {**procedure.parameters, **values}
    try:
        found: list[Step | None] = list(_unroll(procedure.steps, values))
        for each in procedure.alternatives:
            found += [None, *_unroll(each, values)]
    except ValidationError as error:  # such as an empty text
        raise _describe(error) from None
    targets = {*OTHERWISE, *(step.name for step in found if step and step.name)}
    if lost := [step.otherwise for step in found if step and step.otherwise not in targets]:
        raise ProcedureError(Message("procedure.no_such_step", name=lost[0]))
    return found


def count_steps(steps: Sequence[Step]) -> int:
    """Return the number of steps and conditions, loops unrolled."""
    count = 0
    for step in steps:
        inner = count_steps(step.steps)
        count += inner * len(*step.for_each.values()) if step.for_each else 1 + inner
    return count


def _unroll(steps: Sequence[Step], values: Mapping[str, str]) -> Iterator[Step]:
    for step in steps:
        if not step.for_each:
            yield _fill(step, values)
            yield from _unroll(step.steps, values)
        for name, each in step.for_each.items():
            for value in each:
                yield from _unroll(step.steps, {**values, name: value})


def _fill(step: Step, values: Mapping[str, str]) -> Step:
    """Return a copy with `{name}` replaced in all its texts; other braces stay."""
    quoted = {name: json.dumps(text)[1:-1] for name, text in values.items()}
    plain = step.model_dump_json(exclude_defaults=True)
    return Step.model_validate_json(fill_text(plain, quoted))


def describe_run(procedure: Procedure, values: Mapping[str, str]) -> str:
    """Return the goal, and behind it the values that it does not contain: they tell runs apart."""
    goal = fill_text(procedure.goal or procedure.name, values)
    missing = ", ".join(each[:MAX_VALUE_CHARS] for each in values.values() if each not in goal)
    return f"{goal} ({missing})" if missing else goal


def fill_text(text: str, values: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)
