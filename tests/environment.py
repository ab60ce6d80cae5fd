"""Writes `cua/cli/environment.md`, the table of environment variables, from the fields of the
settings: `python -m tests.environment`.
"""

from __future__ import annotations

from typing import Any

from cua.cli.options import ENVIRONMENT
from cua.dialects import registry
from cua.hid import layouts
from cua.settings import Settings, describe_field

HEAD = """\
# Environment variables

Written by `python -m tests.environment`. A variable overrides the settings file and is never saved.
An empty one counts as not set.

| variable | values | default | meaning |
| --- | --- | --- | --- |
"""
NAMES = {
    "dialect": ["auto", *(name for name, _, _ in registry.names())],
    "keyboard_layout": ["auto", *layouts.names()],
}
"""Values that are files or modules rather than a type."""
OTHERS = (
    ("CUA_CONFIG", "path", "", "The settings file."),
    ("CUA_MCP_TOKEN", "text", "random", "The token that `mcp --http` accepts."),
    ("CUA_SECRET_NAME", "text", "", "A secret that the agent can type as `{{secret:name}}`."),
)


def table() -> str:
    """The file's whole text."""
    fields = Settings.model_json_schema()["properties"].items()
    rows = [*(_row(name, schema) for name, schema in fields), *OTHERS]
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(name: str, schema: dict[str, Any]) -> tuple[str, ...]:
    default = str(schema["default"]).lower() if schema["type"] == "boolean" else schema["default"]
    return f"CUA_{name.upper()}", _values(name, schema), str(default), describe_field(name)


def _values(name: str, schema: dict[str, Any]) -> str:
    if found := NAMES.get(name) or schema.get("enum"):
        return ", ".join(found)
    if schema["type"] == "boolean":
        return "true, false"
    if schema["type"] == "string":
        return (
            f"text of at most {schema['maxLength']} characters" if "maxLength" in schema else "text"
        )
    low, high = schema["minimum"], schema.get("maximum")
    return f"{schema['type']} from {low:g}" + (f" to {high:g}" if high else "")


if __name__ == "__main__":
    ENVIRONMENT.write_text(table(), encoding="utf-8")
