"""Choosing a provider, and what is not loaded before it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cua.events.log import EventLog
from cua.models import registry
from cua.models.endpoint import ModelEndpoint
from cua.models.openai_chat import OpenAIChat
from cua.types import ModelError
from tests.support.kvm_hardware import ROOT


def test_every_kind_is_offered_with_a_label_and_a_line_of_help() -> None:
    offered = registry.kinds()
    assert [value for value, _, _ in offered][:2] == ["openai", "dashscope"]
    assert offered[-1][:2] == ("local", "Local operator (no AI)")
    assert all(label and help_line for _, label, help_line in offered)


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(ModelError, match="no API type `nonsense`: choose one of openai, dashscope"):
        registry.create("nonsense", base_url="", api_key="", model_name="", log=EventLog())


def run(program: str, *flags: str) -> str:
    root = Path(__file__).parents[2]
    command = [sys.executable, *flags, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=root).stdout


def test_creating_a_model_loads_no_sdk() -> None:
    program = (
        "import sys; from cua.events.log import EventLog; from cua.models import registry; "
        "registry.create('{}', base_url='', api_key='k', model_name='m', log=EventLog()); "
        "names = ('openai', 'dashscope', 'httpx2', 'aiohttp', 'numpy', 'PIL'); "
        "print([m for m in names if m in sys.modules])"
    )
    assert run(program.format("openai")) == "[]\n"
    assert run(program.format("dashscope")) == "[]\n"
    assert run(program.format("responses")) == "[]\n"


def test_a_missing_extra_is_one_sentence_with_the_command() -> None:
    program = (
        "import sys; sys.modules['rapidocr'] = None\n"
        "from cua.events.log import EventLog\n"
        "from cua.models import registry as models\n"
        "try: models.create('local', base_url='', api_key='', model_name='', log=EventLog())\n"
        "except models.ModelError as error: print(error)"
    )
    said = run(program)
    assert said.startswith("The optional packages “local” are not installed.")
    assert f"{ROOT / 'cua_webapp.py'} install --with local" in said


@pytest.mark.parametrize("api_type", ["openai", "dashscope", "responses", "genai", "anthropic"])
def test_a_providers_own_server_needs_a_key(api_type: str) -> None:
    with pytest.raises(ModelError, match="The API key is missing") as refused:
        registry.create(api_type, base_url="", api_key="", model_name="m", log=EventLog())
    assert refused.value.setting == "api_key"


class Gateway(OpenAIChat):
    DEFAULT_URL = ""


def test_a_provider_without_a_server_of_its_own_needs_a_base_url() -> None:
    with pytest.raises(ModelError, match="The base URL is missing") as refused:
        Gateway(ModelEndpoint("", "m"))
    assert refused.value.setting == "base_url"


def test_a_package_that_is_there_in_part_only_is_named() -> None:
    program = (
        "import asyncio, sys; sys.modules['dashscope.v2'] = None\n"
        "from cua.events.log import EventLog\n"
        "from cua.models import registry as models\n"
        "settings = dict(base_url='', api_key='k', model_name='m')\n"
        "model = models.create('dashscope', **settings, log=EventLog())\n"
        "try: asyncio.run(model.complete([]))\n"
        "except models.ModelError as error: print(error)"
    )
    assert run(program).endswith("): run  pip install -U dashscope\n")
