"""The inventory: what it means, and every fault with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cua.fleet.inventory import Computer, read_inventory
from cua.types import CuaError


def read(folder: Path, text: str) -> list[Computer]:
    path = folder / "fleet.yaml"
    path.write_text(text)
    return read_inventory(path)


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(CuaError) as error:
        read(folder, text)
    prefix = f"{folder / 'fleet.yaml'}:"
    return [line.removeprefix(prefix) for line in str(error.value).splitlines()]


def test_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACK", "correct horse")
    secret = tmp_path / "wifi"
    secret.write_text("battery staple\n")
    secret.chmod(0o600)
    found = read(
        tmp_path,
        """
defaults:
  groups: [rack]
  labels: {site: berlin, rack: 3}
  settings: {max_rounds: 40}
  secrets: {kvm_password: {env: RACK}}
computers:
  - name: web1
    kvm: pikvm://admin@10.0.0.5
    os: linux
    layout: de
    groups: [web]
    labels: {site: paris}
    settings: {gate: always}
    secrets: {wifi: {file: wifi}}
  - {name: 7, kvm: "vnc://10.0.0.6:5901", settings: {max_rounds: 5}}
""",
    )
    web, seven = found
    assert {each.name: each.groups for each in found} == {"web1": ("rack", "web"), "7": ("rack",)}
    assert web.labels == {"site": "paris", "rack": "3"}
    assert web.fill("{labels.rack}") == "3"
    assert web.changes == {
        "kvm": "pikvm://admin@10.0.0.5",
        "target_os": "linux",
        "keyboard_layout": "de",
        "max_rounds": 40,
        "gate": "always",
        "kvm_password": "correct horse",
    }
    assert web.typed_secrets == {"wifi": "battery staple"}
    assert seven.changes["max_rounds"] == 5


def test_all_faults_of_values_at_once(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        """computers:
  - name: web1
    kvm: pikvm://admin@10.0.0.5
    os: beos
    settings:
      max_rounds: many
      api_key: sk-1
  - name: web1
    kvm: vnc://10.0.0.6
    layout: klingon
    settings: {no_such: 1}
  - name: web2
    layout: klingon
    secrets:
      kvm_password: {env: NOT_SET_ANYWHERE}
""",
    )
    words = ["4: target_os: ", "6: max_rounds: ", "7: api_key: is a secret"]
    words += ["8: another computer is named web1", "11: no_such: is not a setting"]
    words += ["13: keyboard_layout: ", "15: kvm_password: the environment variable NOT_SET"]
    assert len(found) == len(words)
    assert all(map(str.startswith, found, words)), found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1: inventory: "),
        ("computers: []", "1: computers: "),
        ("computers:\n- name: a\n  kwm: vnc://h", "3: computers.0.kwm: unknown key"),
        ("computers:\n- kvm: vnc://h", "2: computers.0.name: is missing"),
        ("computers:\n- name: a/b\n  kvm: vnc://h", "2: computers.0.name: "),
        ("computers:\n- name: a\n  kvm: vnc://h\n  kvm: vnc://i", "4: kvm stands there twice"),
        ("computers:\n- name: a\n  kvm: [", "3: "),
        ("computers:\n- name: a\n  kvm: ftp://h", "3: kvm: "),
        ("computers:\n- name: a\n  kvm: pikvm://u:p@h", "3: kvm: Leave the password out"),
        ("computers:\n- {name: a, kvm: vnc://h}\n- {name: b, kvm: vnc://u@H}", "3: a has this KVM"),
        ("computers:\n- {name: all, kvm: vnc://h}", "2: all is the name of a group"),
        ("defaults:\n  settings:\n    kvm: x\ncomputers: [{name: a}]", "3: kvm: is the computer's"),
        ("defaults:\n  settings:\n    max_rounds: 0\ncomputers: [{name: a}]", "3: max_rounds: "),
        ("defaults: {secrets: {x: {}}}\ncomputers: [{name: a}]", "1: defaults.secrets.x: give"),
    ],
)
def test_a_fault_names_its_line(tmp_path: Path, text: str, expected: str) -> None:
    found = faults(tmp_path, text)
    assert found[0].startswith(expected), found


def test_a_secret_that_others_can_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pw").write_text("correct horse")
    (tmp_path / "pw").chmod(0o640)
    text = "computers:\n- name: a\n  secrets: {kvm_password: {file: pw}}"
    assert faults(tmp_path, text) == [
        f"3: kvm_password: others can read {tmp_path / 'pw'}: chmod 600 it."
    ]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CuaError, match=r"cannot be read: No such file"):
        read_inventory(tmp_path / "none.yaml")
