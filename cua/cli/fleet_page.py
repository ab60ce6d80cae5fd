"""The computers of an inventory for the page of a fleet: `cua_webapp.py --fleet INVENTORY`."""

from __future__ import annotations

from pathlib import Path

from ..app.machine import Machine
from ..fleet.folders import FleetFolder
from ..fleet.inventory import Computer, read_inventory
from ..fleet.settings import resolve_settings
from ..settings import find_path
from ..web.fleet.fleet import Fleet
from ..web.fleet.member import Member


def make_fleet(inventory: Path, config: str | None) -> Fleet:
    """Make the fleet of an inventory. Raises `CuaError`."""
    settings = find_path(config)
    return Fleet({each.name: _make_member(each, settings) for each in read_inventory(inventory)})


def _make_member(computer: Computer, settings: Path) -> Member:
    folder = FleetFolder(settings.parent / "fleet")
    record = str(folder.path / "records" / computer.name)
    values = resolve_settings(computer, settings, record_dir=record)
    file = values.open(folder.learned_file(computer.name))
    machine = Machine(file, environ=computer.environ())
    return Member(machine, computer.groups, computer.labels, computer.fill)
