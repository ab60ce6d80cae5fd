"""Numbers of run folders."""

from __future__ import annotations

from pathlib import Path

from cua.fleet.folders import RUN_FILE, FleetFolder, Plan

INVENTORY = "/etc/fleet.yaml"
PLAN = Plan(INVENTORY, "Look", ["web1"], parallel=1, gate="", stop_after=0)


def test_next_run_goes_beside_folders_that_are_no_run(tmp_path: Path) -> None:
    """A full disk leaves a folder without a plan; a person may keep a copy under another name."""
    fleet, runs = FleetFolder(tmp_path), tmp_path / "runs"
    first = fleet.create_run(PLAN)
    (runs / "000002").mkdir()
    (runs / "copy").mkdir()
    (runs / "copy" / RUN_FILE).write_bytes((first.path / RUN_FILE).read_bytes())
    assert fleet.create_run(PLAN).path.name == "000003"
    last = fleet.find_last(Path(INVENTORY))
    assert last is not None
    assert last.path.name == "000003"
