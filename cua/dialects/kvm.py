"""The KVM vendor's own line commands, for any model that has no action language of its own.

One command a line: `mouse x y c`, `drag`, `keyboard`, `typestr`, `backspace`, `sleep`, `zoom`,
`power`, `Done`, `Fail`; lines with `#` are thoughts, with `#!` notes to keep, with `$` a question.
Plain sentences are thoughts too; any other line refuses the reply. Models wrap lines in all kinds
of ways, which is undone line by line; but what follows `typestr` is typed to the letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NoReturn

from ..types import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Fail,
    FormatError,
    Keypress,
    Move,
    ParsedReply,
    Point,
    Power,
    Press,
    Scroll,
    Type,
    Wait,
)
from . import fields
from .coordinates import FRACTIONS, excerpt
from .family import Family
from .prose import is_sentence
from .received_reply import ReceivedReply

MAX_COMMANDS = 3
NOTCHES = 8
"""Of one scroll command."""

_PREFIX = (
    r"[ \t\u3000\u200b\ufeff]*(?:(?:[-*•>]|\d{1,2}[.)、．])[ \t]+)?"
    r"(?:(?:(?P<label>action|command)|step[ ]\d{1,2})[ \t]*[:：][ \t]*)?"
)
_TYPESTR = re.compile(
    r"(?P<verb>typestr)(?:[:：](?=\s|$))?(?:[ \t\u3000](?P<text>.*))?", re.IGNORECASE | re.DOTALL
)
_verbatim = re.compile(rf"^{_PREFIX}[`*]{{0,3}}typestr[:： \t\u3000]", re.IGNORECASE | re.MULTILINE)
_prefix = re.compile(_PREFIX, re.IGNORECASE)
_done = re.compile(r"[*_`]{0,3}done[.!。]?[*_`]{0,3}[.!。]?", re.IGNORECASE)
_fail = re.compile(
    r"(?:fail(?=[\s:：]|$)|failed(?=[:：]))[\s:：]*(?P<reason>.*)", re.IGNORECASE | re.DOTALL
)
_wrapper = re.compile(
    r"\s*(?:(?:```|~~~)[ \t]*[\w+-]{0,20}|</?(?:answer|output|commands?|actions?)>"
    r"|<\|\w{1,30}\|>)\s*"
)
_seconds = re.compile(r"([\d.]{1,10}) ?(?:s|sec|secs|second|seconds)?", re.IGNORECASE)
_WRAPPERS = ("```", "**", "__", "`")


class Kvm(Family):
    name = "kvm"
    scale = FRACTIONS

    def read(self, reply: ReceivedReply) -> ParsedReply:
        if reply.calls:
            raise FormatError("Function calls are not used here. Write one command a line as text.")
        reader = _Reader()
        for line in reply.text.split("\n"):
            reader.line(line.removesuffix("\r"))
        return reader.turn()

    def call_end(self, text: str, at: int, before: int) -> int | None:
        line = _verbatim.search(text, at, before)
        if line is None:
            return None
        end = text.find("\n", line.end())
        return len(text) if end < 0 else end


class _Reader:
    """A reply, line by line."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.notes: list[str] = []
        self.commands: list[Action] = []
        self.ending: type[Done | Fail | Ask] | None = None
        self.last_words: list[str] = []
        """Of the question, or why the task cannot be done."""
        self._typed = False
        """Whether the line before was typestr: prose there is text that would be lost."""

    def line(self, line: str) -> None:
        after_typestr, self._typed = self._typed, False
        if not line.strip() or _wrapper.fullmatch(line):
            return
        prefix = _prefix.match(line)
        assert prefix is not None
        body = _unwrapped(line[prefix.end() :])
        typing = _TYPESTR.fullmatch(body)
        if typing:
            self._command(_typestr(typing["text"]))
            self._typed = True
        elif not self._understood(body.strip()):
            if after_typestr:
                raise FormatError(_LOST.format(line=excerpt(line.strip())))
            self._say(line.strip(), body.strip(), labelled=prefix["label"] is not None)

    def _understood(self, body: str) -> bool:
        """Whether this is a line of the grammar. Raises `FormatError` if it means to be one."""
        plain = unicodedata.normalize("NFKC", body).strip()
        verb = re.split(r"[\s:(]", plain, maxsplit=1)[0].lower()
        if plain.startswith("#!"):
            self.notes.append(body.lstrip("#＃!！").strip())
            self.words.append(self.notes[-1])
        elif plain.startswith("#"):
            self.words.append(body.lstrip("#＃").strip())
        elif plain.startswith("$"):
            self._end(Ask, body.lstrip("$＄").strip())
        elif _done.fullmatch(plain):
            self._end(Done)
        elif failed := _fail.fullmatch(body):
            self._end(Fail, failed["reason"].strip())
        elif verb in _COMMANDS:
            rest, _, comment = plain[len(verb) :].partition(" # ")
            self.words.append(comment.strip())
            self._command(_COMMANDS[verb](rest.lstrip(": ")))
        else:
            return False
        return True

    def _say(self, line: str, body: str, labelled: bool) -> None:
        """A question may have any lines; else what may be meant as a command is refused."""
        if self.ending not in (None, Done):
            self.last_words.append(line)
        elif body and (labelled or not is_sentence(unicodedata.normalize("NFKC", body))):
            _refuse(body)
        else:
            self.words.append(line)

    def _command(self, action: Action) -> None:
        if self.ending:
            raise FormatError("After `Done`, `Fail` or a `$` question no command may follow.")
        self.commands.append(action)

    def _end(self, ending: type[Done | Fail | Ask], *words: str) -> None:
        if self.ending not in (None, ending):
            raise FormatError("Write only one of `Done`, `Fail` and a `$` question.")
        self.ending = ending
        self.last_words += words

    def turn(self) -> ParsedReply:
        if len(self.commands) > MAX_COMMANDS:
            raise FormatError(
                f"The reply had {len(self.commands)} commands; at most {MAX_COMMANDS} are carried "
                "out at once. Write the next few, then look at the new screenshot."
            )
        if not self.commands and not self.ending:
            raise FormatError(
                "There was no command in the reply. Write one a line, such as `mouse 0.5 0.5 1`, "
                "`keyboard ENTER`, `typestr TEXT` or `Done`; thoughts begin with `#`."
            )
        notes = tuple(filter(None, self.notes))
        return ParsedReply(
            "\n".join(filter(None, self.words)), (*self.commands, *self._endings()), notes
        )

    def _endings(self) -> list[Action]:
        words = "\n".join(self.last_words).strip()
        if self.ending is Ask:
            return [Ask(question=_some(words))]
        if self.ending is Fail:
            return [Fail(reason=words)]
        return [Done()] if self.ending else []


def _refuse(body: str) -> NoReturn:
    plain = unicodedata.normalize("NFKC", body)
    verb = re.split(r"[\s:(]", plain, maxsplit=1)[0].lower()
    if verb in _HELP:
        raise FormatError(f"{excerpt(plain)} is not understood: {_HELP[verb]}")
    raise FormatError(
        f"There is no command {excerpt(plain)}. The commands are mouse, drag, keyboard, typestr, "
        "backspace, sleep, zoom, Done and Fail, one a line; thoughts begin with `#`."
    )


def _unwrapped(body: str) -> str:
    """Without a pair of code or bold marks around all of it."""
    for mark in _WRAPPERS:
        end = body.rstrip()
        if body.startswith(mark) and end.endswith(mark) and len(end) > 2 * len(mark):
            return end[len(mark) : -len(mark)]
    return body


def _some(question: str) -> str:
    if not question:
        raise FormatError("The question is missing: write it after the `$`, on the same line.")
    return question


# --- one reader per command; `rest` is what follows the verb --------------------------------------


def _typestr(text: str | None) -> Action:
    if not text:
        raise FormatError(f"`typestr` has no text: {_HELP['typestr']}")
    return Type(text=text)


def _mouse(rest: str) -> Action:
    x, y, code = _arguments(rest, "mouse", 3)
    at = _place(x, y)
    if code == "0":
        if at is None:
            raise FormatError("`mouse 0 0 0` does nothing: `0 0` is where the pointer is already.")
        return Move(at=at)
    if code not in _CODES:
        raise FormatError(f"The last number of `mouse` cannot be {excerpt(code)}: {_HELP['mouse']}")
    return _CODES[code](at)


def _drag(rest: str) -> Action:
    x0, y0, x1, y1 = _arguments(rest, "drag", 4)
    start, end = _place(x0, y0), _place(x1, y1)
    if end is None:
        raise FormatError("A drag cannot end at `0 0`; the corner is 0.001 0.001.")
    return Drag(path=(start, end) if start else (end,))


def _power(rest: str) -> Action:
    button = _PRESSES.get(rest.strip().rstrip(".").lower())
    if button is None:
        raise FormatError(f"`power {rest[:40]}` is not understood: {_HELP['power']}")
    return Power(button=button)


def _zoom(rest: str) -> Action:
    x0, y0, x1, y1 = _arguments(rest, "zoom", 4)
    return fields.zoom(FRACTIONS.at(x0, y0), FRACTIONS.at(x1, y1))


def _keyboard(rest: str) -> Action:
    names = fields.keys(rest) if rest else ()
    join_parts = "+" in rest.strip("+ ")
    if not names or any(" " in name for name in names):
        raise FormatError(f"`keyboard {rest[:40]}` is not understood: {_HELP['keyboard']}")
    if not join_parts and not all(map(fields.is_modifier, names[:-1])):
        raise FormatError(f"`keyboard {rest[:40]}` is not understood: {_HELP['keyboard']}")
    return Keypress(keys=names)


def _backspace(rest: str) -> Action:
    return Keypress(keys=("BACKSPACE",), count=fields.count(rest or "1", 200))


def _sleep(rest: str) -> Action:
    found = _seconds.fullmatch(rest.strip())
    if not found:
        raise FormatError(f"`sleep {rest[:40]}` is not understood: {_HELP['sleep']}")
    return Wait(seconds=fields.seconds(found[1]))


def _arguments(rest: str, verb: str, count: int) -> list[str]:
    found = re.sub(r"[(),;]", " ", rest).split()
    if len(found) != count:
        raise FormatError(f"`{verb} {rest[:40]}` is not understood: {_HELP[verb]}")
    return found


def _place(x: str, y: str) -> Point | None:
    """None for `0 0`: where the pointer is."""
    at = FRACTIONS.at(x, y)
    return None if at.x == 0 and at.y == 0 else at


def _click(**how: object) -> Callable[[Point | None], Action]:
    return lambda at: Click.model_validate({"at": at, **how})


_CODES: dict[str, Callable[[Point | None], Action]] = {
    "1": _click(),
    "2": _click(button="right"),
    "3": _click(count=2),
    "4": _click(button="right", count=2),
    "5": lambda at: Scroll(at=at, dy=NOTCHES),
    "6": lambda at: Scroll(at=at, dy=-NOTCHES),
    "7": _click(button="middle"),
    "8": _click(count=3),
}
_PRESSES: dict[str, Press] = {"press": "power", "hold": "hold_power", "reset": "reset"}
_COMMANDS: dict[str, Callable[[str], Action]] = {
    "mouse": _mouse,
    "drag": _drag,
    "keyboard": _keyboard,
    "backspace": _backspace,
    "sleep": _sleep,
    "power": _power,
    "zoom": _zoom,
}
_LOST = (
    "The text of typestr ends with its line, so {line} would be lost. Write one typestr per line "
    "of text, with `keyboard ENTER` between them."
)
_HELP = {
    "mouse": "write `mouse x y c` with x and y from 0 to 1 and c from 0 to 8, nothing else.",
    "drag": "write `drag x0 y0 x1 y1` with numbers from 0 to 1, nothing else.",
    "zoom": "write `zoom x0 y0 x1 y1` with two opposite corners from 0 to 1, nothing else.",
    "keyboard": "write `keyboard` and the keys joined by +, such as `keyboard CTRL+C`.",
    "typestr": "write `typestr`, one space and the text to type, on one line.",
    "sleep": "write `sleep` and the seconds, such as `sleep 2`.",
    "power": "write `power press`, `power hold` or `power reset`, nothing else.",
    "done": "write `Done` alone on the last line.",
    "failed": "write `Fail` and why the task cannot be done, on the last line.",
}
