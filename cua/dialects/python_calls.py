"""Python code that only calls functions of a few modules, read from its syntax tree.

Arguments are literals; anything else, such as a name, a formula or an import, refuses all of it.
"""

from __future__ import annotations

import ast
import textwrap
import warnings

from ..messages import Message
from ..types import FormatError, ToolCall
from .coordinates import quote

MAX_CODE_CHARS = 12_000
"""The longest text that can be typed, with some calls around it. Such code cannot nest deep enough
to exhaust the stack of Python's own parser."""
_MODULES = {"pyautogui", "computer", "time", ""}


def parse_code(code: str) -> list[ToolCall]:
    """Return its calls, without the names of modules; positional arguments are "0", "1", ...

    Raises `FormatError`.
    """
    found = (_read_statement(statement) for statement in _parse(code).body)
    return [call for call in found if call]


def _read_statement(statement: ast.stmt) -> ToolCall | None:
    """Return the call of a statement; None for a harmless import."""
    if isinstance(statement, ast.Import) and all(n.name in _MODULES for n in statement.names):
        return None
    value = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(value, ast.Attribute) and value.attr == "wait":
        return ToolCall("wait", {})  # models also write it without brackets
    if not isinstance(value, ast.Call):
        raise FormatError(Message("format.code_only_calls"))
    return _read_call(value)


def _parse(code: str) -> ast.Module:
    if len(code) > MAX_CODE_CHARS:
        raise FormatError(Message("format.code_long"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as an unknown escape in a text
            return ast.parse(textwrap.dedent(code).strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise FormatError(Message("format.code_invalid", reason=quote(reason))) from None


def _read_call(node: ast.Call) -> ToolCall:
    arguments = {str(index): _read_literal(each) for index, each in enumerate(node.args)}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise FormatError(Message("format.code_stars"))
        arguments[keyword.arg] = _read_literal(keyword.value)
    return ToolCall(_read_name(node.func), arguments)


def _read_name(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        module = function.value.id
        return function.attr if module in _MODULES else f"{module}.{function.attr}"
    raise FormatError(Message("format.code_names"))


def _read_literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise FormatError(Message("format.code_literals")) from None
