"""Action formats: one file per model family, each imported when it is first used.

A dialect is pure: it turns a task's history into messages, and a reply into actions in fractions of
the screen. To add one: a file here, a prompt in `prompts/`, a row in this table.
"""

from __future__ import annotations

import re
from importlib import import_module

from ..messages import Message
from ..types import CuaError, Dialect

DEFAULT = "kvm"
_DIALECTS: dict[str, tuple[str, str, str, str]] = {
    "qwen38": ("Qwen3.8", Message("settings.dialect.qwen38.help"), "qwen35.Qwen38", r"qwen-?3\.8"),
    "qwen35": (
        "Qwen3.5, 3.6, 3.7",
        Message("settings.dialect.qwen35.help"),
        "qwen35.Qwen35",
        r"qwen-?3\.[567]",
    ),
    "gui_owl_15": (
        "GUI-Owl 1.5",
        Message("settings.dialect.gui_owl_15.help"),
        "gui_owl.GuiOwl15",
        r"gui-?owl-?1[.-]5",
    ),
    "gui_owl": ("GUI-Owl", Message("settings.dialect.gui_owl.help"), "gui_owl.GuiOwl", r"gui-?owl"),
    "evocua": ("EvoCUA", Message("settings.dialect.evocua.help"), "evocua.EvoCua", r"evocua"),
    "mai_ui": ("MAI-UI", Message("settings.dialect.mai_ui.help"), "mai_ui.MaiUi", r"mai-?ui"),
    "qwen3_vl": (
        "Qwen3-VL",
        Message("settings.dialect.qwen3_vl.help"),
        "qwen3_vl.Qwen3VL",
        r"qwen-?3-?vl",
    ),
    "qwen25_vl": (
        "Qwen2.5-VL",
        Message("settings.dialect.qwen25_vl.help"),
        "qwen25_vl.Qwen25VL",
        r"qwen-?2[.-]?5-?vl|fara-?7b",
    ),
    "ui_tars_2": (
        "UI-TARS 2, Seed 1.8",
        Message("settings.dialect.ui_tars_2.help"),
        "ui_tars.UiTars2",
        r"ui-?tars-?2(?![\db])|seed-?1[.-]8|seed-?2(?!\d)",
    ),
    "ui_tars_15": (
        "UI-TARS 1.5",
        Message("settings.dialect.ui_tars_15.help"),
        "ui_tars.UiTars15",
        r"^(?!.*doubao).*ui-?tars-?1[.-]5",
    ),
    "doubao": (
        "Doubao UI-TARS",
        Message("settings.dialect.doubao.help"),
        "ui_tars.Doubao",
        r"doubao.*ui-?tars",
    ),
    "ui_tars": (
        "UI-TARS 1.0",
        Message("settings.dialect.ui_tars.help"),
        "ui_tars.UiTars",
        r"ui-?tars",
    ),
    "glm_v": (
        "GLM-4.1V to 5V",
        Message("settings.dialect.glm_v.help"),
        "glm_v.GlmV",
        r"glm-?\d(?:[.-]\d)?v",
    ),
    "kimi": ("Kimi", Message("settings.dialect.kimi.help"), "opencua.Kimi", r"kimi"),
    "opencua_72b": (
        "OpenCUA-72B, A3B",
        Message("settings.dialect.opencua_72b.help"),
        "opencua.OpenCua72B",
        r"opencua.*(?:72b|a3b)",
    ),
    "opencua": (
        "OpenCUA-7B, 32B",
        Message("settings.dialect.opencua.help"),
        "opencua.OpenCua",
        r"opencua",
    ),
    "holo15": (
        "Holo 1, 1.5",
        Message("settings.dialect.holo15.help"),
        "holo.Holo15",
        r"holo-?1(?:[.-]5)?(?!\d)",
    ),
    "holo2": ("Holo 2", Message("settings.dialect.holo2.help"), "holo.Holo2", r"holo-?2"),
    "holo3": (
        "Holo 3, 4",
        Message("settings.dialect.holo2.help"),
        "holo.Holo3",
        r"holo-?[34]|holotron",
    ),
    "openai_computer": (
        "OpenAI computer",
        Message("settings.dialect.openai_computer.help"),
        "openai_computer.OpenAIComputer",
        r"^computer-use-preview|gpt-?5[.-][4-9]",
    ),
    "claude": ("Claude", Message("settings.dialect.claude.help"), "claude.Claude", r"claude"),
    "gemini": ("Gemini", Message("settings.dialect.gemini.help"), "gemini.Gemini", r"gemini"),
    "json": (
        Message("settings.dialect.json"),
        Message("settings.dialect.json.help"),
        "plain_json.PlainJson",
        r"gemma|llava|llama|pixtral|mistral|magistral|ministral|minicpm|internvl|phi-?[34]|gpt-?4|gpt-?5|molmo|nvlm|smolvlm|step-?\d|ernie|granite",
    ),
    "kvm": (Message("settings.dialect.kvm"), Message("settings.dialect.kvm.help"), "kvm.Kvm", ""),
}
"""Label, one line of help, module and class, and the pattern of the model names that choose it: the
first row that fits wins."""


def names() -> list[tuple[str, str, str]]:
    """For the settings form: value, label, one line of help."""
    return [(name, label, help) for name, (label, help, _, _) in _DIALECTS.items()]


def patterns() -> list[tuple[str, str]]:
    """Name and pattern of the model names that choose it, in the order in which they are tried."""
    return [(name, pattern) for name, (_, _, _, pattern) in _DIALECTS.items() if pattern]


def for_model(model_name: str) -> str:
    """The dialect for a model name; `kvm` if it is not known."""
    name = re.sub(r"[\s_]+", "-", model_name.strip().lower().rstrip("/"))
    for part in (name.rpartition("/")[2], name):
        for dialect, pattern in patterns():
            if re.search(pattern, part):
                return dialect
    return DEFAULT


def create(name: str) -> Dialect:
    """Raises `CuaError` for an unknown name."""
    if name not in _DIALECTS:
        text = Message("dialect.unknown", name=name, names=list(_DIALECTS))
        raise CuaError(text, setting="dialect")
    module, _, family = _DIALECTS[name][2].partition(".")
    made: Dialect = getattr(import_module(f".{module}", __package__), family)()
    return made


def default_prompt(name: str, language: str = "en", target_os: str = "unknown") -> str:
    """The system prompt, unless the settings have another."""
    from . import prompting

    return prompting.build_prompt(create(name), language, target_os)
