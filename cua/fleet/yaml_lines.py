"""YAML as plain values, with the line of each."""

from __future__ import annotations

from typing import Any, NamedTuple

import yaml

Path = tuple[str | int, ...]
"""Keys and indexes from the top of the document to a value."""


class Fault(NamedTuple):
    line: int
    text: str


class LinedYaml(NamedTuple):
    value: Any
    lines: dict[Path, int]
    """Path of a value -> the line of its key, from 1."""
    faults: list[Fault]
    """Duplicate keys."""

    def line(self, path: Path) -> int:
        """Return the line of the value, or of the nearest one that contains it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_lined(text: str) -> LinedYaml:
    """Parse YAML with only plain values. Raises `yaml.YAMLError`."""
    root = yaml.compose(text, yaml.SafeLoader)
    found = LinedYaml(yaml.safe_load(text), {}, [])
    if root is not None:
        _walk(root, (), found)
    return found


def _walk(node: yaml.Node, path: Path, found: LinedYaml) -> None:
    found.lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        for index, each in enumerate(node.value):
            _walk(each, (*path, index), found)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner, line = (*path, str(key.value)), key.start_mark.line + 1
            if inner in found.lines:
                found.faults.append(Fault(line, f"{key.value} stands there twice"))
            found.lines[inner] = line
            _walk(value, inner, found)
