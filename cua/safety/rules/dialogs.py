"""Rules for answers to the screen: a yes to a question that deletes, pays, sends, or worse.

The screen's text is known only with OCR; the model's own words say what it intends to click. Both
are weak evidence: what is not in text is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...messages import Message
from ...types import Click, Drag, Keypress, ManualAction, Type
from . import chords
from .tables import Found, find_rule, load_rules

MAX_LABEL_WORDS = 6
"""Up to this many words a screen text is taken for the label of what is clicked."""
_YES = re.compile(
    r"\s*(?:y|yes|ok|okay|j|ja|si|oui|delete|erase|format|confirm|i agree|agree|continue|proceed"
    r"|permanently delete|reset|wipe|remove|destroy|是|确定)[\s.!]*",
    re.IGNORECASE,
)
_NO = re.compile(r"\s*(?:n|no|nein|non|q|quit|cancel|abort|否|取消)\s*", re.IGNORECASE)
_DECLINES = re.compile(
    r"\s*(?:cancel|no|no,? thanks|not now|later|back|close|keep|deny|don['’]?t allow|decline"
    r"|dismiss|abbrechen|nein|annuler|non|取消|否|不允许|拒绝|返回|以后再说|暂不)\s*",
    re.IGNORECASE,
)
"""Labels of buttons that decline."""
_PASSWORD = re.compile(
    r"(?=\S*[A-Za-z])(?=\S*[\d!#$%^&*?+=~])(?!\S*(?:://|\.\w{2,4}\s*$|\\|/))\S{6,40}\s*"
)
"""Letters with digits or symbols, but not a URL or file name."""
_PRESSES = re.compile(r"(?:.+\+)?(?:KP)?ENTER|(?:SHIFT\+)?SPACE")
"""Chords that press the focused button: Enter with any modifiers, and Space."""
_COMMITS = {"Y", "J", "O", "ALT+Y", "ALT+J", "ALT+O", "ALT+D", "ALT+R"}
MAX_CLICK_DRAG = 0.05
"""Proportion of the screen; a drag no longer than this ends on the same button."""
_IN_FIRMWARE = {
    *("ENTER", "KPENTER", "Y", "F3", "F4", "F5", "F6", "F7", "F9", "F10", "F12"),
    *("KP+", "KP-", "SHIFT+=", "=", "-"),
}
_SENDS = {"CTRL+ENTER", "ALT+S", "SHIFT+WIN+D"}
_CLICKS = (
    r"\b(?:(?:double-)?click|press|tap|hit|select|choose|confirm|push|activate)\w*\s+(?:on\s+)?"
    r"(?:the\s+|that\s+)?(?:red\s+|blue\s+|green\s+)?[\"'“‘`*「]*({})[\"'”’`*」]*"
    r"(?:\s+(?:button|icon|link|option|entry|menu|item|key|now)\b|[\s.,;:!)]|$)"
)
_CLICKS_IT = (
    r"[\"'“‘`「]({})[\"'”’`」](?:\s+(?:button|icon|link|option|entry|menu|item|key))?"
    r"[^.!?\n]{0,60}[\s,;](?:and|so|then)\s[^.!?\n]{0,20}"
    r"\b(?:(?:double-)?click|press|tap|hit|select|choose|push|activate)\w*\s+(?:on\s+)?(?:it|that)\b"
)
_CLICKS_ZH = r"(?:点击|单击|双击|点按|轻点|轻触|按下|选择|选中)(?:\S{1,4}的)?[\"“‘「『]?(?:{})"
"""How a model says that it clicks on a label, in English (`I see "X" and click it`) and Chinese."""


class ScreenEvidence(NamedTuple):
    """What is known besides an action: texts of the screen, the model and the model's provider.

    `label`: the text at the position that is clicked.
    """

    screen: str = ""
    thought: str = ""
    caution: str = ""
    label: str = ""


NOTHING = ScreenEvidence()


def as_click(action: ManualAction) -> ManualAction:
    """Return a drag that ends where it began, or whose start is unknown, as a click."""
    if not isinstance(action, Drag):
        return action
    start, end = action.path[0], action.path[-1]
    if abs(start.x - end.x) > MAX_CLICK_DRAG or abs(start.y - end.y) > MAX_CLICK_DRAG:
        return action
    return Click(at=end, button=action.button, keys=action.keys)


def may_confirm(action: ManualAction) -> bool:
    """Whether the action may answer yes to a question on the screen."""
    if isinstance(action, Click):
        return action.button != "right"
    if isinstance(action, Keypress):
        pressed = chords.get_pressed(action)
        return any(each in _COMMITS or _PRESSES.fullmatch(each) for each in pressed)
    typed = _typed(action)
    presses = "\n" in typed or "\t " in typed or (typed and not typed.strip(" "))
    return bool(presses or _YES.fullmatch(typed))


def _typed(action: ManualAction) -> str:
    return action.text if isinstance(action, Type) else ""


def find_risk(
    action: ManualAction, seen: ScreenEvidence, pending: Sequence[str] = ()
) -> Found | None:
    """Return the first rule that applies. `pending`: lines that may be typed but not entered."""
    screen, pressed = seen.screen, set(chords.get_pressed(action))
    if _shows(screen, "firmware") and (pressed & _IN_FIRMWARE or may_confirm(action)):
        return "firmware", Message("rules.firmware_setup")
    if pressed & _SENDS and (not screen or _shows(screen, "sending")):
        return "sends", Message("rules.sends_text")
    if _PASSWORD.fullmatch(_typed(action)) and _shows(screen, "password"):
        return "credentials", Message("rules.password")
    if not may_confirm(action) or any(_NO.fullmatch(text) for text in [*pending, _typed(action)]):
        return None
    click = isinstance(action, Click)
    found = _read(seen) or (_clicked(seen.thought) if click else None)
    writes = found and found[0] == "sends" and not click
    return None if writes else found  # Enter is a new line in a letter


def _read(seen: ScreenEvidence) -> Found | None:
    """Judge the label first, then the text around it."""
    if _DECLINES.fullmatch(seen.label):
        return None
    return _asked(seen.label) or _asked(seen.screen)


def _asked(screen: str) -> Found | None:
    """Match the text as a label, if short, and as a question."""
    text = " ".join(screen.split())
    if not text:
        return None
    label = (
        find_rule(load_rules("labels", r"\A{}(?!\w)"), text)
        if len(text.split()) <= MAX_LABEL_WORDS
        else None
    )
    reads = _shows(text, "reading") and not _shows(text, "answers")
    if label or reads or _shows(text, "saving"):
        return label
    return find_rule(load_rules("questions"), text)


def _clicked(thought: str) -> Found | None:
    ways = (_CLICKS, _CLICKS_IT, _CLICKS_ZH)
    return next(filter(None, (find_rule(load_rules("labels", way), thought) for way in ways)), None)


def _shows(screen: str, name: str) -> bool:
    return (
        find_rule([each for each in load_rules("screens") if each.name == name], screen) is not None
    )
