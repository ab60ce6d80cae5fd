"""Small changes of a program: operators, constants, dropped statements, early returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
DROPPED = (ast.Expr, ast.AugAssign, ast.Raise, ast.Delete, ast.Continue, ast.Break)
NOT_RUN = {"annotation", "returns", "decorator_list"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Mutant(NamedTuple):
    """A changed program. `before` and `after` are the first line of the changed statement."""

    line: int
    function: str
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        return f"{self.function}: {self.before} -> {self.after}"


class _Edit(NamedTuple):
    """A change of one field of a node, or of one item of the list in it."""

    node: ast.AST
    field: str
    place: int | None
    new: Any

    def swap(self) -> _Edit:
        """Apply the change. Returns the one that takes it back."""
        old = getattr(self.node, self.field)
        if self.place is None:
            setattr(self.node, self.field, self.new)
            return self._replace(new=old)
        item = old[self.place]
        old[self.place] = self.new
        return self._replace(new=item)


def mutants(source: str) -> Iterator[Mutant]:
    tree = ast.parse(source)
    yield from _walk(tree, tree, tree, "module")


def _walk(tree: ast.AST, node: ast.AST, statement: ast.AST, function: str) -> Iterator[Mutant]:
    if isinstance(node, ast.stmt):
        statement = node
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        function = node.name if function == "module" else f"{function}.{node.name}"
    for edit in _edits(node):
        yield _apply(tree, edit, statement, function)
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and field not in NOT_RUN:
                yield from _walk(tree, child, statement, function)


def _apply(tree: ast.AST, edit: _Edit, statement: ast.AST, function: str) -> Mutant:
    if isinstance(edit.new, ast.stmt) and edit.place is not None:
        statement = getattr(edit.node, edit.field)[edit.place]
    before = _first_line(statement)
    back = edit.swap()
    after = _first_line(edit.new if isinstance(edit.new, ast.stmt) else statement)
    source = ast.unparse(ast.fix_missing_locations(tree))
    back.swap()
    return Mutant(getattr(statement, "lineno", 0), function, before, after, source)


def _first_line(statement: ast.AST) -> str:
    return ast.unparse(statement).split("\n", 1)[0]


def _edits(node: ast.AST) -> Iterator[_Edit]:
    yield from _operators(node)
    yield from _values(node)
    yield from _statements(node)


def _operators(node: ast.AST) -> Iterator[_Edit]:
    if isinstance(node, ast.Compare):
        for index, each in enumerate(node.ops):
            if type(each) in OTHER:
                yield _Edit(node, "ops", index, OTHER[type(each)]())
    elif isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OTHER:
        yield _Edit(node, "op", None, OTHER[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _Edit(node, "operand", None, ast.UnaryOp(ast.Not(), node.operand))
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)) and not _is_for_types(node.test):
        yield _Edit(node, "test", None, ast.UnaryOp(ast.Not(), node.test))


def _values(node: ast.AST) -> Iterator[_Edit]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield _Edit(node, "value", None, not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield _Edit(node, "value", None, node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield _Edit(node, "value", None, node.value * 2 + (node.value == 0))
    elif isinstance(node, ast.Return) and node.value and not _is_none(node.value):
        yield _Edit(node, "value", None, ast.Constant(None))


def _statements(node: ast.AST) -> Iterator[_Edit]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        for index, each in enumerate(block if isinstance(block, list) else []):
            if _can_be_dropped(each):
                yield _Edit(node, field, index, ast.Pass())
    if isinstance(node, FUNCTIONS):
        first = int(_is_docstring(node.body[0]))
        if len(node.body) > first + 1:
            yield _Edit(node, "body", first, ast.Return())


def _can_be_dropped(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        return not any(isinstance(each, (ast.Name, ast.Tuple)) for each in statement.targets)
    return isinstance(statement, DROPPED) and not _is_docstring(statement)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_for_types(test: ast.expr) -> bool:
    """The same at run time, but slower."""
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
