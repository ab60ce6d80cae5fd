"""The models' wires: one file per provider, each imported when it is first used.

A provider turns messages into its server's own shape and the answer into a `Reply`; it knows
nothing of what the words mean.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from cua.extras import command
from cua.types import Model, ModelError

from .patient import Patient
from .peer import Peer


class _Kind(NamedTuple):
    label: str
    help: str
    module: str
    name: str
    package: str
    extra: str = ""
    native: str = ""
    """The dialect of the tool that the provider brings itself."""


_KINDS = {
    "openai": _Kind(
        "OpenAI-compatible",
        "vLLM, SGLang, llama.cpp, Ollama, LM Studio, gateways, OpenRouter, OpenAI.",
        "openai_chat",
        "OpenAIChat",
        "openai",
    ),
    "dashscope": _Kind(
        "DashScope",
        "Alibaba Cloud Model Studio by its own protocol.",
        "dashscope_native",
        "DashScope",
        "dashscope",
        "dashscope",
    ),
    "responses": _Kind(
        "OpenAI Responses",
        "OpenAI's GPT-5.4 and later with its own computer tool.",
        "openai_responses",
        "OpenAIResponses",
        "openai",
        native="openai_computer",
    ),
    "genai": _Kind(
        "Google GenAI",
        "Gemini with its own computer-use functions.",
        "google_genai",
        "GenAI",
        "google.genai",
        "genai",
        "gemini",
    ),
    "anthropic": _Kind(
        "Anthropic",
        "Claude with its own computer tool.",
        "anthropic_messages",
        "Anthropic",
        "anthropic",
        "anthropic",
        "claude",
    ),
    "local": _Kind(
        "Local (OCR and rules, no AI)",
        "Reads the screen and follows plain instructions; nothing leaves this machine.",
        "local",
        "LocalOperator",
        "rapidocr",
        "local",
    ),
}
_NOT_CHOSEN = (
    "No model is chosen yet. Set its API type, base URL, name and key in Settings, or as "
    "CUA_API_TYPE, CUA_BASE_URL, CUA_MODEL_NAME and CUA_API_KEY."
)


def kinds() -> list[tuple[str, str, str]]:
    """For the settings form: value, label, one line of help."""
    return [(value, kind.label, kind.help) for value, kind in _KINDS.items()]


def create(
    api_type: str, *, base_url: str, api_key: str, model_name: str, dialect: str = "", **rest: Any
) -> Model:
    """The model of that API type; `rest` are the other fields of `Peer`, `notify` among them.

    Where `dialect` is the one of the provider's own computer tool, the tool is offered.

    Raises `ModelError` for an unknown type and for one whose packages are not installed.
    """
    if api_type not in _KINDS:
        raise ModelError(f"There is no API type `{api_type}`: choose one of {', '.join(_KINDS)}.")
    if api_type == "dashscope" and not (api_key or base_url):  # as the settings come
        raise ModelError(_NOT_CHOSEN)
    kind = _KINDS[api_type]
    if not _installed(kind.package):
        raise ModelError(
            f"{kind.label} needs a package more: run  {command(kind.extra)}. Or choose "
            "OpenAI-compatible in Settings, which needs none."
        )
    make: Any = getattr(import_module(f".{kind.module}", __name__), kind.name)
    if api_type == "local":
        model: Model = make()
        return model
    native = bool(dialect) and dialect == kind.native
    server = (base_url.strip(), model_name.strip(), api_key.strip())
    peer = Peer(*server, native=native, **rest)
    return Patient(make(peer), peer)


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # the package around it is not there
        return False
