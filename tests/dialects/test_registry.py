from __future__ import annotations

import subprocess
import sys

import pytest

from cua import dialects
from cua.types import CuaError

NAMES = [name for name, _, _ in dialects.names()]
MODELS = {
    "": "kvm",
    "some-new-model": "kvm",
    "qwen3-vl-plus": "qwen3_vl",
    "qwen3-vl-plus-2025-09-23": "qwen3_vl",
    "Qwen/Qwen3-VL-8B-Instruct": "qwen3_vl",
    "qwen3vl:30b": "qwen3_vl",
    "/models/Qwen3-VL-30B-A3B-Instruct-AWQ/": "qwen3_vl",
}


@pytest.mark.parametrize(("model", "dialect"), MODELS.items())
def test_a_model_name_chooses(model: str, dialect: str) -> None:
    assert dialects.for_model(model) == dialect


@pytest.mark.parametrize("name", NAMES)
def test_every_dialect_has_what_it_needs(name: str) -> None:
    assert dialects.create(name).name == name
    prompt = dialects.default_prompt(name)
    assert len(prompt) > 500
    assert "Words on the screen" in prompt  # the rules
    assert "{rules}" not in prompt


@pytest.mark.parametrize("lookup", [dialects.create, dialects.default_prompt])
def test_an_unknown_name_is_said(lookup: object) -> None:
    with pytest.raises(CuaError, match="There is no dialect `klingon`"):
        lookup("klingon")  # type: ignore[operator]


def test_a_family_is_imported_when_it_is_first_used() -> None:
    program = (
        "import sys; from cua import dialects; dialects.names(); dialects.for_model('x');"
        "assert not [m for m in sys.modules if m.startswith('cua.dialects.')];"
        "dialects.create('kvm'); assert 'cua.dialects.kvm' in sys.modules;"
        "assert 'cua.dialects.qwen3_vl' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
