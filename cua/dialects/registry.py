"""Action formats: one file per model family, each imported when it is first used.

A dialect is pure: it turns a task's history into messages, and a reply into actions in fractions of
the screen. The project's `README.md` lists what a new one needs.
"""

from __future__ import annotations

import pkgutil
import re
from typing import TYPE_CHECKING

from ..messages import Message
from ..types import CuaError

if TYPE_CHECKING:
    from .base_dialect import BaseDialect

DEFAULT = "kvm"
_DIALECTS: dict[str, tuple[str, str, str]] = {
    "qwen38": ("Qwen3.8", "qwen:Qwen38", r"qwen-?3\.8"),
    "qwen35": ("Qwen3.5, 3.6, 3.7", "qwen:Qwen35", r"qwen-?3\.[567]"),
    "gui_owl_15": ("GUI-Owl 1.5", "qwen:Qwen3VL", r"gui-?owl-?1[.-]5"),
    "gui_owl": ("GUI-Owl", "qwen:GuiOwl", r"gui-?owl"),
    "evocua": ("EvoCUA", "qwen:Qwen3VL", r"evocua"),
    "mai_ui": ("MAI-UI", "qwen:MaiUi", r"mai-?ui"),
    "qwen3_vl": ("Qwen3-VL", "qwen:Qwen3VL", r"qwen-?3-?vl"),
    "qwen25_vl": ("Qwen2.5-VL", "qwen:Qwen25VL", r"qwen-?2[.-]?5-?vl|fara-?7b"),
    "ui_tars_2": (
        "UI-TARS 2, Seed 1.8",
        "ui_tars:UiTars2",
        r"ui-?tars-?2(?![\db])|seed-?1[.-]8|seed-?2(?!\d)",
    ),
    "ui_tars_15": ("UI-TARS 1.5", "ui_tars:UiTars15", r"^(?!.*doubao).*ui-?tars-?1[.-]5"),
    "doubao": ("Doubao UI-TARS", "ui_tars:UiTars", r"doubao.*ui-?tars"),
    "ui_tars": ("UI-TARS 1.0", "ui_tars:UiTars", r"ui-?tars"),
    "glm_v": ("GLM-4.1V to 5V", "glm_v:GlmV", r"glm-?\d(?:[.-]\d)?v"),
    "kimi": ("Kimi", "opencua:Kimi", r"kimi"),
    "opencua_72b": ("OpenCUA-72B, A3B", "opencua:OpenCua72B", r"opencua.*(?:72b|a3b)"),
    "opencua": ("OpenCUA-7B, 32B", "opencua:OpenCua", r"opencua"),
    "holo15": ("Holo 1, 1.5", "holo:Holo15", r"holo-?1(?:[.-]5)?(?!\d)"),
    "holo2": ("Holo 2", "holo:Holo2", r"holo-?2"),
    "holo3": ("Holo 3, 4", "holo:Holo3", r"holo-?[34]|holotron"),
    "openai_computer": (
        "OpenAI computer",
        "openai_computer:OpenAIComputer",
        r"^computer-use-preview|gpt-?5[.-][4-9]",
    ),
    "claude": ("Claude", "claude:Claude", r"claude"),
    "gemini": ("Gemini", "gemini:Gemini", r"gemini"),
    "json": (
        Message("settings.dialect.json"),
        "plain_json:PlainJson",
        r"gemma|llava|llama|pixtral|mistral|magistral|ministral|minicpm|internvl|phi-?[34]|gpt-?4|gpt-?5|molmo|nvlm|smolvlm|step-?\d|ernie|granite",
    ),
    "kvm": (Message("settings.dialect.kvm"), "kvm_lines:KvmLines", ""),
}
"""Name -> label, module and class, and pattern of model names; the first match counts."""


def names() -> list[tuple[str, str, str]]:
    """Return value, label and one line of help of each, for the settings form."""
    return [
        (name, label, Message(f"settings.dialect.{name}.help"))
        for name, (label, *_) in _DIALECTS.items()
    ]


def patterns() -> list[tuple[str, str]]:
    """Return each name with its pattern of model names, in the order of matching."""
    return [(name, pattern) for name, (*_, pattern) in _DIALECTS.items() if pattern]


def for_model(model_name: str) -> str:
    """Return the dialect for a model name; `kvm` if it is not known."""
    name = re.sub(r"[\s_]+", "-", model_name.strip().lower().rstrip("/"))
    for part in (name.rpartition("/")[2], name):
        for dialect, pattern in patterns():
            if re.search(pattern, part):
                return dialect
    return DEFAULT


def create(name: str) -> BaseDialect:
    """Make a dialect. Raises `CuaError` for an unknown name."""
    if name not in _DIALECTS:
        text = Message("dialect.unknown", name=name, names=list(_DIALECTS))
        raise CuaError(text, setting="dialect")
    made: BaseDialect = pkgutil.resolve_name(f"{__package__}.{_DIALECTS[name][1]}")(name)
    return made
