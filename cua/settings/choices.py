"""Settings that offer a fixed choice."""

from __future__ import annotations

from ..messages import Message

CHOICES: dict[str, list[tuple[str, str, str]]] = {
    "prompt_language": [("en", "English", ""), ("zh", "中文", "")],
    "gate": [
        ("risk", Message("settings.gate.risk"), Message("settings.gate.risk.help")),
        ("always", Message("settings.gate.always"), Message("settings.gate.always.help")),
        ("never", Message("settings.gate.never"), Message("settings.gate.never.help")),
    ],
    "target_os": [
        ("unknown", Message("settings.target_os.unknown"), ""),
        ("windows", "Windows", ""),
        ("macos", "macOS", ""),
        ("linux", "Linux", ""),
        ("android", "Android", ""),
        ("bios", Message("settings.target_os.bios"), Message("settings.target_os.bios.help")),
    ],
    "pace": [
        ("fast", Message("settings.pace.fast"), ""),
        ("careful", Message("settings.pace.careful"), Message("settings.pace.careful.help")),
    ],
    "pointer": [
        ("absolute", Message("settings.absolute"), Message("settings.absolute.help")),
        ("relative", Message("settings.relative"), Message("settings.relative.help")),
    ],
}
"""Per setting: value, label and help text of each choice."""
