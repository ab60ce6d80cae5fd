"""Extras that a page installs while the service runs; they are used without a restart."""

from __future__ import annotations

import atexit
from typing import Any

from ...extras import MODULES, missing_modules
from .installation import Installation
from .package_folders import PackageSet


class OnDemand:
    """One installation for each extra; one runs while the others wait."""

    def __init__(self) -> None:
        self._installations = {extra: _make_installation(PackageSet(extra)) for extra in MODULES}

    def offers(self) -> dict[str, dict[str, Any]]:
        """Return extra -> sizes, whether it is installed, and the state of its installation."""
        return {extra: _offer(extra, each) for extra, each in self._installations.items()}

    def start(self, extra: str) -> None:
        self._installations[extra].start()


def _make_installation(packages: PackageSet) -> Installation:
    installation = Installation([packages], packages.activate)
    atexit.register(installation.stop)
    return installation


def _offer(extra: str, installation: Installation) -> dict[str, Any]:
    return {
        "installed": not missing_modules(extra),
        "download": installation.sets[0].download,
        "disk": installation.sets[0].disk,
        **installation.state(len(installation.lines)),
    }
