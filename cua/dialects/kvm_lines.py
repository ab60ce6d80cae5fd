"""KVM lines: the KVM vendor's own commands, for any model that has no action language of its own.

One command a line: `mouse x y c`, `drag`, `keyboard`, `typestr`, `backspace`, `sleep`, `zoom`,
`power`, `mount`, `eject`, `Done`, `Fail`; lines with `#` are thoughts, with `#!` notes to keep,
with `$` a question. Plain sentences are thoughts too; any other line refuses the reply. Models wrap
lines in all kinds of ways, which is undone line by line; but what follows `typestr` is typed to the
letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NoReturn

from ..messages import Message, sentences
from ..types import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Eject,
    Fail,
    FormatError,
    Keypress,
    Mount,
    Move,
    NoAction,
    ParsedReply,
    Point,
    Power,
    Reply,
    Scroll,
    Type,
    Wait,
)
from . import action_readers, fields
from .base_dialect import BaseDialect
from .coordinates import FRACTIONS, CoordinateSpace, quote
from .prose import is_sentence

MAX_COMMANDS = 3
NOTCHES = 8
"""Wheel notches of one scroll command."""

_LINE_START = (
    r"[ \t\u3000\u200b\ufeff]*(?:(?:[-*•>]|\d{1,2}[.)、．])[ \t]+)?"
    r"(?:(?:(?P<label>action|command)|step[ ]\d{1,2})[ \t]*[:：][ \t]*)?"
)
_TYPESTR = re.compile(
    r"(?P<verb>typestr)(?:[:：](?=\s|$))?(?:[ \t\u3000](?P<text>.*))?", re.IGNORECASE | re.DOTALL
)
_VERBATIM = re.compile(
    rf"^{_LINE_START}[`*]{{0,3}}typestr[:： \t\u3000]", re.IGNORECASE | re.MULTILINE
)
_PREFIX = re.compile(_LINE_START, re.IGNORECASE)
_DONE = re.compile(r"[*_`]{0,3}done[.!。]?[*_`]{0,3}[.!。]?", re.IGNORECASE)
_FAIL = re.compile(
    r"(?:fail(?=[\s:：]|$)|failed(?=[:：]))[\s:：]*(?P<reason>.*)", re.IGNORECASE | re.DOTALL
)
_WRAPPER = re.compile(
    r"\s*(?:(?:```|~~~)[ \t]*[\w+-]{0,20}|</?(?:answer|output|commands?|actions?)>"
    r"|<\|\w{1,30}\|>)\s*"
)
_SECONDS = re.compile(r"([\d.]{1,10}) ?(?:s|sec|secs|second|seconds)?", re.IGNORECASE)
_WRAPPERS = ("```", "**", "__", "`")


class KvmLines(BaseDialect):
    format_hint = Message("format.write_lines")
    coordinate_space = FRACTIONS

    def read(self, reply: Reply, _: CoordinateSpace) -> ParsedReply:
        if reply.calls:
            raise FormatError(sentences(Message("format.calls_not_used"), self.format_hint))
        reader = _Reader()
        for line in reply.text.split("\n"):
            reader.read_line(line.removesuffix("\r"))
        return reader.parsed_reply()

    def find_call_end(self, text: str, start: int, before: int) -> int | None:
        line = _VERBATIM.search(text, start, before)
        if line is None:
            return None
        end = text.find("\n", line.end())
        return len(text) if end < 0 else end


class _Reader:
    """Reads a reply line by line."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.notes: list[str] = []
        self.commands: list[Action] = []
        self.ending: type[Done | Fail | Ask] | None = None
        self.last_words: list[str] = []
        """Lines of the question, or of the reason why the task cannot be done."""
        self._typed = False
        """Whether the line before was typestr: prose after it is lost text."""

    def read_line(self, line: str) -> None:
        after_typestr, self._typed = self._typed, False
        if not line.strip() or _WRAPPER.fullmatch(line):
            return
        prefix = _PREFIX.match(line)
        assert prefix is not None
        body = _unwrap(line[prefix.end() :])
        typing = _TYPESTR.fullmatch(body)
        if typing:
            self._add_command(_typestr(typing["text"]))
            self._typed = True
        elif not self._read_command(body.strip()):
            if after_typestr:
                raise FormatError(Message("format.kvm_lost_line", line=quote(line.strip())))
            self._add_words(line.strip(), body.strip(), labelled=prefix["label"] is not None)

    def _read_command(self, body: str) -> bool:
        """Return whether this is a line of the grammar. Raises `FormatError` for a broken one."""
        plain = _normalize(body)
        verb = _find_verb(plain)
        if plain.startswith("#!"):
            self.notes.append(body.lstrip("#＃!！").strip())
            self.words.append(self.notes[-1])
        elif plain.startswith("#"):
            self.words.append(body.lstrip("#＃").strip())
        elif plain.startswith("$"):
            self._set_ending(Ask, body.lstrip("$＄").strip())
        elif _DONE.fullmatch(plain):
            self._set_ending(Done)
        elif failed := _FAIL.fullmatch(body):
            self._set_ending(Fail, failed["reason"].strip())
        elif verb in _COMMANDS:
            text, _, comment = plain[len(verb) :].partition(" # ")
            rest = text.lstrip(": ")
            self.words.append(comment.strip())
            self._add_command(_COMMANDS[verb](rest) or _not_understood(verb, f"{verb} {rest}"))
        else:
            return False
        return True

    def _add_words(self, line: str, body: str, labelled: bool) -> None:
        """Add prose. A question may have any lines; else refuse a line that may be a command."""
        if self.ending not in (None, Done):
            self.last_words.append(line)
        elif body and (labelled or not is_sentence(_normalize(body))):
            _refuse(_normalize(body))
        else:
            self.words.append(line)

    def _add_command(self, action: Action) -> None:
        if self.ending:
            raise FormatError(Message("format.after_ending"))
        self.commands.append(action)

    def _set_ending(self, ending: type[Done | Fail | Ask], *words: str) -> None:
        if self.ending not in (None, ending):
            raise FormatError(Message("format.kvm_one_ending"))
        self.ending = ending
        self.last_words += words

    def parsed_reply(self) -> ParsedReply:
        if len(self.commands) > MAX_COMMANDS:
            count = len(self.commands)
            raise FormatError(Message("format.too_many", count=count, most=MAX_COMMANDS))
        words, notes = "\n".join(filter(None, self.words)), tuple(filter(None, self.notes))
        if not self.commands and not self.ending:
            help_text = Message("format.kvm_help.lines")
            raise NoAction(sentences(Message("format.kvm_no_command"), help_text), words)
        return ParsedReply(words, (*self.commands, *self._endings()), notes)

    def _endings(self) -> list[Action]:
        words = "\n".join(self.last_words).strip()
        if self.ending is Ask:
            return [Ask(question=fields.parse_text(words, Message("format.question")))]
        if self.ending is Fail:
            return [Fail(reason=words)]
        return [Done()] if self.ending else []


def _normalize(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip()


def _refuse(line: str) -> NoReturn:
    verb = _find_verb(line)
    if verb in ("typestr", "done", "failed"):
        _not_understood(verb, line)
    raise _format_error("commands", Message("format.kvm_no_such_command", name=quote(line)))


def _find_verb(line: str) -> str:
    return re.split(r"[\s:(]", line, maxsplit=1)[0].lower()


def _not_understood(verb: str, text: str) -> NoReturn:
    raise _format_error(verb, Message("format.kvm_not_understood", text=quote(text)))


def _format_error(help_on: str, reason: Message) -> FormatError:
    return FormatError(sentences(reason, Message(f"format.kvm_help.{help_on}")))


def _unwrap(body: str) -> str:
    """Remove a pair of code or bold marks around the whole line."""
    for mark in _WRAPPERS:
        end = body.rstrip()
        if body.startswith(mark) and end.endswith(mark) and len(end) > 2 * len(mark):
            return end[len(mark) : -len(mark)]
    return body


def _typestr(text: str | None) -> Action:
    return Type(text=text) if text else _not_understood("typestr", "typestr")


# `rest` is the text after the verb. None: it does not fit the verb.


def _mouse(rest: str) -> Action | None:
    if not (numbers := _split_numbers(rest, 3)):
        return None
    at, code = _find_point(*numbers[:2]), numbers[2]
    if code == "0":
        if at is None:
            raise FormatError(Message("format.kvm_move_nowhere"))
        return Move(at=at)
    return _CODES[code](at) if code in _CODES else None


def _drag(rest: str) -> Action | None:
    if not (numbers := _split_numbers(rest, 4)):
        return None
    start, end = _find_point(*numbers[:2]), _find_point(*numbers[2:])
    if end is None:
        raise FormatError(Message("format.kvm_drag_nowhere"))
    return Drag(path=(start, end) if start else (end,))


def _power(rest: str) -> Action | None:
    button = action_readers.CASE_BUTTONS.get(rest.strip().rstrip(".").lower())
    return Power(button=button) if button else None


def _mount(rest: str) -> Action | None:
    image, as_disk, _ = rest.strip().partition(" as disk")
    return Mount(image=image, drive="disk" if as_disk else "cdrom") if image else None


def _eject(rest: str) -> Action | None:
    return None if rest.strip(" .") else Eject()


def _zoom(rest: str) -> Action | None:
    if not (numbers := _split_numbers(rest, 4)):
        return None
    return fields.make_zoom(FRACTIONS.to_point(*numbers[:2]), FRACTIONS.to_point(*numbers[2:]))


def _keyboard(rest: str) -> Action | None:
    names = fields.parse_keys(rest) if rest else ()
    joined = "+" in rest.strip("+ ") or all(map(fields.is_modifier, names[:-1]))
    fits = names and joined and not any(" " in name for name in names)
    return Keypress(keys=names) if fits else None


def _backspace(rest: str) -> Action:
    return Keypress(keys=("BACKSPACE",), count=fields.parse_count(rest or "1", 200))


def _sleep(rest: str) -> Action | None:
    found = _SECONDS.fullmatch(rest.strip())
    return Wait(seconds=fields.parse_seconds(found[1])) if found else None


def _split_numbers(rest: str, count: int) -> list[str]:
    """Return the numbers if there are `count`, else none."""
    found = re.sub(r"[(),;]", " ", rest).split()
    return found if len(found) == count else []


def _find_point(x: str, y: str) -> Point | None:
    """Return a point; None for `0 0`: at the pointer."""
    at = FRACTIONS.to_point(x, y)
    return None if at.x == 0 and at.y == 0 else at


_CODES: dict[str, Callable[[Point | None], Action]] = {
    "1": lambda at: Click(at=at),
    "2": lambda at: Click(at=at, button="right"),
    "3": lambda at: Click(at=at, count=2),
    "4": lambda at: Click(at=at, button="right", count=2),
    "5": lambda at: Scroll(at=at, dy=NOTCHES),
    "6": lambda at: Scroll(at=at, dy=-NOTCHES),
    "7": lambda at: Click(at=at, button="middle"),
    "8": lambda at: Click(at=at, count=3),
}
_COMMANDS: dict[str, Callable[[str], Action | None]] = {
    "mouse": _mouse,
    "drag": _drag,
    "keyboard": _keyboard,
    "backspace": _backspace,
    "sleep": _sleep,
    "power": _power,
    "mount": _mount,
    "eject": _eject,
    "zoom": _zoom,
}
