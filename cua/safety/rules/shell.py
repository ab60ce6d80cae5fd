"""Extract the simple commands that a typed line would run, for any shell.

Quotes, escapes, variables and wrappers such as `sudo` or `bash -c` are resolved, once as a Unix
shell does and once as Windows does. What cannot be resolved is reported as `HIDDEN`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from .wrappers import EXECUTORS, KEYWORDS, WRAPPERS

MAX_DEPTH = 4
MAX_CHARS = 10_000
"""Aliases may expand to many others; a longer line is reported as hidden."""
HIDDEN = "hidden-command"
"""Head of a command whose name cannot be read."""
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060\ufeff\u00ad]")
_ANSI_C = re.compile(r"\$'((?:[^'\\]|\\.)*)'")
_ESCAPED = re.compile(r"\\(?:[xuU]([0-9a-fA-F]{1,4})|0?([0-7]{1,3}))")
_BRACES = re.compile(r"\{([^\s{}]*,[^\s{}]*)\}")
_NESTED = re.compile(r"\$\(([^()]*)\)|`([^`]*)`")
_ASSIGNED = re.compile(
    r"""(?:^|[\s;&(])(?:set\s+"?|export\s+|\$)?(\w+)\s?=\s?("[^"]*"|'[^']*'|[^\s;&"']+)"""
)
_ALIASED = re.compile(
    r"""(?:^|[\s;&])(?:alias|doskey|(?:set|new)-alias|sal|nal)\s+(?:-(?!value)\w+\s+)*"""
    r"""(\w[\w.-]*)(?:=|\s+(?:-value\s+)?)("[^"]*"|'[^']*'|[^\s;&"']+)""",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"((?:^|[;|&(){}\n])\s*(?:(?:sudo|doas|time|nohup|exec|then|do|else)\s+)*)(\w[\w.-]*)(?=[\s;|&)]|$)"
)
"""The text before a command, and its name."""
_VARIABLE = re.compile(r"\$\{?(\w+)\}?|%(\w+)%")
_KNOWN_VARIABLES = re.compile(
    r"\$\{?(?:HOME|PWD|env:|\(|PSScriptRoot|_\b|VIRTUAL_ENV)", re.IGNORECASE
)
_EXTENSION = re.compile(r"\.(?:exe|com|cmd|bat|ps1)$")
_SEPARATORS = ";|&\n(){}"


def plain(text: str) -> str:
    """Return the text without invisible characters, NFKC-normalised."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def commands(line: str, before: Sequence[str] = (), *, whole: bool = True) -> list[str]:
    """Return each command as `head rest`, head in lower case; `|head` if it reads from a pipe.

    A `whole` command ends in a newline; of one that may go on, the last word is omitted.
    `before`: the lines entered before, for their assignments and for `!!`.
    """
    text = _recalled(plain(line), before)
    text = _unaliased(_assigned(text, [*before[-5:], text]), [*before, text]) + "\n" * whole
    found = [each for unix in (True, False) for each in _read(text, unix, MAX_DEPTH)]
    return list(dict.fromkeys(found))


def _recalled(text: str, before: Sequence[str]) -> str:
    if "!" not in text or not before:
        return text
    text = text.replace("!!", before[-1])
    return re.sub(
        r"(?:^|(?<=\s))!([a-z]\w*)",
        lambda match: next((old for old in reversed(before) if old.startswith(match[1])), match[0]),
        text,
    )


def _assigned(text: str, lines: Sequence[str]) -> str:
    values: dict[str, str] = {
        name.lower(): value.strip("\"'")
        for line in lines
        for name, value in _ASSIGNED.findall(line)
    }
    if not values:
        return text

    def value(match: re.Match[str]) -> str:
        if re.match(r"\s?=[^=]", text[match.end() :]):
            return match[0]
        name: str = match[1] or match[2]
        return values.get(name.lower(), match[0])

    return _VARIABLE.sub(value, _VARIABLE.sub(value, text))


def _unaliased(text: str, lines: Sequence[str]) -> str:
    """Aliases may stand for others."""
    values = {name: value.strip("\"'") for line in lines for name, value in _ALIASED.findall(line)}
    for _ in range(MAX_DEPTH if values else 0):
        text = _COMMAND.sub(lambda found: f"{found[1]}{values.get(found[2], found[2])}", text)
        if len(text) > MAX_CHARS:
            return f"{HIDDEN} {text[:MAX_CHARS]}"
    return text


def _read(text: str, unix: bool, depth: int) -> Iterator[str]:
    if depth == 0:
        return
    if unix:
        text = _ANSI_C.sub(lambda match: _decoded(match[1]), text)
        text = re.sub(r"\$\{?IFS\}?(?:\$9)?", " ", text)
        text = text.replace("{}", "FILE")
        text = _BRACES.sub(lambda match: match[1].replace(",", " "), text)
    for match in _NESTED.finditer(text):
        yield from _read(match[1] or match[2] or "", unix, depth - 1)
    if unix:
        text = re.sub(r"`[^`]*`", HIDDEN, text)
    for separators, tokens in _split(text, unix):
        end = "\n" if separators[1] else ""
        if not (end or text[-1:].isspace()):  # the last word may go on
            tokens = tokens[:-1]
        yield from _command(tokens, separators[0] == "|", unix, depth, end)


def _decoded(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1] or match[2], 16 if match[1] else 8)), text)


def _split(text: str, unix: bool) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """The simple commands as tokens without quotes, with the separators before and after each."""
    tokens: list[str] = []
    before = ""
    for token, separator in _tokens(text, "\\" if unix else "^`"):
        if token is not None:
            tokens.append(token)
        if separator and tokens:
            yield (before, separator), tokens
            before, tokens = separator, []
    if tokens:
        yield (before, ""), tokens


def _tokens(text: str, escapes: str) -> Iterator[tuple[str | None, str]]:
    """Tokens, each with the separator after it or ""; a redirection is a token of its own."""
    word: str | None = None
    quote, literal = "", False
    for index, char in enumerate(text):
        escape = not literal and _escapes(char, quote, escapes)
        if escape:
            literal = True
        elif literal or (quote and char != quote):
            word, literal = (word or "") + char, False
        elif char == quote:
            quote = ""
        elif char in "\"'" and not _apostrophe(text, index):
            quote, word = char, word or ""
        elif _separates(text, index):
            yield word, char
            word = None
        else:
            done, word = _extend(word, char)
            if done is not None:
                yield done, ""
    yield word, "\n" * text.endswith("\n")  # of a quote that is still open


def _separates(text: str, index: int) -> bool:
    """Not the & of `2>&1`."""
    return text[index : index + 1] in _SEPARATORS and text[index - 1 : index + 1] != ">&"


def _escapes(char: str, quote: str, escapes: str) -> bool:
    return char in escapes and quote != "'" and not (quote and char == "^")


def _extend(word: str | None, char: str) -> tuple[str | None, str | None]:
    """The token that `char` ends, if any, and the one that it goes on with or begins."""
    if char.isspace():
        return word, None
    arrows = word is not None and word.strip("<>") == "" and word != ""
    if word is None or arrows == (char in "<>"):
        return None, (word or "") + char
    return word, char


def _apostrophe(text: str, index: int) -> bool:
    """As in "don't": between letters, and none that closes it."""
    between = text[index - 1 : index].isalpha() and text[index + 1 : index + 2].isalpha()
    return text[index] == "'" and between and text.count("'") == 1


def _command(tokens: list[str], piped: bool, unix: bool, depth: int, end: str) -> Iterator[str]:
    whole, tokens = tokens, _unwrapped(tokens)
    for each in [whole, tokens] if whole and _head(whole[0]) in WRAPPERS else [tokens]:
        if each:
            yield " ".join(["|" * piped + _head(each[0]), *each[1:]]) + end
    inner = EXECUTORS.get(_head(tokens[0])) if tokens else None
    match = inner and re.search(inner, " ".join(tokens[1:]), re.IGNORECASE | re.DOTALL)
    if match:
        yield from _read(match[match.lastindex or 0] + end, unix, depth - 1)


def _unwrapped(tokens: list[str]) -> list[str]:
    """Remove wrappers, keywords and assignments before the command."""
    while tokens:
        head = _head(tokens[0])
        if re.fullmatch(r"\w+=.*", tokens[0]) or head in KEYWORDS:
            tokens = tokens[1:]
        elif tokens[0].startswith("$") and tokens[1:2] == ["="]:
            tokens = tokens[2:]
        elif head in WRAPPERS and len(tokens) > 1:
            rest = " ".join(tokens[1:])
            match = re.match(WRAPPERS[head], rest)
            left = tokens[1 + len(rest[: match.end()].split()) :] if match else []
            if not left:
                return tokens
            tokens = left
        else:
            return tokens
    return tokens


def _head(token: str) -> str:
    if token.startswith("$") and not _KNOWN_VARIABLES.match(token):
        return HIDDEN if re.fullmatch(r"\$\{?[A-Za-z_]\w*\}?", token) else token.lower()
    name = re.split(r"[/\\]", token.strip().lstrip("@&"))[-1] or token
    if re.search(r"[?*\[]", name) and "/" in token:
        return HIDDEN
    return _EXTENSION.sub("", name.lower())
