"""Print the packages of `cua/`, their sizes and circles of imports: `python -m tests.layout`.

`tests/test_layout.py` bounds these figures.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

from tests.support.kvm_hardware import ROOT

Graph = dict[str, set[str]]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Module:
    """A Python file of `cua/`; `name` is dotted, without `.__init__`."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def package(self) -> str:
        """The package or module directly in `cua/`; empty for `cua` itself."""
        return ".".join(self.name.split(".")[1:2])

    @property
    def has_logic(self) -> bool:
        """Whether it defines a function or a class."""
        return any(isinstance(node, (*FUNCTIONS, ast.ClassDef)) for node in self.tree.body)

    def functions(self) -> Iterator[tuple[int, str]]:
        """Lines and place of each function."""
        for node in ast.walk(self.tree):
            if isinstance(node, FUNCTIONS):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                yield lines, f"{self.name}.{node.name}"

    def imports(self, known: set[str], inside_functions: bool) -> set[str]:
        """Modules of `known` that it imports when it is loaded, and on use too if asked for."""
        nodes = ast.walk(self.tree) if inside_functions else _on_load(self.tree.body)
        found = {name for node in nodes for name in self._imported(node, known)}
        return found - {self.name}

    def _imported(self, node: ast.AST, known: set[str]) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        if isinstance(node, ast.ImportFrom):
            base = self._base(node)
            for alias in node.names:
                name = f"{base}.{alias.name}"
                yield from [name] if name in known else [base] if base in known else []

    def _base(self, node: ast.ImportFrom) -> str:
        """The absolute name from which `node` imports."""
        package = self.name.split(".")
        if self.path.name != "__init__.py":
            package.pop()
        above = package[: len(package) - node.level + 1] if node.level else []
        return ".".join([*above, *([node.module] if node.module else [])])


def _on_load(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """Statements that run on import: not those in functions and under `TYPE_CHECKING`."""
    for node in body:
        if isinstance(node, FUNCTIONS):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from _on_load(
            child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)
        )


def modules() -> list[Module]:
    found = []
    for path in sorted((ROOT / "cua").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found.append(Module(name, path))
    return found


def graph(found: list[Module], inside_functions: bool) -> Graph:
    """Which module imports which."""
    known = {module.name for module in found}
    return {module.name: module.imports(known, inside_functions) for module in found}


def by_package(imports: Graph, found: list[Module]) -> Graph:
    """Which package imports which."""
    package = {module.name: module.package for module in found}
    packages: Graph = {name: set() for name in package.values() if name}
    for name, imported in imports.items():
        if own := package[name]:
            packages[own] |= {package[each] for each in imported} - {own, ""}
    return packages


def circles(imports: Graph) -> list[list[str]]:
    """Groups of modules that import each other, directly or through others."""
    reached = {name: _reached(imports, name) for name in imports}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in imports
        if name in reached[name]
    }
    return sorted(list(group) for group in groups)


def _reached(imports: Graph, start: str) -> set[str]:
    found: set[str] = set()
    todo = [start]
    while todo:
        new = imports[todo.pop()] - found
        found |= new
        todo += new
    return found


def levels(imports: Graph) -> list[list[str]]:
    """Packages from the bottom: each imports only those of lower levels."""
    found: list[list[str]] = []
    left = dict(imports)
    while left:
        level = sorted(name for name, imported in left.items() if not imported & left.keys())
        found.append(level or sorted(left))
        for name in found[-1]:
            del left[name]
    return found


def functions(found: list[Module]) -> list[tuple[int, str]]:
    """Lines and place of each function, the longest last."""
    return sorted(function for module in found for function in module.functions())


def lines(found: list[Module]) -> int:
    return sum(len(module.text.splitlines()) for module in found)


def with_logic(found: list[Module]) -> list[str]:
    """`__init__.py` files that define a function or a class."""
    return [each.name for each in found if each.path.name == "__init__.py" and each.has_logic]


def main() -> None:
    found = modules()
    on_load, all_imports = graph(found, False), graph(found, True)
    packages = by_package(all_imports, found)
    for number, level in enumerate(reversed(levels(packages))):
        for name in level:
            _print_package(number + 1, name, [each for each in found if each.package == name])
    _print("circles of modules on load", circles(on_load))
    _print("circles of modules with imports in functions", circles(all_imports))
    _print("circles of packages", circles(packages))
    _print("__init__.py files that define something", [[name] for name in with_logic(found)])
    lengths = functions(found)
    middle = median(count for count, _ in lengths)
    _write(f"{len(lengths)} functions: median {middle:g} lines, longest:")
    for count, name in reversed(lengths[-3:]):
        _write(f"    {count:>3} {name}")
    _write(f"{len(found)} files, {lines(found)} lines")


def _print_package(level: int, name: str, found: list[Module]) -> None:
    _write(f"{level:>2}  {name:<12} {len(found):>3} files {lines(found):>6} lines")


def _print(title: str, groups: list[list[str]]) -> None:
    _write(f"{title}: {len(groups) or 'none'}")
    for group in groups:
        _write(f"    {', '.join(group)}")


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
