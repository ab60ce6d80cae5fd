"""When each setting takes effect: at once, with the next run, or after a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from cua.app import factory
from cua.app.machine import Machine
from cua.settings import EDITABLE, SECRETS, Settings, SettingsFile, takes_effect
from tests.support.page_client import page
from tests.support.service import Service
from tests.support.waiting import until


class Recorded:
    """Settings that note which of their fields are read."""

    def __init__(self, values: Settings) -> None:
        self._values = values
        self.names: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.names.add(name)
        return getattr(self._values, name)


def fields_read(file: SettingsFile, *readers: Callable[[], object]) -> set[str]:
    values, recorded = file.values, Recorded(file.values)
    file.values = cast(Settings, recorded)
    for read in readers:
        read()
    file.values = values
    return recorded.names


async def test_the_local_operator_reads_with_the_process_of_the_procedures(
    service: Service,
) -> None:
    pytest.importorskip("rapidocr")
    service.model.script = [{"text": "That is no plan."}] * 2
    async with page(service.origin) as person:
        await person.post("/api/send", text="press esc", plan=True)
        await person.until("status", status="asking")
        await person.post("/api/settings", api_type="local")
        await person.post("/api/send", text="press tab")
        await person.until("status", status="done")  # without the plan that it cannot write
        assert service.machine.ocr.is_loaded
        await person.post("/api/settings", max_rounds=9)
        assert service.machine.ocr.is_loaded, "it would take seconds to start"
        await person.post("/api/settings", api_type="openai", gate_reads=False)
        await until(lambda: not service.machine.ocr.is_loaded)


async def test_each_setting_takes_effect_when_its_field_says(tmp_path: Path) -> None:
    file = SettingsFile(
        tmp_path / "settings.json",
        environ={},
        base_url="http://127.0.0.1:8000/v1",
        hid_prefix=str(tmp_path / "hidg"),
        pointer="relative",
        gate_reads=False,
    )
    machine = Machine(file)
    try:
        notify = machine.notifier._values
        now = fields_read(
            file,
            machine.approvals._policy,
            machine._target_text._wanted,
            machine.recorder._max_bytes,
            machine.manual_control._allowed,
            lambda: factory.make_kvm_config(file.values),  # compared after each change
            lambda: (notify().notify_url, notify().notify_screenshot),  # for each message
        ) - {"api_type"}  # of these only the target text reads it
        run = fields_read(file, machine._make_agent)
    finally:
        await machine._models.aclose()
        await machine.computer.close()
    for name in (*SECRETS, *EDITABLE):
        expected = "now" if name in now else "run" if name in run else "restart"
        assert takes_effect(name) == expected, (
            f"`{name}`: if it takes effect at once, name it in `_AT_ONCE` of "
            "cua/settings/fields.py, and call what reads it then here, for `now`"
        )
