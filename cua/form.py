"""The settings as the page shows and changes them: values, what there is to choose from, help."""

from __future__ import annotations

from typing import Any

from . import dialects, models
from .hid import layouts
from .models import presets
from .settings import (
    CHOICES,
    EDITABLE,
    RECOMMENDED_SCREEN,
    SECRETS,
    BadSettings,
    Settings,
    SettingsFile,
)
from .types import Dialect

AS_SET = "As a PiKVM is set; of other KVMs nobody knows it, so US English is taken."


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
        "presets": [preset._asdict() for preset in presets.PRESETS],
        "default_prompt": dialects.default_prompt(
            dialect, values.prompt_language, values.target_os
        ),
        "defaults": Settings(**file.defaults).model_dump(mode="json", include=set(EDITABLE)),
        "notice_acknowledged": values.notice_acknowledged,
        "saved_to": str(file.path or "nowhere: they are forgotten when this ends"),
    }


def changes(settings: dict[str, Any]) -> dict[str, Any]:
    """What a form asks for. An empty secret stays as it is, None forgets it.

    Raises `BadSettings` for what is not for a page to change.
    """
    refused = settings.keys() - {*EDITABLE, *SECRETS}
    if refused:
        raise BadSettings(dict.fromkeys(refused, "there is no such setting in the page"))
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
    return _choices([("auto", "Automatic", AS_SET), *rows])


def _dialects(values: Settings) -> list[dict[str, str]]:
    rows = dialects.names()
    chosen = dialects.for_model(values.model_name) if values.api_type != "local" else "kvm"
    label = next(label for name, label, _ in rows if name == chosen)
    size, wanted = _manner(dialects.create(chosen))
    manner = (
        f"By the model's name: {label}. A screenshot of 1280x720 is sent as {size}; "
        f"sampling: {wanted}."
    )
    return _choices([("auto", "Automatic", manner), *rows])


def _manner(dialect: Dialect) -> tuple[str, str]:
    """What else the model's name chose, for the person to see."""
    width, height = dialect.image_size(*RECOMMENDED_SCREEN)
    wanted = ", ".join(f"{name} {value:g}" for name, value in dialect.sampling.items())
    return f"{width}x{height}", wanted or "left to the server"
