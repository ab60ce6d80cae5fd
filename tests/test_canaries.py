"""That the search at the end of the whole run would find what it looks for."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.support.canaries import CANARIES, found


@pytest.mark.parametrize("canary", CANARIES)
def test_a_canary_is_found_wherever_it_sits(canary: str, tmp_path: Path) -> None:
    below = tmp_path / "cua_record" / "task"
    below.mkdir(parents=True)
    (below / "events.jsonl").write_text("nothing here\n")
    assert found(tmp_path) == []
    for number, text in enumerate(
        (
            f'{{"text": "it says {canary}!"}}',
            base64.b64encode(f"Basic admin:{canary} and more".encode()).decode(),
            canary.encode().hex(),
        )
    ):
        (below / f"{number}.log").write_bytes(b"\xff\x00" + text.encode())
    assert len(found(tmp_path)) == 3
    for path in below.glob("*.log"):  # or the end of this run would find them too
        path.unlink()


def test_a_key_in_the_settings_is_where_it_belongs(tmp_path: Path) -> None:
    for name in ("cfg.json", "cua_cfg.json", "cua_cfg.json.upstream", "server.yaml"):
        (tmp_path / name).write_text(CANARIES[0])
    assert found(tmp_path) == []
