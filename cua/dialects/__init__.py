"""The models' languages: one file per family, each imported when it is first used.

A dialect is pure: the history of a task becomes messages, a reply becomes actions in fractions of
the screen. To add one: a file here, a prompt in `prompts/`, a row in this table.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import NamedTuple

from ..types import CuaError, Dialect

DEFAULT = "kvm"


class _Kind(NamedTuple):
    label: str
    help: str
    module: str
    cls: str
    models: str = "(?!)"
    """Pattern of the model names that choose it; the first row that fits wins."""


_KINDS = {
    "qwen38": _Kind(
        "Qwen3.8",
        "Calls in tags; coordinates 0 to 1000; ends by saying so.",
        "qwen35",
        "Qwen38",
        r"qwen-?3\.8",
    ),
    "qwen35": _Kind(
        "Qwen3.5, 3.6, 3.7",
        "Calls in tags; coordinates 0 to 1000.",
        "qwen35",
        "Qwen35",
        r"qwen-?3\.[567]",
    ),
    "gui_owl_15": _Kind(
        "GUI-Owl 1.5",
        "Qwen3-VL's calls; coordinates 0 to 1000.",
        "gui_owl",
        "GuiOwl15",
        r"gui-?owl-?1[.-]5",
    ),
    "gui_owl": _Kind(
        "GUI-Owl",
        "Qwen2.5's calls with thoughts around them; pixels.",
        "gui_owl",
        "GuiOwl",
        r"gui-?owl",
    ),
    "evocua": _Kind(
        "EvoCUA",
        "Qwen3-VL's calls, keys can be held; coordinates 0 to 1000.",
        "evocua",
        "EvoCua",
        r"evocua",
    ),
    "mai_ui": _Kind(
        "MAI-UI",
        "Qwen's calls for phones and desktops; coordinates 0 to 999.",
        "mai_ui",
        "MaiUi",
        r"mai-?ui",
    ),
    "qwen3_vl": _Kind(
        "Qwen3-VL",
        "Its own computer_use calls as JSON; coordinates 0 to 1000.",
        "qwen3_vl",
        "Qwen3VL",
        r"qwen-?3-?vl",
    ),
    "qwen25_vl": _Kind(
        "Qwen2.5-VL",
        "computer_use calls as JSON; pixels of the resized screenshot.",
        "qwen25_vl",
        "Qwen25VL",
        r"qwen-?2[.-]?5-?vl|fara-?7b",
    ),
    "ui_tars_2": _Kind(
        "UI-TARS 2, Seed 1.8",
        "Calls in Seed's tags; coordinates 0 to 1000.",
        "ui_tars",
        "UiTars2",
        r"ui-?tars-?2(?![\db])|seed-?1[.-]8|seed-?2(?!\d)",
    ),
    "ui_tars_15": _Kind(
        "UI-TARS 1.5",
        "Thought and Action; pixels of the resized screenshot.",
        "ui_tars",
        "UiTars15",
        r"^(?!.*doubao).*ui-?tars-?1[.-]5",
    ),
    "ui_tars": _Kind(
        "UI-TARS 1.0, Doubao",
        "Thought and Action; coordinates 0 to 1000.",
        "ui_tars",
        "UiTars",
        r"ui-?tars",
    ),
    "glm_v": _Kind(
        "GLM-4.1V to 5V",
        "A call between box marks; coordinates 0 to 1000.",
        "glm_v",
        "GlmV",
        r"glm-?\d(?:[.-]\d)?v",
    ),
    "kimi": _Kind(
        "Kimi, OpenCUA-72B",
        "pyautogui code; coordinates 0 to 1.",
        "opencua",
        "Kimi",
        r"kimi|opencua.*(?:72b|a3b)",
    ),
    "opencua": _Kind(
        "OpenCUA-7B, 32B",
        "pyautogui code; pixels of the resized screenshot.",
        "opencua",
        "OpenCua",
        r"opencua",
    ),
    "holo15": _Kind(
        "Holo 1, 1.5",
        "JSON steps; pixels of the resized screenshot.",
        "holo",
        "Holo15",
        r"holo-?1(?:[.-]5)?(?!\d)",
    ),
    "holo2": _Kind(
        "Holo 2",
        "JSON steps under a schema; coordinates 0 to 1000.",
        "holo",
        "Holo2",
        r"holo-?2",
    ),
    "holo3": _Kind(
        "Holo 3, 4",
        "JSON steps under a schema; coordinates 0 to 1000.",
        "holo",
        "Holo3",
        r"holo-?[34]|holotron",
    ),
    "openai_computer": _Kind(
        "OpenAI computer",
        "GPT-5.4 and later; pixels of the screenshot.",
        "openai_computer",
        "OpenAIComputer",
        r"^computer-use-preview|gpt-?5[.-][4-9]",
    ),
    "claude": _Kind(
        "Claude",
        "Its computer tool; pixels of a screenshot made small enough.",
        "claude",
        "Claude",
        r"claude",
    ),
    "gemini": _Kind(
        "Gemini",
        "Its computer-use functions; coordinates 0 to 1000.",
        "gemini",
        "Gemini",
        r"gemini",
    ),
    "json": _Kind(
        "Plain JSON",
        "For models without a language of their own; coordinates 0 to 1000.",
        "plain_json",
        "PlainJson",
        r"gemma|llava|llama|pixtral|mistral|magistral|ministral|minicpm|internvl|phi-?[34]|gpt-?4|gpt-?5|molmo|nvlm|smolvlm|step-?\d|ernie|granite",
    ),
    "kvm": _Kind(
        "KVM lines",
        "Plain line commands for any model that sees images; coordinates 0 to 1.",
        "kvm",
        "Kvm",
    ),
}


def names() -> list[tuple[str, str, str]]:
    """For the settings form: value, label, one line of help."""
    return [(name, kind.label, kind.help) for name, kind in _KINDS.items()]


def patterns() -> list[tuple[str, str]]:
    """Name and pattern of the model names that choose it, in the order in which they are tried."""
    return [(name, kind.models) for name, kind in _KINDS.items() if kind.models != "(?!)"]


def for_model(model_name: str) -> str:
    """The dialect that a model speaks, by its name; `kvm` for one that is not known."""
    name = re.sub(r"[\s_]+", "-", model_name.strip().lower().rstrip("/"))
    for part in (name.rpartition("/")[2], name):
        for dialect, pattern in patterns():
            if re.search(pattern, part):
                return dialect
    return DEFAULT


def create(name: str) -> Dialect:
    """Raises `CuaError` for an unknown name."""
    kind = _kind(name)
    made: Dialect = getattr(import_module(f".{kind.module}", __name__), kind.cls)()
    return made


def default_prompt(name: str, language: str = "en", target_os: str = "unknown") -> str:
    """What the model is told first, unless the person wrote something else."""
    from . import prompting

    return prompting.written(create(name), language, target_os)


def _kind(name: str) -> _Kind:
    if name not in _KINDS:
        raise CuaError(f"There is no dialect `{name}`: choose one of {', '.join(_KINDS)}.")
    return _KINDS[name]
