"""The contents of the settings form: values, choices and help texts."""

from __future__ import annotations

from typing import Any

from ..dialects import registry
from ..hid import layouts
from ..messages import Message
from ..models import presets
from ..models import registry as models
from ..settings import (
    CHOICES,
    EDITABLE,
    RECOMMENDED_SCREEN,
    SECRETS,
    BadSettings,
    Settings,
    SettingsFile,
    takes_effect,
)
from ..types import Dialect


def described(file: SettingsFile, dialect: str) -> dict[str, Any]:
    """Plain JSON; of secrets only whether they are set. `dialect` is the one in force."""
    values = file.values
    return {
        "values": values.model_dump(mode="json", include=set(EDITABLE)),
        "secrets": {name: bool(getattr(values, name).get_secret_value()) for name in SECRETS},
        "locked": file.locked,
        "ignored": file.ignored,
        "choices": {
            "api_type": _choices(models.kinds()),
            "dialect": _dialects(values),
            "keyboard_layout": _layouts(),
            **{name: _choices(rows) for name, rows in CHOICES.items()},
        },
        "help": {name: Settings.model_fields[name].description for name in (*SECRETS, *EDITABLE)},
        "takes_effect": {name: takes_effect(name) for name in (*SECRETS, *EDITABLE)},
        "presets": [preset._asdict() for preset in presets.PRESETS],
        "default_prompt": registry.default_prompt(
            dialect, values.prompt_language, values.target_os
        ),
        "defaults": Settings(**file.defaults).model_dump(mode="json", include=set(EDITABLE)),
        "notice_acknowledged": values.notice_acknowledged,
        "saved_to": str(file.path) if file.path else Message("settings.not_saved"),
    }


def changes(settings: dict[str, Any]) -> dict[str, Any]:
    """What a form asks for. An empty secret stays as it is, None forgets it.

    Raises `BadSettings` for what is not for a page to change.
    """
    refused = settings.keys() - {*EDITABLE, *SECRETS}
    if refused:
        raise BadSettings(dict.fromkeys(refused, Message("settings.not_on_page")))
    changes = {name: value for name, value in settings.items() if value is not None}
    for name in SECRETS:
        if not changes.get(name):
            changes.pop(name, None)
        if settings.get(name, "") is None:
            changes[name] = ""
    return changes


def _choices(rows: list[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [dict(zip(("value", "label", "help"), row, strict=True)) for row in rows]


def _layouts() -> list[dict[str, str]]:
    """In order of their labels, after the choice that most people need not change."""
    rows = [(name, layouts.label(name), "") for name in layouts.names()]
    return _choices(
        [("auto", Message("settings.automatic"), Message("settings.layout_automatic")), *rows]
    )


def _dialects(values: Settings) -> list[dict[str, str]]:
    rows = registry.names()
    chosen = registry.for_model(values.model_name) if values.api_type != "local" else "kvm"
    label = next(label for name, label, _ in rows if name == chosen)
    size, wanted = _manner(registry.create(chosen))
    manner = Message("settings.format_automatic", label=label, size=size, sampling=wanted)
    return _choices([("auto", Message("settings.automatic"), manner), *rows])


def _manner(dialect: Dialect) -> tuple[str, str]:
    """Size of a screenshot as it is sent, and sampling parameters, as text."""
    width, height = dialect.image_size(*RECOMMENDED_SCREEN)
    wanted = ", ".join(f"{name} {value:g}" for name, value in dialect.sampling.items())
    return f"{width}x{height}", wanted or Message("settings.server_sampling")
