"""The settings of one computer: whose they are, and to whom secrets go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cua.fleet.inventory import Computer
from cua.fleet.settings import resolve_settings
from cua.settings import SettingsFile

SERVER = "http://10.0.0.2:8000/v1"


def computer(**changes: Any) -> Computer:
    return Computer("web1", (), {}, {"kvm": "pikvm://10.0.0.5", **changes}, {})


def make_settings(computer: Computer, path: Path, learned: Path, **chosen: Any) -> SettingsFile:
    return resolve_settings(computer, path, **chosen).open(learned)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Settings for another KVM, with its login, and a model with its key."""
    path = tmp_path / "cfg.json"
    SettingsFile(path, {}).update(
        {"api_type": "openai", "base_url": SERVER, "api_key": "sk-1234"}
        | {"kvm": "pikvm://10.0.0.9", "kvm_user": "root", "pointer_gain": 2.0}
    )
    SettingsFile(path, {}).update({"kvm_password": "correct horse", "max_rounds": 7})
    return path


def test_the_model_is_that_of_the_settings_and_the_kvm_is_not(path: Path, tmp_path: Path) -> None:
    values = make_settings(computer(), path, tmp_path / "learned.json").values
    assert (values.base_url, values.api_key.get_secret_value()) == (SERVER, "sk-1234")
    assert values.max_rounds == 7
    assert values.kvm == "pikvm://10.0.0.5"
    assert (values.kvm_user, values.kvm_password.get_secret_value()) == ("", "")
    assert values.pointer_gain == 1.0


def test_a_key_goes_to_no_other_server(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = computer(base_url="http://10.0.0.3/v1")
    learned = tmp_path / "learned.json"
    assert make_settings(other, path, learned).values.api_key.get_secret_value() == ""
    monkeypatch.setenv("CUA_API_KEY", "sk-5678")
    assert make_settings(computer(), path, learned).values.api_key.get_secret_value() == "sk-5678"
    assert make_settings(other, path, learned).values.api_key.get_secret_value() == ""


def test_the_environment_names_no_kvm(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUA_KVM", "vnc://10.0.0.8")
    monkeypatch.setenv("CUA_KVM_PASSWORD", "battery staple")
    monkeypatch.setenv("CUA_MAX_ROUNDS", "9")
    values = make_settings(computer(), path, tmp_path / "learned.json").values
    assert values.kvm == "pikvm://10.0.0.5"
    assert values.kvm_password.get_secret_value() == ""
    assert values.max_rounds == 9
    own = make_settings(computer(max_rounds=3), path, tmp_path / "learned.json").values
    assert own.max_rounds == 3


def test_what_is_measured_is_kept_apart_from_what_is_written(path: Path, tmp_path: Path) -> None:
    learned = tmp_path / "kvms/web1.json"
    before = path.read_text()
    file = make_settings(computer(kvm_password="sesame"), path, learned, gate="never")
    file.update({"kvm_certificate": "ab:cd"})
    assert path.read_text() == before
    assert "sesame" not in learned.read_text()
    assert json.loads(learned.read_text())["kvm_certificate"] == "ab:cd"
    again = make_settings(computer(), path, learned)
    assert again.values.kvm_certificate == "ab:cd"
    assert again.values.gate == "risk"
    moved = make_settings(computer(kvm="pikvm://10.0.0.6"), path, learned)
    assert moved.values.kvm_certificate == ""
