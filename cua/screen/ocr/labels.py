"""Find the text that names the button, field or icon at a place.

Places are in pixels of the screenshot.
"""

from __future__ import annotations

from .layout import ScreenLayout, TextLine
from .matching import find_field

MAX_BUTTON_PX = (460, 90)
"""Largest width and height of a button."""
MAX_LABEL_GAP = 2.5
"""Largest distance of a label from its icon's middle, in heights of the label."""
_MAX_ICON_GAP_PX = 24
"""Largest distance between an icon and the text below it."""


def find_label(layout: ScreenLayout, place: tuple[int, int]) -> str:
    """Return the text on the button at this position, else the text line there."""
    widest, highest = MAX_BUTTON_PX
    for box in layout.boxes:
        if box.holds(place) and box.width <= widest and box.height <= highest:
            words = " ".join(line.text for line in layout.inside(box))
            if words:
                return words
    x, y = place
    near = (
        line
        for line in layout.lines
        if abs(y - line.box.middle[1]) <= line.box.height
        and line.box.left - line.box.height <= x <= line.box.right + line.box.height
    )
    return next((line.text for line in near), "")


def field_at(layout: ScreenLayout, place: tuple[int, int]) -> TextLine | None:
    """Return the label beside the field at this place.

    A text above it may be the title of a list; one beside a window may be an icon's name.
    """
    for line in layout.lines:
        box = find_field(layout, line) if line.box.top <= place[1] < line.box.bottom else None
        is_beside = box and box.holds(place) and not box.holds(line.box.middle)
        if is_beside and not is_icon(layout, line):
            return line
    return None


def text_at(layout: ScreenLayout, place: tuple[int, int]) -> TextLine | None:
    """Return the line at this place, or on the button around it."""
    for line in layout.lines:
        box = layout.frame_of(line) or line.box
        if box.holds(place) or line.box.holds(place):
            return line
    return None


def text_below(layout: ScreenLayout, place: tuple[int, int]) -> TextLine | None:
    """Return the name of an icon: the nearest text centred below it."""
    x, y = place
    for line in sorted(layout.lines, key=lambda line: line.box.top):
        is_under = 0 <= line.box.top - y <= MAX_LABEL_GAP * line.box.height
        if is_under and abs(line.box.middle[0] - x) <= line.box.height:
            return line
    return None


def is_icon(layout: ScreenLayout, line: TextLine) -> bool:
    """Whether the text is under an icon: a click only selects it, a double click opens it."""
    x, _ = line.box.middle
    return layout.frame_of(line) is None and any(
        icon.left < x < icon.right and -8 <= line.box.top - icon.bottom < _MAX_ICON_GAP_PX
        for icon in layout.icons
    )
