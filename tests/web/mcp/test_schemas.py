"""The schemas of the tools, by the rules of the clients that take them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from mcp import Client

from cua.web.mcp.server import create
from tests.support.devices import Recorder
from tests.web.mcp.test_server import access

Schema = Mapping[str, Any]
Rule = Callable[[Schema], bool]

KEYWORDS = frozenset({
    "type", "properties", "required", "items", "enum", "description", "title", "default", "anyOf",
    "format", "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern",
    "additionalProperties",
})  # fmt: skip
"""Those that both OpenAI and Gemini take."""
TYPES = ("object", "array", "string", "integer", "number", "boolean")


def parts(schema: Schema) -> Iterator[Schema]:
    """The schema and all schemas in it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    if isinstance(schema.get("items"), Mapping):
        inner.append(schema["items"])
    for each in inner:
        yield from parts(each)


def arrays_name_their_items(schema: Schema) -> bool:
    """VS Code: no array without `items`, no tuple."""
    return all(
        isinstance(part.get("items"), Mapping) and "prefixItems" not in part
        for part in parts(schema)
        if part.get("type") == "array" or "prefixItems" in part
    )


def is_an_openai_function(schema: Schema) -> bool:
    """OpenAI: an object, without keywords beyond its subset, that names what it requires."""
    return (
        schema.get("type") == "object"
        and set(schema.get("required", ())) <= schema.get("properties", {}).keys()
        and all(part.keys() <= KEYWORDS | {"const"} for part in parts(schema))
    )


def is_a_gemini_function(schema: Schema) -> bool:
    """Gemini: OpenAPI with one type each, only strings in enums, objects that name properties."""
    return all(
        part.keys() <= KEYWORDS
        and (part.get("type") in TYPES or "anyOf" in part)
        and all(isinstance(value, str) for value in part.get("enum", ()))
        and (part.get("type") != "object" or "properties" in part)
        for part in parts(schema)
    )


RULES: tuple[Rule, ...] = (arrays_name_their_items, is_an_openai_function, is_a_gemini_function)


def of(inner: Schema) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": inner}}


async def test_every_client_takes_every_tool() -> None:
    async with Client(create(access(Recorder()))) as client:
        tools = (await client.list_tools()).tools
    for tool in tools:
        assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", tool.name)
        assert tool.description
        assert len(tool.description) <= 1024  # OpenAI
        unknown = {keyword for part in parts(tool.input_schema) for keyword in part} - KEYWORDS
        assert [rule.__name__ for rule in RULES if not rule(tool.input_schema)] == [], (
            f"{tool.name}, which has {unknown or 'no unknown keywords'}"
        )


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        (of({"type": "array"}), arrays_name_their_items),
        (of({"type": "array", "prefixItems": [{"type": "integer"}]}), arrays_name_their_items),
        (of({"type": "array", "items": of({"type": "array"})}), arrays_name_their_items),
        ({"type": "array", "items": {"type": "string"}}, is_an_openai_function),
        (of({"$ref": "#/$defs/A"}), is_an_openai_function),
        (of({"type": "string"}) | {"required": ["y"]}, is_an_openai_function),
        (of({"$ref": "#/$defs/A"}), is_a_gemini_function),
        (of({"type": ["string", "null"]}), is_a_gemini_function),
        (of({"type": "integer", "enum": [1, 2]}), is_a_gemini_function),
        (of({"type": "object", "additionalProperties": {"type": "string"}}), is_a_gemini_function),
        (of({"type": "array", "prefixItems": [], "items": of({})}), is_a_gemini_function),
    ],
)
def test_what_a_client_refuses_is_found(schema: Schema, rule: Rule) -> None:
    assert not rule(schema)
