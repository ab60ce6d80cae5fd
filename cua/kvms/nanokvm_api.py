"""The base of NanoKVM and NanoKVM-Pro, local and remote: their web API without WebSockets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from ..messages import Message
from ..types import DeviceError, PowerButton, as_object, parse_object
from .kvm import Kvm

PRESSES: dict[PowerButton, tuple[str, int]] = {
    "power": ("power", 800),
    "hold_power": ("power", 5000),
    "reset": ("reset", 800),
}
"""Button -> its name in the API, and the length of the press in ms."""


class NanoKvmApi(Kvm):
    power_buttons = tuple(PRESSES)

    @abstractmethod
    async def _request(self, method: str, path: str, **options: Any) -> Any:
        """Send a request with options of httpx; return the HTTP response."""

    async def command(self, method: str, path: str, **options: Any) -> None:
        """Send a command. Raises `DeviceError` if the KVM reports a failure."""
        answer = parse_object((await self._request(method, path, **options)).content)
        if answer.get("code") != 0:
            reason = str(answer.get("msg") or "") or Message("kvm.unsupported")
            raise DeviceError(Message("kvm.failed", kvm=self.name, reason=reason))

    async def data(self, method: str, path: str, body: Any = None) -> Mapping[str, Any]:
        """Return the answer's `data`; empty if this firmware does not support the request."""
        answer = parse_object((await self._request(method, path, json=body)).content)
        return as_object(answer.get("data")) if answer.get("code") == 0 else {}

    async def press(self, button: PowerButton) -> None:
        kind, duration = PRESSES[button]
        await self.command("POST", "/api/vm/gpio", json={"type": kind, "duration": duration})

    async def is_powered(self) -> bool | None:
        lit = (await self.data("GET", "/api/vm/gpio")).get("pwr")
        return lit if isinstance(lit, bool) else None
