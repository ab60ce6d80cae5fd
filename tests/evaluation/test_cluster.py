"""`eval --ray`: the same results on a cluster, and a plain sentence where Ray is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cua.extras import missing_modules
from tests.evaluation.cluster import evaluate
from tests.support.kvm_hardware import ROOT

WITHOUT_RAY = """
import sys
sys.modules["ray"] = None  # as if it were not installed
import cua_webapp
sys.exit(cua_webapp.main(sys.argv[1:]))
"""


def test_a_missing_package_is_named() -> None:
    run_without_ray("eval")


def run_without_ray(*command: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_RAY, *command, "--ray", "auto"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "optional packages “cluster” are not installed" in ended.stderr
    assert "[cluster]'" in ended.stderr


@pytest.mark.slow
@pytest.mark.skipif(bool(missing_modules("cluster")), reason="pip install '.[cluster]'")
async def test_the_results_are_those_without_ray(tmp_path: Path) -> None:
    expected, _ = await evaluate(tmp_path)
    found, _ = await evaluate(tmp_path, "--ray", "local", "--jobs", "2")
    assert found == expected
    assert len(found) == 4
