"""Settings as the page shows and changes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..dialects import prompting
from ..events.log import EventLog
from ..messages import Message
from ..settings import Settings, SettingsFile
from . import factory, settings_form

Apply = Callable[[Settings, Settings], Awaitable[None]]


class SettingsEditor:
    """Checks, saves and logs changes.

    After each one `release` lets go of every key that the person holds, and `apply` gets the
    settings before and after.
    """

    def __init__(
        self,
        file: SettingsFile,
        log: EventLog,
        release: Callable[[], Awaitable[None]],
        apply: Apply,
    ) -> None:
        self._file, self._log, self._release, self._apply = file, log, release, apply

    def describe(self) -> dict[str, Any]:
        """Plain JSON for the form."""
        return settings_form.described(self._file, factory.dialect_name(self._file.values))

    async def change(self, settings: dict[str, Any]) -> None:
        """Raises `BadSettings`."""
        changes = settings_form.changes(settings)
        before = self._file.values
        factory.check(changes, self._file.proposed(changes))
        if changes.get("initial_prompt", before.initial_prompt) != before.initial_prompt:
            changes["initial_prompt_base"] = prompting.version(factory.our_prompt(before))
        await self._file.save(changes)
        await self._release()
        after = self._file.values
        self._log.append("settings", changed=sorted(changes))
        if before.api_key.get_secret_value() and not after.api_key.get_secret_value():
            self._log.append("log", level="info", text=Message("settings.key_removed"))
        await self._apply(before, after)
