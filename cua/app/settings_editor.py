"""Settings for the page: their form and changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any

from ..dialects import prompting
from ..dialects import registry as dialect_registry
from ..events.log import EventLog
from ..hid import layouts
from ..kvms.registry import KINDS
from ..messages import Message, to_json
from ..models import presets
from ..models import registry as model_registry
from ..settings import (
    CHOICES,
    EDITABLE,
    FORM,
    RECOMMENDED_SCREEN,
    SECRETS,
    BadSettings,
    Settings,
    SettingsFile,
    describe_field,
    takes_effect,
)
from . import factory


class SettingsEditor:
    """Checks, saves and logs changes.

    After each change `apply` gets the settings before and after, and the names of those that were
    entered.
    """

    def __init__(
        self,
        file: SettingsFile,
        log: EventLog,
        apply: Callable[[Settings, Settings, Collection[str]], Awaitable[None]],
    ) -> None:
        self._file, self._log, self._apply = file, log, apply

    def describe(self) -> dict[str, Any]:
        """Return JSON for the form; for secrets only whether they are set."""
        file, values = self._file, self._file.values
        found: dict[str, Any] = {
            "values": _dump(values),
            "secrets": {name: bool(getattr(values, name).get_secret_value()) for name in SECRETS},
            "secret_servers": file.secret_servers,
            "locked": file.locked,
            "ignored": file.ignored,
            "choices": {name: _choices(rows) for name, rows in _list_choices(values).items()},
            "help": {name: describe_field(name) for name in FORM},
            "form": {name: field._asdict() for name, field in FORM.items()},
            "takes_effect": {name: takes_effect(name) for name in FORM},
            "presets": [preset._asdict() for preset in presets.PRESETS],
            "default_prompt": factory.default_prompt(values),
            "defaults": _dump(Settings(**file.defaults)),
            "notice_acknowledged": values.notice_acknowledged,
            "saved_to": str(file.path) if file.path else Message("settings.not_saved"),
        }
        return {name: to_json(value) for name, value in found.items()}

    async def propose(self, settings: dict[str, Any]) -> Settings:
        """Return the settings with these changes, without saving. Raises `BadSettings`."""
        return self._propose(await _parse_changes(settings))

    async def find_login(self, kvm: str) -> tuple[str, ...]:
        """Return the settings that a login at an address may need. Raises `BadSettings`."""
        return KINDS[factory.make_kvm_config(await self.propose({"kvm": kvm})).kind].login

    def _propose(self, changes: dict[str, Any]) -> Settings:
        proposed = self._file.propose(changes)
        factory.check_names(changes, proposed)
        return proposed

    async def change(self, settings: dict[str, Any]) -> None:
        """Check and save changes. Raises `BadSettings`."""
        changes, before = await _parse_changes(settings), self._file.values
        self._propose(changes)
        if changes.get("initial_prompt", before.initial_prompt) != before.initial_prompt:
            changes["initial_prompt_base"] = prompting.version(factory.default_prompt(before))
        await self._file.save(changes)
        after = self._file.values
        changed = [name for name in changes if getattr(before, name) != getattr(after, name)]
        shown = {name: _describe_value(name, after) for name in changed}
        self._log.append("settings", changed=sorted(changed), values=shown)
        for name, why in self._file.withheld.items():
            if getattr(before, name).get_secret_value():
                self._log.note("info", why)
        await self._apply(before, after, changes.keys())


def _dump(values: Settings) -> dict[str, Any]:
    return values.model_dump(mode="json", include=set(EDITABLE))


async def _parse_changes(settings: dict[str, Any]) -> dict[str, Any]:
    """Parse changes from the page. An empty secret stays as it is, None deletes it.

    The kind of a KVM is detected if it is not named. A password in its address changes the
    password. Raises `BadSettings`.
    """
    if refused := settings.keys() - FORM.keys():
        raise BadSettings(dict.fromkeys(refused, Message("settings.not_on_page")))
    changes = {name: value for name, value in settings.items() if value is not None}
    for name in SECRETS:
        if not changes.get(name):
            changes.pop(name, None)
        if settings.get(name, "") is None:
            changes[name] = ""
    if isinstance(address := changes.get("kvm"), str):
        changes["kvm"], password = await factory.find_kvm(address)
        if password:
            changes["kvm_password"] = password
    return changes


def _choices(rows: Iterable[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [dict(zip(("value", "label", "help"), row, strict=True)) for row in rows]


def _list_choices(values: Settings) -> dict[str, list[tuple[str, str, str]]]:
    return {
        "api_type": model_registry.kinds(),
        "dialect": _list_dialects(values),
        "keyboard_layout": _list_layouts(),
        **CHOICES,
    }


def _describe_value(name: str, values: Settings) -> str | float | None:
    """Return a value for the log; None for a text, which may be secret."""
    value = getattr(values, name)
    if isinstance(value, (bool, int, float)):
        return value
    labels = {choice: label for choice, label, _ in _list_choices(values).get(name, ())}
    return labels.get(value)


def _list_layouts() -> list[tuple[str, str, str]]:
    rows = [(name, layouts.label(name), "") for name in layouts.names()]
    return [("auto", Message("settings.automatic"), Message("settings.layout_automatic")), *rows]


def _list_dialects(values: Settings) -> list[tuple[str, str, str]]:
    """Return rows; `auto` shows the chosen dialect, its screenshots' size and its sampling."""
    rows = dialect_registry.names()
    chosen = factory.choose_dialect(values.model_copy(update={"dialect": "auto"}))
    dialect = dialect_registry.create(chosen)
    width, height = dialect.sent_size(*RECOMMENDED_SCREEN)
    sampling = ", ".join(f"{name} {value:g}" for name, value in dialect.sampling.items())
    automatic = Message(
        "settings.format_automatic",
        label=next(label for name, label, _ in rows if name == chosen),
        size=f"{width}×{height}",
        sampling=sampling or Message("settings.server_sampling"),
    )
    return [("auto", Message("settings.automatic"), automatic), *rows]
