"""API types: one file per provider, each imported when it is first used.

A provider turns messages into its server's protocol and the answer into a `Reply`; the meaning of
the text is the dialect's.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from cua.extras import missing_modules
from cua.messages import Message
from cua.types import MissingExtra, Model, ModelError

from .endpoint import ModelEndpoint
from .retry import RetryingModel


class _Kind(NamedTuple):
    label: str
    help: str
    module: str
    name: str
    extra: str = ""
    native: str = ""
    """The dialect of the provider's own computer tool."""


_KINDS = {
    "openai": _Kind(
        Message("settings.api_type.openai"),
        Message("settings.api_type.openai.help"),
        "openai_chat",
        "OpenAIChat",
    ),
    "dashscope": _Kind(
        "DashScope",
        Message("settings.api_type.dashscope.help"),
        "dashscope_native",
        "DashScope",
    ),
    "responses": _Kind(
        "OpenAI Responses",
        Message("settings.api_type.responses.help"),
        "openai_responses",
        "OpenAIResponses",
        native="openai_computer",
    ),
    "genai": _Kind(
        "Google GenAI",
        Message("settings.api_type.genai.help"),
        "google_genai",
        "GenAI",
        "genai",
        "gemini",
    ),
    "anthropic": _Kind(
        "Anthropic",
        Message("settings.api_type.anthropic.help"),
        "anthropic_messages",
        "Anthropic",
        "anthropic",
        "claude",
    ),
    "local": _Kind(
        Message("settings.api_type.local"),
        Message("settings.api_type.local.help"),
        "local",
        "LocalOperator",
        "local",
    ),
}


def kinds() -> list[tuple[str, str, str]]:
    """For the settings form: value, label, one line of help."""
    return [(value, kind.label, kind.help) for value, kind in _KINDS.items()]


def create(
    api_type: str, *, base_url: str, api_key: str, model_name: str, dialect: str = "", **rest: Any
) -> Model:
    """Make a model of an API type; `rest` are other fields of `ModelEndpoint`.

    The provider's own computer tool is offered if `dialect` is the one for it. Raises `ModelError`
    for an unknown type, and for one whose packages are not installed.
    """
    if api_type not in _KINDS:
        text = Message("model.unknown_api_type", name=api_type, names=list(_KINDS))
        raise ModelError(text, setting="api_type")
    if api_type == "dashscope" and not (api_key or base_url):  # the default settings
        raise ModelError(Message("model.not_chosen"), setting="api_type")
    kind = _KINDS[api_type]
    if missing_modules(kind.extra):
        raise MissingExtra(kind.extra, setting="api_type")
    make: Any = getattr(import_module(f".{kind.module}", __package__), kind.name)
    if api_type == "local":
        model: Model = make()
        return model
    native = bool(dialect) and dialect == kind.native
    server = (base_url.strip(), model_name.strip(), api_key.strip())
    peer = ModelEndpoint(*server, native=native, **rest)
    return RetryingModel(make(peer), peer)
