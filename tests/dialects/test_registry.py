from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from cua.dialects import prompting, registry
from cua.types import CuaError, NoAction, Reply

NAMES = [name for name, _, _ in registry.names()]
MODELS = {
    "": "kvm",
    "some-new-model": "kvm",
    "qwen3-vl-plus": "qwen3_vl",
    "qwen3-vl-plus-2025-09-23": "qwen3_vl",
    "Qwen/Qwen3-VL-8B-Instruct": "qwen3_vl",
    "qwen3vl:30b": "qwen3_vl",
    "qwen3_vl_8b": "qwen3_vl",
    "/models/Qwen3-VL-30B-A3B-Instruct-AWQ/": "qwen3_vl",
    "qwen3-8b": "kvm",  # sees nothing, and is no Qwen3.8
    "qwen2.5vl:7b": "qwen25_vl",
    "Qwen2.5-VL-72B-Instruct": "qwen25_vl",
    "Qwen3.5-35B-A3B": "qwen35",
    "Qwen3.6-27B-AWQ-INT4": "qwen35",
    "qwen3.7-plus": "qwen35",
    "unsloth/Qwen3.8-27B-GGUF": "qwen38",
    "qwen3.8-max": "qwen38",
    "ui-tars-1.5-7b": "ui_tars_15",
    "ByteDance-Seed/UI-TARS-1.5-7B": "ui_tars_15",
    "UI-TARS-72B-DPO": "ui_tars",
    "doubao-1-5-ui-tars-250428": "doubao",
    "doubao-1.5-ui-tars": "doubao",
    "ui-tars-2": "ui_tars_2",
    "UI-TARS-2B-SFT": "ui_tars",
    "doubao-seed-1-8-251228": "ui_tars_2",
    "glm-4.5v": "glm_v",
    "zai-org/GLM-4.6V-Flash": "glm_v",
    "THUDM/GLM-4.1V-9B-Thinking": "glm_v",
    "glm-5v-turbo": "glm_v",
    "glm-4.6": "kvm",  # sees nothing
    "xlangai/OpenCUA-7B": "opencua",
    "OpenCUA-32B": "opencua",
    "OpenCUA-72B": "opencua_72b",
    "OpenCUA-A3B": "opencua_72b",
    "moonshotai/Kimi-K2.5": "kimi",
    "Hcompany/Holo1-7B": "holo15",
    "Holo1.5-7B": "holo15",
    "Holo2-8B": "holo2",
    "Hcompany/Holo3-35B-A3B": "holo3",
    "holo3-1-35b-a3b": "holo3",
    "Holo4-27B": "holo3",
    "mPLUG/GUI-Owl-7B": "gui_owl",
    "GUI-Owl-1.5-8B-Instruct": "gui_owl_15",
    "meituan/EvoCUA-32B-20260105": "evocua",
    "Tongyi-MAI/MAI-UI-8B": "mai_ui",
    "computer-use-preview": "openai_computer",
    "gpt-5.4": "openai_computer",
    "openai/gpt-5.5": "openai_computer",
    "gpt-4o": "json",
    "gpt-5": "json",
    "claude-opus-5": "claude",
    "anthropic/claude-sonnet-4.5": "claude",
    "gemini-2.5-computer-use-preview-10-2025": "gemini",
    "models/gemini-3.5-flash": "gemini",
    "gemma-4-31b-it": "json",
    "gemma3:12b": "json",
    "llava:13b": "json",
    "meta-llama/Llama-4-Scout": "json",
}


@pytest.mark.parametrize(("model", "dialect"), MODELS.items())
def test_a_model_name_chooses(model: str, dialect: str) -> None:
    assert registry.for_model(model) == dialect


@pytest.mark.parametrize("name", NAMES)
def test_every_dialect_has_what_it_needs(name: str) -> None:
    assert registry.create(name).name == name
    assert len(prompting.default_prompt(name)) > 500


@pytest.mark.parametrize("lookup", [registry.create, prompting.default_prompt])
def test_an_unknown_dialect_is_refused(lookup: object) -> None:
    with pytest.raises(CuaError, match="There is no action format `klingon`"):
        lookup("klingon")  # type: ignore[operator]


@pytest.mark.parametrize("name", NAMES)
def test_its_prompt_fits_its_parser(name: str) -> None:
    """What a prompt says about coordinates is what the dialect takes them for.

    GLM's maker says "thousandths (0-999)": the unit counts, not the largest number.
    """
    prompt = prompting.default_prompt(name)
    space: Any = registry.create(name).coordinate_space
    assert ("{width}" in prompt) == (space is None)
    if space is not None:
        words = {
            1: "0 (left edge) to 1 |from 0 to 1,",
            999: "from 0 to 999",
            1000: "1000|thousandths",
        }
        assert any(said in prompt for said in words[space.width].split("|"))


SIZES = {
    "kvm": [(1280, 720), (1920, 1080)],
    "qwen3_vl": [(1280, 720), (1920, 1080)],
    "qwen25_vl": [(1288, 728), (1932, 1092)],
    "ui_tars": [(1280, 720), (1920, 1080)],
    "ui_tars_15": [(1288, 728), (1932, 1092)],
    "opencua": [(1288, 728), (1932, 1092)],
    "opencua_72b": [(1280, 720), (1920, 1080)],
    "kimi": [(1280, 720), (1920, 1080)],
    "gui_owl": [(1288, 728), (1932, 1092)],
    "holo15": [(1288, 728), (1932, 1092)],
    "holo2": [(1280, 720), (1920, 1080)],
    "openai_computer": [(1280, 720), (1920, 1080)],
    "claude": [(1280, 720), (1456, 819)],
    "gemini": [(1280, 720), (1920, 1080)],
}


@pytest.mark.parametrize(("name", "sent"), SIZES.items())
def test_the_size_that_is_sent(name: str, sent: list[tuple[int, int]]) -> None:
    dialect = registry.create(name)
    assert [dialect.sent_size(*screen) for screen in [(1280, 720), (1920, 1080)]] == sent


def test_a_family_is_imported_on_first_use() -> None:
    program = (
        "import sys; from cua.dialects import registry; registry.names(); registry.for_model('x');"
        "loaded = [m for m in sys.modules if m.startswith('cua.dialects.')];"
        "assert loaded == ['cua.dialects.registry'], loaded;"
        "registry.create('kvm'); assert 'cua.dialects.kvm_lines' in sys.modules;"
        "assert 'cua.dialects.qwen' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_refusal_in_words_is_told_from_a_broken_call(name: str) -> None:
    words = "I cannot help with that.\nIt is not safe."
    with pytest.raises(NoAction) as refused:
        registry.create(name).parse(Reply(words), (1280, 720))
    assert refused.value.words == words
