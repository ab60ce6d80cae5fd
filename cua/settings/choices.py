"""The words for settings that offer a fixed choice."""

from __future__ import annotations

CHOICES: dict[str, list[tuple[str, str, str]]] = {
    "prompt_language": [("en", "English", ""), ("zh", "中文", "")],
    "gate": [
        ("risk", "When it is risky", "Before it deletes, spends, sends, logs in or switches off."),
        ("always", "Always", "Before every click and every key."),
        (
            "never",
            "Never: unattended",
            "Nothing is held back. Only for a computer that may come to harm while nobody looks.",
        ),
    ],
    "target_os": [
        ("unknown", "Not said", ""),
        ("windows", "Windows", ""),
        ("macos", "macOS", ""),
        ("linux", "Linux", ""),
        ("android", "Android", ""),
        ("bios", "BIOS or UEFI setup", "It reads every keyboard as a US one."),
    ],
    "unicode_entry": [
        ("false", "Refuse it", "Nothing of such a text is typed, and the model is told why."),
        (
            "true",
            "Enter it by its code",
            "Windows: Alt and digits, characters of its code page only. Linux: Ctrl+Shift+U, in "
            "most programs, not in terminals. macOS: needs the input source Unicode Hex Input.",
        ),
    ],
    "pace": [
        ("fast", "As fast as the computer takes them", ""),
        (
            "careful",
            "Careful",
            "For a BIOS and for whatever loses keys: at most 20 letters a second.",
        ),
    ],
    "pointer": [
        ("absolute", "Absolute", "Exact, and quick."),
        (
            "relative",
            "Relative",
            "For a BIOS that ignores the other one. By way of the lower left corner, so slower, "
            "and only as exact as the gain; switch pointer acceleration off where it can be.",
        ),
    ],
}
"""Value, label and a line of help for settings that offer a fixed choice."""
