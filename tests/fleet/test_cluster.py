"""`fleet --ray`; the proof with a dying node is `python -m tests.fleet.cluster`."""

from __future__ import annotations

from pathlib import Path

import pytest

from cua.extras import missing_modules
from tests.evaluation.test_cluster import run_without_ray
from tests.fleet import cluster
from tests.fleet.simulated import TASK, simulated_fleet

needs_ray = pytest.mark.skipif(bool(missing_modules("cluster")), reason="pip install '.[cluster]'")


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    (inventory := tmp_path / "fleet.yaml").write_text("computers: [{name: pc}]")
    settings = ("--config", str(tmp_path / "cfg.json"))
    run_without_ray("fleet", "run", "Look", "--inventory", str(inventory), *settings)
    assert not (tmp_path / "fleet").exists()


@pytest.mark.slow
@needs_ray
@pytest.mark.timeout(600)
def test_a_node_and_a_command_die() -> None:
    assert cluster.main(["--computers", "4"]) == 0


@pytest.mark.slow
@needs_ray
async def test_a_cluster_that_is_started_here(tmp_path: Path) -> None:
    async with simulated_fleet(tmp_path, 2) as fleet:
        environ = {"RAY_AUTH_MODE": "disabled"}
        code, out, words = await fleet.run("run", TASK, "--ray", "local", **environ)
        assert code == 2
        assert "no node has the resource site:" in words
        for entry in fleet.entries:
            entry["labels"] = {"room": entry["labels"]["site"]}
        fleet.write_inventory()
        task = TASK.replace("site", "room")
        code, out, words = await fleet.run("run", task, "--ray", "local", **environ)
        assert code == 0, out + words
        assert "2 done." in out
        assert fleet.state("pc01")["typed"] == "I am pc01 at paris."
