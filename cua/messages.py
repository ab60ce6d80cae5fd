"""Messages to people: a key of the catalogue with named values, rendered in the reader's language.

The catalogue has a folder per language, `static/messages/<language>/`, which the page reads too:
text by key, with `{name}` where a value stands. What comes from outside (a server's words, the
screen, the model) is a value and is never translated. Needs only the standard library: the
installer's page and the start page use it before any package is there.
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union, cast

FOLDER = Path(__file__).with_name("static") / "messages"
FILES = ("run", "task", "setup")
"""`task`: messages about a task: its steps, the model; `setup`: of settings, check-ups and
installation; `run`: all others."""
ENGLISH = "en"
PLACEHOLDER = re.compile(r"\{(\w+)\}")
SENTENCES = "sentences"

Value = Union[str, int, Sequence["Value"]]  # noqa: UP007 - Python 3.10
"""A list is written as one: "a, b and c"."""


class Message(str):
    """The English text, with the key and the values from which other languages are rendered.

    With `count=1`, the text of `<key>.one` is taken where there is one. Raises `KeyError` for a
    key that is not in the catalogue, or a value that its text needs.
    """

    key: str
    values: dict[str, Value]

    def __new__(cls, key: str, /, **values: Value) -> Message:
        message = super().__new__(cls, render(key, values, catalogue(ENGLISH)))
        message.key, message.values = key, values
        return message

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Value]]:
        return (self.key,), self.values


def sentences(*texts: str) -> str:
    """One after the other; those that are empty are left out."""
    found = [each for each in texts if each]
    return found[0] if len(found) == 1 else Message(SENTENCES, texts=found) if found else ""


def sentences_of(text: str) -> Sequence[str]:
    """Return the messages that `sentences` has joined."""
    if isinstance(text, Message) and text.key == SENTENCES:
        return cast("Sequence[str]", text.values["texts"])
    return [text]


def system_reason(text: str) -> str:
    """Return the `Message` for a frequent error text of the system, else `text` itself."""
    key = "system." + re.sub(r"\W+", "_", text.lower())
    return Message(key) if key in catalogue(ENGLISH) else text


def os_reason(error: BaseException) -> str:
    """The operating system's reason, or a `Message`, from anywhere in a chain of exceptions."""
    import ssl  # no message needs it where nothing has failed

    link: BaseException | None = error
    while link and not (isinstance(link, OSError) and link.errno):
        link = link.__cause__ or link.__context__
    for text in (getattr(link, "strerror", ""), *error.args):
        if isinstance(text, Message):
            return text
    if isinstance(link, OSError) and not isinstance(link, ssl.SSLError) and (link.errno or 0) > 0:
        return system_reason(os.strerror(link.errno or 0))
    return system_reason(str(getattr(link, "strerror", "") or error) or type(error).__name__)


@functools.lru_cache(maxsize=2)
def catalogue(language: str) -> Mapping[str, str]:
    """Text by key."""
    found: dict[str, str] = {}
    for name in FILES:
        found |= json.loads((FOLDER / language / f"{name}.json").read_text("utf-8"))
    return found


def render(key: str, values: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    if key == SENTENCES:
        return texts["join.sentence"].join(translate(each, texts) for each in values["texts"])
    one = f"{key}.one"
    text = texts[one] if values.get("count") == 1 and one in texts else texts[key]
    return PLACEHOLDER.sub(lambda place: translate(values[place[1]], texts), text)


def translate(value: Any, texts: Mapping[str, str]) -> str:
    """`value`: a `Value`, or what `to_json` made of one."""
    if isinstance(value, Message):
        return render(value.key, value.values, texts)
    if isinstance(value, Mapping):
        try:
            return render(value["key"], value["values"], texts)
        except KeyError:  # recorded by a version with another text
            return str(value["text"])
    if isinstance(value, Sequence) and not isinstance(value, str):
        *most, last = [translate(each, texts) for each in value] or [""]
        return texts["join.last"].join([texts["join.item"].join(most), last]) if most else last
    return str(value)


def error_body(message: str) -> dict[str, Any]:
    """The JSON body of an HTTP error: `error` in English; `message` with a `Message`'s key."""
    found = {"message": to_json(message)} if isinstance(message, Message) else {}
    return {"error": str(message), **found}


def to_json(value: Any) -> Any:
    """Plain JSON: a message as its `text`, `key` and `values`."""
    if isinstance(value, Message):
        return {"text": str(value), "key": value.key, "values": to_json(value.values)}
    if isinstance(value, dict):
        return {name: to_json(each) for name, each in value.items()}
    return [to_json(each) for each in value] if isinstance(value, (list, tuple)) else value
