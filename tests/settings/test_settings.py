from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.app import factory
from cua.cli.options import ENVIRONMENT, create_command_line
from cua.safety.secrets import SecretStore
from cua.settings import CHOICES, BadSettings, Settings, SettingsFile, parse
from cua.settings.page_form import API_TYPES
from cua.types import CuaError
from tests import environment
from tests.support.kvm_hardware import ROOT
from tests.support.ordinary_user import without_etc

# The form in which the KVM's vendor ships its file: a Python dict, with quotes that JSON has not.
SHIPPED = """{
    'api_type': 'OpenAI',
    'api_key': 'sk-secret-key',
    'base_url': 'http://192.168.1.5:8000/v1',
    'model_name': 'qwen3-vl-plus',
    'img_keep_n': 4,
    'max_rounds': 30,
    'initial_prompt': '''Look at the screen.
Answer in lines.''',
}
"""


def test_defaults_without_a_file(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "cfg.json", environ={})
    assert file.values == Settings()
    assert file.warning == ""


def test_the_vendors_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    path.write_text(SHIPPED)
    values = SettingsFile(path, environ={}).values
    assert values.api_type == "openai"
    assert values.api_key.get_secret_value() == "sk-secret-key"
    assert values.img_keep_n == 4
    assert values.initial_prompt == "Look at the screen.\nAnswer in lines."
    assert values.dialect == "kvm"  # the one that its prompt teaches


@pytest.mark.parametrize(
    ("environ", "api_type"),
    [
        ({"CUA_BASE_URL": "http://192.168.1.5:8000/v1"}, "openai"),
        ({"CUA_BASE_URL": "https://dashscope.aliyuncs.com.example.org/v1"}, "openai"),
        ({"CUA_BASE_URL": "https://dashscope-intl.aliyuncs.com/api/v1"}, "dashscope"),
        ({"CUA_BASE_URL": "http://192.168.1.5/v1", "CUA_API_TYPE": "dashscope"}, "dashscope"),
        ({}, "dashscope"),
    ],
)
def test_a_base_url_says_how_its_server_is_spoken_to(
    environ: dict[str, str], api_type: str, tmp_path: Path
) -> None:
    assert SettingsFile(tmp_path / "cfg.json", environ).values.api_type == api_type


def test_the_table_of_environment_variables_is_current() -> None:
    assert ENVIRONMENT.read_text("utf-8") == environment.table(), "python -m tests.environment"


def test_help_lists_every_environment_variable() -> None:
    listed = create_command_line().format_help()
    assert [f"  CUA_{name.upper()}=" in listed for name in Settings.model_fields].count(False) == 0
    assert f"[{', '.join(API_TYPES)}]" in " ".join(listed.split())


def test_it_is_saved_whole_private_and_in_the_vendors_keys(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cfg.json"
    file = SettingsFile(path, environ={})
    file.update({"model_name": "m", "api_key": "k1"})
    stored = json.loads(path.read_text())
    assert stored["api_key"] == "k1"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in path.parent.iterdir()] == ["cfg.json"]
    assert SettingsFile(path, environ={}).values == file.values


def test_unknown_fields_of_the_file_survive_a_save(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    path.write_text('{"from_the_future": [1, 2]}')
    SettingsFile(path, environ={}).update({"max_rounds": 5})
    assert json.loads(path.read_text())["from_the_future"] == [1, 2]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("img_keep_n", 0),
        ("img_keep_n", "three"),
        ("max_rounds", -1),
        ("base_url", "ftp://x"),
        ("base_url", "http://"),
        ("base_url", "http://[::"),
        ("api_type", "telepathy"),
        ("initial_prompt", "x" * 20000),
        ("nonsense", 1),
        ("price_in", float("inf")),
        ("max_cost", float("nan")),
    ],
)
def test_bad_values_are_refused_by_field_and_nothing_changes(
    tmp_path: Path, field: str, value: object
) -> None:
    path = tmp_path / "cfg.json"
    file = SettingsFile(path, environ={})
    with pytest.raises(BadSettings) as caught:
        file.update({field: value, "model_name": "other"})
    assert list(caught.value.errors) == [field]
    assert file.values == Settings()
    assert not path.exists()


def test_a_file_with_one_bad_value_loses_only_that(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    path.write_text('{"max_rounds": "many", "model_name": "mine"}')
    file = SettingsFile(path, environ={})
    assert file.values.model_name == "mine"
    assert file.values.max_rounds == Settings().max_rounds
    assert "max_rounds" in file.warning


def test_what_a_file_names_that_does_not_exist_is_ignored_and_said(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    bad = {"dialect": "qwen4_vl", "kvm": "foo://host", "keyboard_layout": "xx"}
    path.write_text(json.dumps({**bad, "model_name": "mine"}))
    file = SettingsFile(path, environ={})
    factory.drop_unknown_names(file)
    values = file.values
    assert (values.dialect, values.kvm, values.model_name) == ("auto", "", "mine")
    assert all(name in file.warning for name in bad)
    path.write_text("{}")
    with pytest.raises(BadSettings, match="dialect"):
        factory.drop_unknown_names(SettingsFile(path, environ={"CUA_DIALECT": "qwen4_vl"}))


def test_what_was_ignored_stays_in_the_file_until_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    path.write_text(json.dumps({"kvm": "foo://host", "max_rounds": "many"}))

    def opened() -> SettingsFile:
        file = SettingsFile(path, environ={})
        factory.drop_unknown_names(file)
        return file

    opened().update({"notice_acknowledged": True})
    file = opened()
    assert file.ignored.keys() == {"kvm", "max_rounds"}
    file.update({"kvm": "", "model_name": "mine"})
    assert opened().ignored.keys() == {"max_rounds"}
    assert json.loads(path.read_text())["max_rounds"] == "many"


def test_a_start_that_fails_says_why_in_the_terminal_too(tmp_path: Path) -> None:
    environ = {**os.environ, "CUA_DIALECT": "qwen4_vl", "CUA_KVM": "pikvm://127.0.0.1"}
    command = ["cua_webapp.py", "--port", "0", "--config", str(tmp_path / "cfg.json")]
    ended = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environ, capture_output=True, check=False
    )
    assert ended.returncode == 2
    assert b"dialect: not a valid action format" in ended.stderr


@pytest.mark.parametrize("broken", [b'{"api_key": "abc"', b"\x89PNG\r\n\x1a\n\0\xff", b"\0"])
def test_a_broken_file_is_set_aside_and_said(broken: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    path.write_bytes(broken)
    file = SettingsFile(path, environ={})
    assert (tmp_path / "cfg.json.bad").read_bytes() == broken
    assert "cfg.json.bad" in file.warning


@pytest.mark.parametrize(
    ("stored", "warned"),
    [("{}", False), ('{"model_name": "m", "x": 1}', False), ('{"llm": {"api_key": "k"}}', True)],
)
def test_a_file_without_any_known_setting_is_said(
    stored: str, warned: bool, tmp_path: Path
) -> None:
    path = tmp_path / "cfg.json"
    path.write_text(stored)
    assert ("has no setting of this service" in SettingsFile(path, {}).warning) is warned


def test_the_environment_wins_and_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    file = SettingsFile(path, environ={"CUA_API_KEY": "from-env", "CUA_MAX_ROUNDS": "7"})
    assert file.values.max_rounds == 7
    assert file.locked == ["api_key", "max_rounds"]
    file.update({"model_name": "m"})
    assert "from-env" not in path.read_text()
    with pytest.raises(BadSettings, match="environment"):
        file.update({"max_rounds": 9})


def test_a_key_is_not_handed_to_another_server_and_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    file = SettingsFile(path, environ={})
    file.update({"api_type": "openai", "base_url": "https://one.example/v1", "api_key": "k"})
    file.update({"base_url": "https://one.example/v2"})
    assert file.values.api_key.get_secret_value() == "k"
    file.update({"base_url": "https://two.example/v1"})
    assert file.values.api_key.get_secret_value() == ""
    assert SettingsFile(path, environ={}).values.api_key.get_secret_value() == ""
    file.update({"base_url": "https://one.example/v1"})
    assert file.values.api_key.get_secret_value() == "k"
    file.update({"base_url": "https://two.example/v1", "api_key": ""})
    file.update({"base_url": "https://one.example/v1"})
    assert file.values.api_key.get_secret_value() == ""
    file.update({"base_url": "https://one.example/v1", "api_key": "k2"})
    assert file.values.api_key.get_secret_value() == "k2"


def test_a_place_that_cannot_be_written_says_so_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file = SettingsFile(None, environ={})
    file.path = tmp_path / "file" / "cfg.json"
    with pytest.raises(CuaError, match="could not be saved"):
        file.update({"model_name": "m"})
    assert file.values.model_name == Settings().model_name


def test_placeholders_are_no_keys() -> None:
    file = SettingsFile(None, environ={}, api_key="YOUR_API_KEY")
    assert file.values.api_key.get_secret_value() == ""


def test_the_key_is_in_no_text_of_the_settings() -> None:
    file = SettingsFile(None, environ={}, api_key="canary-key")
    assert "canary" not in repr(file.values)
    assert "canary" not in file.values.model_dump_json()


@given(st.text(max_size=200).map(str.encode) | st.binary(max_size=200))
def test_no_content_makes_the_reader_fail(data: bytes) -> None:
    found = parse(data)
    assert found is None or isinstance(found, dict)


@given(st.integers(0, len(SHIPPED)))
def test_a_file_cut_anywhere_is_read_or_set_aside(cut: int) -> None:
    found = parse(SHIPPED[:cut].encode())
    assert found is None or isinstance(found, dict)


def test_the_defaults_of_a_run_are_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    file = SettingsFile(path, environ={}, hid_prefix="/tmp/gone/hidg", api_type="local")
    assert file.values.api_type == "local"
    file.update({"max_rounds": 5})
    assert json.loads(path.read_text()) == {"max_rounds": 5}


@pytest.mark.parametrize("name", CHOICES)
def test_every_choice_that_is_offered_can_be_taken(name: str) -> None:
    file = SettingsFile(None, environ={})
    for value, label, _ in CHOICES[name]:
        file.update({name: value})
        assert label
    default = Settings().model_dump(mode="json", include={name})[name]
    assert str(default).lower() in [value for value, *_ in CHOICES[name]]


def test_a_kvms_password_goes_to_that_kvm_only_and_its_code_is_never_saved(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    file = SettingsFile(path, environ={})
    known = {"kvm_password": "p", "kvm_code": "123456", "kvm_certificate": "AB:CD"}
    file.update({"kvm": "pikvm://10.0.0.5", **known})
    assert file.values.kvm_code == "123456"
    assert "123456" not in path.read_text()
    file.update({"kvm": "pikvm://10.0.0.6"})
    assert file.values.kvm_password.get_secret_value() == ""
    assert file.values.kvm_certificate == ""
    file.update({"kvm": "pikvm://10.0.0.5"})
    assert file.values.kvm_password.get_secret_value() == "p"
    assert file.values.kvm_certificate == "AB:CD"


def test_a_default_secret_is_for_the_server_of_the_defaults(tmp_path: Path) -> None:
    own = {"base_url": "https://one.example/v1", "api_key": "k"}
    SettingsFile(tmp_path / "cfg.json", {}, **own).update({"base_url": "https://two.example/v1"})
    other = SettingsFile(tmp_path / "cfg.json", {}, **own)
    assert other.values.api_key.get_secret_value() == ""


@pytest.mark.parametrize(
    "url", ["https://localhost/v1", "http://169.254.169.254/v1", "http://a:b@example.com/v1"]
)
def test_an_address_at_which_no_model_can_be_is_refused(url: str) -> None:
    file = SettingsFile(None, environ={})
    with pytest.raises(BadSettings) as caught:
        file.update({"base_url": url})
    assert list(caught.value.errors) == ["base_url"]
    file.update({"base_url": "http://127.0.0.1:11434/v1"})


def test_broken_files_are_kept_beside_each_other(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    for text in ("{1", "{2", "{3"):
        path.write_text(text)
        SettingsFile(path, environ={})
    kept = {found.name: found.read_text() for found in tmp_path.iterdir()}
    assert kept == {"cfg.json.bad": "{1", "cfg.json.bad1": "{2", "cfg.json.bad2": "{3"}


@pytest.mark.parametrize(
    ("text", "secret"), [(SHIPPED, "API key"), ('{"kvm_password": "x"}', "KVM's password")]
)
def test_a_secret_that_others_could_read_is_locked_away_and_said(
    text: str, secret: str, tmp_path: Path
) -> None:
    path = tmp_path / "cfg.json"
    path.write_text(text)
    path.chmod(0o644)
    assert (
        f"Others on this machine could read the {secret}" in SettingsFile(path, environ={}).warning
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert SettingsFile(path, environ={}).warning == ""


SAVE_FOR_EVER = """
import sys
from pathlib import Path
from cua.settings import SettingsFile
file = SettingsFile(Path(sys.argv[1]), environ={})
number = 0
while True:
    number += 1
    file.update({"max_rounds": number % 1000 + 1, "initial_prompt": str(number % 10) * 16000})
"""


def test_a_kill_while_saving_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    for number in range(12):
        saver = subprocess.Popen([sys.executable, "-c", SAVE_FOR_EVER, str(path)], cwd=ROOT)
        while not path.exists():
            time.sleep(0.01)
        time.sleep(0.2 + 0.013 * number)
        saver.kill()
        saver.wait()
        stored = json.loads(path.read_text())
        assert len(set(stored["initial_prompt"])) == 1
        assert len(stored["initial_prompt"]) == 16000
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_key_goes_with_the_server_that_it_was_entered_for(tmp_path: Path) -> None:
    path = tmp_path / "cua_cfg.json"
    file = SettingsFile(path, {})
    file.update({"api_type": "openai", "base_url": "http://10.0.0.5:8000/v1"})
    file.update({"api_key": "sk-canary"})
    assert SettingsFile(path, {}).values.api_key.get_secret_value() == "sk-canary"
    elsewhere = SettingsFile(path, {"CUA_BASE_URL": "https://evil.example/v1"})
    assert elsewhere.values.api_key.get_secret_value() == ""
    assert (
        "was entered for http://10.0.0.5:8000 and is not sent to https://evil" in elsewhere.warning
    )
    assert SettingsFile(path, {"CUA_API_TYPE": "local", "CUA_BASE_URL": ""}).warning == ""
    stored = json.loads(path.read_text())
    path.write_text(json.dumps(stored | {"base_url": "https://evil.example/v1"}))
    edited = SettingsFile(path, {})
    assert edited.values.api_key.get_secret_value() == ""
    edited.update({"max_rounds": 5})
    assert edited.values.api_key.get_secret_value() == ""
    given = {"CUA_BASE_URL": "https://evil.example/v1", "CUA_API_KEY": "sk-theirs"}
    assert SettingsFile(path, given).values.api_key.get_secret_value() == "sk-theirs"


def test_a_new_server_and_its_key_may_come_together(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "cfg.json", environ={})
    file.update({"base_url": "https://one.example/v1", "api_key": "k1"})
    file.update({"base_url": "https://two.example/v1", "api_key": "k2"})
    assert file.values.api_key.get_secret_value() == "k2"
    assert file.warning == ""


@pytest.mark.parametrize("noted", [True, False])
def test_a_kvms_password_and_certificate_are_not_for_another_of_the_command_line(
    tmp_path: Path, *, noted: bool
) -> None:
    path = tmp_path / "cfg.json"
    own = {"kvm": "pikvm://admin@10.0.0.5", "kvm_password": "p5", "kvm_certificate": "AB:CD"}
    if noted:
        SettingsFile(path, {}).update(own)
    else:  # as an older version or a person wrote it
        path.write_text(json.dumps(own))
        path.chmod(0o600)
    other = SettingsFile(path, {"CUA_KVM": "pikvm://10.0.0.6"})
    assert other.values.kvm_password.get_secret_value() == ""
    assert other.values.kvm_certificate == ""
    assert "password was entered for 10.0.0.5 and is not sent to 10.0.0.6" in other.warning
    other.update({"kvm_certificate": "EF:01"})
    assert other.values.kvm_certificate == "EF:01"
    assert other.values.kvm_password.get_secret_value() == ""
    back = SettingsFile(path, {"CUA_KVM": "pikvm://root@10.0.0.5"})
    assert back.values.kvm_password.get_secret_value() == "p5"
    assert back.values.kvm_certificate == ""
    given = SettingsFile(path, {"CUA_KVM": "pikvm://10.0.0.6", "CUA_KVM_PASSWORD": "p6"})
    assert given.values.kvm_password.get_secret_value() == "p6"


def test_a_kvms_code_is_for_that_kvm(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    file = SettingsFile(path, {})
    file.update({"kvm": "pikvm://10.0.0.5", "kvm_code": "123456"})
    assert "code" not in path.read_text()
    file.update({"kvm": "pikvm://10.0.0.6"})
    assert file.values.kvm_code == ""


@pytest.mark.parametrize("name", ["kvm", "stream_url", "base_url"])
@pytest.mark.parametrize("rest", ["[x", "host:99999/", "host:x/"])
def test_what_cannot_be_an_address_is_refused(name: str, rest: str) -> None:
    file = SettingsFile(None, {})
    with pytest.raises(BadSettings) as caught:
        file.update({name: f"http://{rest}"})
    assert list(caught.value.errors) == [name]


class Slow(dict[str, Any]):
    """Changes that block while they are read."""

    def __init__(self, **changes: Any) -> None:
        super().__init__(changes)
        self.go = threading.Event()

    def __iter__(self) -> Iterator[str]:
        assert self.go.wait(20)
        return super().__iter__()


async def test_the_loop_runs_on_while_settings_are_saved(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "cfg.json", {})
    changes = Slow(max_rounds=7)
    saving = asyncio.create_task(file.save(changes))
    await asyncio.sleep(0)
    changes.go.set()
    await saving
    assert file.values.max_rounds == 7


async def test_of_changes_at_the_same_time_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "cfg.json"
    file = SettingsFile(path, {})
    await asyncio.gather(
        *(file.save({name: 7}) for name in ("max_rounds", "img_keep_n", "pointer_gain"))
    )
    values = SettingsFile(path, {}).values
    assert (values.max_rounds, values.img_keep_n, values.pointer_gain) == (7, 7, 7)
    assert values == file.values


def test_a_password_in_the_address_of_the_stream_is_a_secret() -> None:
    file = SettingsFile(None, {}, stream_url="http://maria:canary-pass@10.0.0.5/stream")
    masked = SecretStore({}, file.secrets).mask(f"{file.values.stream_url} cannot be read")
    assert "canary" not in masked
    assert "10.0.0.5/stream cannot be read" in masked


@pytest.mark.skipif(Path("/etc/kvm").exists(), reason="this is a KVM")
@pytest.mark.parametrize(
    ("command", "words"),
    [("check", "`nowhere`"), ("eval", "`nowhere`"), ("doctor", "settings.json")],
)
def test_on_a_laptop_every_command_looks_at_the_persons_own(
    command: str, words: str, tmp_path: Path
) -> None:
    own = tmp_path / ".config" / "kvm-cua" / "settings.json"
    own.parent.mkdir(parents=True)
    own.write_text('{"base_url": "http://127.0.0.1:65000/v1", "dialect": "nowhere"}')
    environ = {name: value for name, value in os.environ.items() if name != "CUA_CONFIG"}
    told = subprocess.run(
        [*without_etc(), sys.executable, "cua_webapp.py", command],
        cwd=ROOT,
        env=environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert words in told.stdout + told.stderr


async def test_what_is_lent_is_not_saved_with_the_rest_of_the_form(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "cfg.json", {})
    file.lend(api_type="local")
    await file.save({"api_type": "local", "img_keep_n": 2})
    assert (file.values.api_type, file.values.img_keep_n) == ("local", 2)
    file.lend()
    assert file.values.api_type == Settings().api_type
    assert file.values.img_keep_n == 2


async def test_a_form_with_all_its_fields_saves_those_that_were_changed(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "cfg.json", {})
    await file.save(
        {"api_type": file.values.api_type, "base_url": "", "api_key": "", "img_keep_n": 2}
    )
    assert json.loads((tmp_path / "cfg.json").read_text()) == {"img_keep_n": 2}
    assert not factory.is_model_chosen(file.values)
    await file.save({"api_type": "dashscope", "base_url": "https://proxy.example/api/v1"})
    assert file.values.api_type == "dashscope"  # which would not be the default any more
