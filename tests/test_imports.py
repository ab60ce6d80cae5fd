"""The table in tests/bench/README.md of which packages the service imports when."""

from __future__ import annotations

import re
from pathlib import Path

from cua.cli.install.package_folders import PACKAGES
from tests.bench.memory import imported
from tests.bench.stage import service, until_ready
from tests.support.kvm_hardware import ROOT, Kvm
from tests.support.page_client import page

HEAD = "| imported | packages |\n|---|---|\n"


def documented() -> dict[str, set[str]]:
    text = (ROOT / "tests/bench/README.md").read_text("utf-8")
    rows = text.partition(HEAD)[2].partition("\n\n")[0].splitlines()
    cells = (row.strip("| ").split(" | ") for row in rows)
    return {stage: set(re.findall(r"`(\w+)`", packages)) for stage, packages in cells}


async def test_the_readme_says_which_packages_are_imported_when(kvm: Kvm, tmp_path: Path) -> None:
    kvm.model.script = [{"text": "# A desktop.\nmouse 0.25 0.5 1"}, {"text": "Done"}]
    modules = tmp_path / "modules.txt"
    found: list[set[str]] = []

    def note() -> None:
        found.append(set(PACKAGES) & imported(modules) - set().union(*found))

    environ = {**kvm.environ, "CUA_NOTICE_ACKNOWLEDGED": "1"}
    with modules.open("w") as stderr, service(environ, "-X", "importtime", stderr=stderr) as ours:
        await until_ready(ours.origin)
        note()
        async with page(ours.origin) as person:
            await person.get("/api/settings")
            await person.until("screen", state="live")
            note()
            await person.post("/api/send", text="go")
            await person.until("status", status="done")
            note()
    found.append(set(PACKAGES).difference(*found))
    assert found == list(documented().values())
