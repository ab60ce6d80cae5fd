"""Find all commands that a typed line may run, in whichever shell it is typed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

MAX_LINE_CHARS = 4000
"""Characters of a line at most; a longer one needs approval."""
_INVISIBLE = dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF, 0xAD])
_KNOWN_VARIABLES = ("$home", "${home", "$pwd", "$env:", "$psscriptroot", "$virtual_env", "$_")
"""Beginnings of names that are harmless, or that the text after them makes clear."""
_EXTENSIONS = (".exe", ".com", ".cmd", ".bat", ".ps1")
_SEPARATORS = ";|&\n(){}"


class Command(NamedTuple):
    """A simple command. `redirects`: such as `>file`; `piped`: it reads from a pipe.

    The name is `hidden` if it is computed, and `variable` if it is in a variable.
    """

    name: str
    arguments: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    piped: bool = False


def normalize(text: str) -> str:
    """Return the text without invisible characters, NFKC-normalised."""
    return unicodedata.normalize("NFKC", text).translate(_INVISIBLE)


def parse(line: str) -> list[Command]:
    """Parse a line as a Unix shell does, and as cmd.exe and PowerShell do.

    Unclosed quotes and brackets are accepted: the line may be a part, or prose.
    """
    spaced = line.replace("${IFS}", " ").replace("$IFS", " ").replace("{}", "FILE")
    unix, windows = _parse(spaced.replace("`", ";"), "\\"), _parse(spaced, "^`")
    return [_with_plain_name(each) for each in dict.fromkeys([*windows, *unix])]


def _parse(line: str, escapes: str) -> Iterator[Command]:
    words: list[str] = []
    piped = False
    for word, separator in _split(line, escapes):
        if word:
            words.append(word)
        if separator:
            yield from _command(words, piped)
            piped, words = separator == "|" and not (piped and not words), []


def _command(words: list[str], piped: bool) -> Iterator[Command]:
    arguments: list[str] = []
    redirects: list[str] = []
    for word in words:
        if redirects and not redirects[-1].strip("<>"):
            redirects[-1] += word
        elif word.lstrip("012").startswith(("<", ">")):
            redirects.append(word.lstrip("012"))
        else:
            arguments.append(word)
    if words:
        name = arguments[0] if arguments else ":"
        yield Command(name, tuple(arguments[1:]), tuple(redirects), piped)


def _split(line: str, escapes: str) -> Iterator[tuple[str, str]]:
    """Yield words without quotes and escapes, each with the separator after it, or none."""
    quotes = "\"'" if line.count("'") % 2 == 0 else '"'  # a single one is an apostrophe
    word, quote, escaped = "", "", False
    for index, char in enumerate(line):
        if escaped:
            word, escaped = word + char, False
        elif quote:
            quote, word = ("", word) if char == quote else (quote, word + char)
        elif char in escapes:
            escaped = True
        elif char in quotes:
            quote = char
        elif char in _SEPARATORS and line[index - 1 : index] != ">":
            yield word, char
            word = ""
        elif char.isspace() or (char in "<>" and (word.strip("012<>") or len(word) > 2)):
            yield word, ""
            word = char.strip()
        else:
            word += char
    yield word, "\n"


def _with_plain_name(command: Command) -> Command:
    """Return the command under its name without a path and an extension."""
    name = command.name.strip().lstrip("@&").lower()
    if name[:1] in ("$", "%") and len(name) > 1 and "." not in name:
        return command if name.startswith(_KNOWN_VARIABLES) else command._replace(name="variable")
    recalled = name.startswith("!!") or (name[:1] == "!" and name[1:2].isalpha())
    glob = name[:1] in ("/", "~", ".") and any(each in name for each in "?*[")
    if recalled or glob or ",-" in name:
        return command._replace(name="hidden", arguments=(command.name, *command.arguments))
    folder, slash, last = name.replace("\\", "/").rstrip("/").rpartition("/")
    name = last if folder or not slash else name  # `/rm` is a search in an editor
    for extension in _EXTENSIONS:
        name = name.removesuffix(extension)
    return command._replace(name=name)
