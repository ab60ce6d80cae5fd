"""Numbers of run folders."""

from __future__ import annotations

from pathlib import Path

from cua.fleet.run_folder import RUN_FILE, Plan, create_run, find_last

INVENTORY = "/etc/fleet.yaml"
PLAN = Plan(INVENTORY, "Look", ["web1"], parallel=1, gate="", stop_after=0)


def test_next_run_goes_beside_folders_that_are_no_run(tmp_path: Path) -> None:
    """A full disk leaves a folder without a plan; a person may keep a copy under another name."""
    runs = tmp_path / "runs"
    first = create_run(runs, PLAN)
    (runs / "000002").mkdir()
    (runs / "copy").mkdir()
    (runs / "copy" / RUN_FILE).write_bytes((first.path / RUN_FILE).read_bytes())
    assert create_run(runs, PLAN).path.name == "000003"
    last = find_last(runs, Path(INVENTORY))
    assert last is not None
    assert last.path.name == "000003"
