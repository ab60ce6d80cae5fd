"""API types: one file per provider, each imported when it is first used.

A provider turns messages into its server's protocol and the answer into a `Reply`; the dialect
parses its text. `README.md` lists what a new one needs.
"""

from __future__ import annotations

import pkgutil
from typing import Any

from cua.events.log import EventLog
from cua.extras import missing_modules
from cua.messages import Message
from cua.screen.ocr.client import OcrClient
from cua.types import MissingExtra, Model, ModelError

from .endpoint import ModelEndpoint
from .retry import RetryingModel

_KINDS = {
    "openai": ("openai_chat:OpenAIChat", Message("settings.api_type.openai")),
    "dashscope": ("dashscope_native:DashScope", "DashScope"),
    "responses": ("openai_responses:OpenAIResponses", "OpenAI Responses"),
    "genai": ("google_genai:GenAI", "Google GenAI"),
    "anthropic": ("anthropic_messages:Anthropic", "Anthropic"),
    "local": ("local.local_operator:LocalOperator", Message("settings.api_type.local")),
}
"""API type -> module and class, and label. The extra `local` has the packages of that type."""
_NATIVE = {"responses": "openai_computer", "genai": "gemini", "anthropic": "claude"}
"""API type -> the dialect of the provider's own computer tool."""


def kinds() -> list[tuple[str, str, str]]:
    """Return value, label and one line of help of each, for the settings form."""
    return [
        (name, label, Message(f"settings.api_type.{name}.help"))
        for name, (_, label) in _KINDS.items()
    ]


def create(
    api_type: str,
    *,
    base_url: str,
    api_key: str,
    model_name: str,
    log: EventLog,
    dialect: str = "",
    ocr: OcrClient | None = None,
    **rest: Any,
) -> Model:
    """Make a model of an API type; `rest` are other fields of `ModelEndpoint`.

    `ocr`: see `LocalOperator`. The provider's own computer tool is offered if `dialect` is the one
    for it. Raises `ModelError` for an unknown type, for one whose packages are not installed, and
    for a provider's own server without a key.
    """
    if api_type not in _KINDS:
        text = Message("model.unknown_api_type", name=api_type, names=list(_KINDS))
        raise ModelError(text, setting="api_type")
    if api_type != "local" and not (api_key or base_url):  # the provider's own server
        raise ModelError(Message("model.key_missing"), setting="api_key")
    if missing_modules(api_type):
        raise MissingExtra(api_type, setting="api_type")
    make: Any = pkgutil.resolve_name(f"{__package__}.{_KINDS[api_type][0]}")
    if api_type == "local":
        model: Model = make(log, ocr)
        return model
    native = bool(dialect) and dialect == _NATIVE.get(api_type)
    server = (base_url.strip(), model_name.strip(), api_key.strip())
    endpoint = ModelEndpoint(*server, native=native, log=log, **rest)
    return RetryingModel(make(endpoint), endpoint)
