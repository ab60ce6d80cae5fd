"""Find the text on the screen that is meant, and dialogs in the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from ...messages import Message
from ...screen.ocr.labels import is_icon
from ...screen.ocr.layout import MAX_TITLE_PX, Box, ScreenLayout, TextLine
from ...screen.ocr.matching import (
    contains_text,
    find,
    find_field,
    normalize,
    normalize_ocr,
    ranked_matches,
)
from .context import Context, Question, describe_position
from .instructions import Click, Target
from .language import find_answer
from .phrases import GRAMMARS, find_names

_HARMLESS, _REFUSING, _CLOSING, _MENU = (
    [word for grammar in GRAMMARS for word in grammar.buttons[kind]]
    for kind in ("harmless", "refusing", "closing", "menu")
)
_REFUSALS = {*map(normalize, _HARMLESS + _REFUSING)}
_DASHES = str.maketrans("–—", "--")
_CHOICES = {word: refuses for grammar in GRAMMARS for word, refuses in grammar.choices.items()}
"""Answer to a dialog -> whether it refuses."""


def locate(
    context: Context,
    target: Target,
    *,
    to_click: bool = False,
    to_open: bool = False,
    to_fill: bool = False,
) -> TextLine | Question | None:
    """Find the text that is meant; return a question if several fit equally.

    `to_click`: prefer texts other than titles and contents of fields; `to_open`: prefer the title
    of a window that is already open, then an icon; `to_fill`: only labels of fields.
    """
    layout = look_in(context.layout, target.window)
    if target.at:
        x, y = layout.pixel((target.at[0] / 100, target.at[1] / 100))
        return TextLine(target.words, Box(x - 1, y - 1, x + 2, y + 2), (x,))
    if to_open and (title := find_title(layout, target)):
        return title
    if to_fill:
        found = _find_suitable(layout, target, lambda line: field_of(layout, line) is not None)
    else:
        clickable = to_click and _find_suitable(
            layout, target, lambda line: not layout.in_bar(line)
        )
        found = clickable or find(layout, target.names)
    if to_open:
        found = [line for line in found if is_icon(layout, line)] or found
    found = _distinct(found)
    if target.near:
        found = _nearest(layout, found, target)
    if target.pick:
        return found[target.pick - 1] if target.pick <= len(found) else None
    return _choose(context, found)


def is_named(context: Context, wanted: Click) -> bool:
    """Whether the exact name of the target is visible, and not a button of a dialog."""
    found = locate(context, wanted.target, to_click=True, to_open=wanted.count == 0)
    if not isinstance(found, TextLine):
        return False
    is_answer = context.layout.is_dialog(context.layout.window_at(found.box.middle), None)
    return normalize(found.text) in map(normalize, wanted.target.names) and not is_answer


def _find_suitable(
    layout: ScreenLayout, target: Target, suits: Callable[[TextLine], bool]
) -> list[TextLine]:
    groups = ranked_matches(layout, target.names)
    return next(filter(None, ([line for line in group if suits(line)] for group in groups)), [])


def field_of(layout: ScreenLayout, label: TextLine) -> Box | None:
    """Return the input box of a label; None: typing would go into another window."""
    return None if is_icon(layout, label) else find_field(layout, label)


def _distinct(found: Sequence[TextLine]) -> list[TextLine]:
    """Return one text for each position, in reading order."""
    kept: list[TextLine] = []
    for line in found:
        if not any(other.box.holds(line.box.middle) for other in kept):
            kept.append(line)
    return kept


def _choose(context: Context, found: list[TextLine]) -> TextLine | Question | None:
    """Choose one of several: prefer new texts, then the window last clicked in, then buttons."""
    likely = found
    for is_better in (_is_new, _is_in_active_window, _is_framed):
        if len(likely) > 1:
            likely = [line for line in likely if is_better(context, line)] or likely
    if len(likely) > 1:
        positions = [describe_position(context.layout, line) for line in found]
        return Question(
            Message("local.which", label=found[0].text, count=len(found), positions=positions)
        )
    return likely[0] if likely else None


def _is_new(context: Context, line: TextLine) -> bool:
    before = None if context.by_hand else context.before  # the person may have opened a window
    return before is not None and not any(old.box.holds(line.box.middle) for old in before.lines)


def _is_in_active_window(context: Context, line: TextLine) -> bool:
    at = context.clicked
    return at is not None and context.layout.window_at(at).holds(line.box.middle)


def _is_framed(context: Context, line: TextLine) -> bool:
    return context.layout.frame_of(line) is not None


def _nearest(layout: ScreenLayout, found: list[TextLine], target: Target) -> list[TextLine]:
    """Return the nearest one at the target's side of the other label."""
    ranked = [
        (line.box.distance(anchor.box.middle), line.box, line)
        for line in found
        for anchor in find(layout, (target.near,))
        if line.box != anchor.box and _is_beside(line.box, anchor.box, target.where)
    ]
    return [min(ranked)[2]] if ranked else []


def _is_beside(box: Box, anchor: Box, where: str) -> bool:
    y, anchor_y = box.middle[1], anchor.middle[1]
    if where == "next to":
        return abs(y - anchor_y) < 1.5 * max(box.height, anchor.height)
    return y > anchor_y if where == "under" else y < anchor_y


def find_title(layout: ScreenLayout, target: Target) -> TextLine | None:
    """Find the exact title of an open window."""
    names = set(map(normalize, target.names))
    lines = chain.from_iterable(ranked_matches(layout, target.names))
    titles = (line for line in lines if normalize(line.text) in names)
    return next((line for line in titles if _find_window(layout, line)), None)


def list_windows(layout: ScreenLayout, target: Target) -> list[TextLine]:
    """Return the titles of the open windows of this program or file."""
    named = (line for line in layout.lines if any(_is_titled(line.text, n) for n in target.names))
    return [line for line in named if _find_window(layout, line)]


def read_windows(layout: ScreenLayout, target: Target) -> list[TextLine]:
    """Return the texts in the open windows of this program or file, without their titles."""
    windows = [_find_window(layout, title) for title in list_windows(layout, target)]
    return [line for line in layout.lines if any(b and b.holds(line.box.middle) for b in windows)]


def look_in(layout: ScreenLayout, window: str) -> ScreenLayout:
    """Return a copy with only the texts in this window and the names of icons; "": all."""
    if not window:
        return layout
    within = read_windows(layout, Target((window,)))
    lines = (line for line in layout.lines if line in within or _is_desktop_icon(layout, line))
    return replace(layout, lines=tuple(lines))


def _is_desktop_icon(layout: ScreenLayout, line: TextLine) -> bool:
    return is_icon(layout, line) and not layout.in_bar(line)  # a title may be below an icon


def find_same_window(before: ScreenLayout, now: ScreenLayout, target: Target) -> TextLine | None:
    """Find the title of the only window of this program or file, if it is where it was `before`.

    Another window may cover the rest of it now.
    """
    open_before = list_windows(before, target)
    if len(open_before) != 1:
        return None
    [old] = open_before
    same = (line for line in now.lines if normalize_ocr(line.text) == normalize_ocr(old.text))
    return next((line for line in same if line.box.holds(old.box.middle)), None)


def _is_titled(text: str, name: str) -> bool:
    """Whether a title is the name, or "FILE - NAME", or "NAME - PROGRAM"."""
    title, name = (normalize(each).translate(_DASHES) for each in (text, name))
    return title == name or title.endswith(f"-{name}") or title.startswith(f"{name}-")


def _find_window(layout: ScreenLayout, title: TextLine) -> Box | None:
    """Return the largest box that begins right below the text; None if none is large."""
    below = [
        box
        for box in layout.boxes
        if box.left <= title.box.middle[0] < box.right
        and -title.box.height < box.top - title.box.bottom < 2 * title.box.height
        and box.area > layout.width * layout.height / 25
    ]
    return below[-1] if below else None


def find_dismiss_button(layout: ScreenLayout, keep: TextLine | None = None) -> TextLine | None:
    """Find the button that closes an unexpected dialog.

    Buttons like Cancel and OK count only in a small window that does not contain `keep`.
    """
    for name in _HARMLESS:
        if button := _find_button(layout, name):
            return button
    for name in _REFUSING + _CLOSING:
        button = _find_button(layout, name)
        inside = keep.box.middle if keep else None
        if button and layout.is_dialog(layout.window_at(button.box.middle), inside):
            return button
    return None


def find_dialog_buttons(layout: ScreenLayout, text: str) -> list[TextLine]:
    """Return the buttons of the smallest dialog that has any, and this text in it or as title."""
    inside = (
        [line for line in layout.inside(box) if layout.frame_of(line)]
        for box in find_dialogs(layout, text)
    )
    return next(filter(None, inside), [])


def find_open_question(layout: ScreenLayout) -> tuple[str, TextLine] | None:
    """Find a dialog that asks something: one with buttons to agree and to refuse, and no field.

    Return its title, or its first text, and the button to agree, which a key may press.
    """
    for box in filter(lambda box: layout.is_dialog(box, None), layout.windows()):
        texts = layout.inside(box)
        buttons = [line for line in texts if layout.frame_of(line)]
        agree = [line for line in buttons if normalize(line.text) not in _REFUSALS]
        fields = (find_field(layout, line) for line in texts if line not in buttons)
        if agree and len(agree) < len(buttons) and not any(fields):
            titled = layout.inside(box._replace(top=box.top - MAX_TITLE_PX))
            return titled[0].text, agree[0]
    return None


def find_dialogs(layout: ScreenLayout, text: str) -> Iterator[Box]:
    """Yield the dialogs with this text in them or as title, the smallest first."""
    return (
        box
        for box in layout.windows()
        if layout.is_dialog(box, None)
        and contains_text(layout.inside(box._replace(top=box.top - MAX_TITLE_PX)), text)
    )


def is_title(line: TextLine, text: str, dialog: Box) -> bool:
    """Whether the line is this text alone, in the title bar above the dialog or in the dialog."""
    around = dialog._replace(top=dialog.top - MAX_TITLE_PX)
    return around.holds(line.box.middle) and normalize(line.text) == normalize(text)


def find_answer_button(
    layout: ScreenLayout, words: str, dialog: str, *, refuses: bool
) -> TextLine | None:
    """Find the button that an answer names.

    `dialog`: a text of the dialog that the question is about; yes and no mean its buttons if it
    has both. Words that also mean "continue", such as OK, name a button only in a dialog, and so
    do all if the answer `refuses`.
    """
    in_sight = [line for line in layout.lines if layout.frame_of(line)]
    nearest = find_dialog_buttons(layout, dialog)
    if refuses:
        windows = ((line, layout.window_at(line.box.middle)) for line in in_sight)
        in_sight = [line for line, window in windows if layout.is_dialog(window, None)]
    elif find_answer(words):
        in_sight = nearest
    said = normalize(words)
    names = [normalize(name) for name in find_names(words) if said]
    if named := [line for line in in_sight if normalize(line.text) in names]:
        return min(named, key=lambda line: layout.window_at(line.box.middle).area)  # in front
    refusals = [line for line in nearest if normalize(line.text) in _REFUSALS]
    others = [line for line in nearest if line not in refusals]
    if not dialog or said not in _CHOICES or (len(refusals), len(others)) != (1, 1):
        return None
    return refusals[0] if _CHOICES[said] else others[0]


def _find_button(layout: ScreenLayout, name: str) -> TextLine | None:
    whole = (line for line in layout.lines if normalize(line.text) == normalize(name))
    return next((line for line in whole if layout.frame_of(line)), None)


def find_menu_button(layout: ScreenLayout) -> TextLine | None:
    """Find the button of the start menu, at the upper or lower edge of the screen."""
    edge = layout.height // 12
    at_edge = [
        line for line in layout.lines if not edge < line.box.middle[1] < layout.height - edge
    ]
    names = [normalize(name) for name in _MENU]
    found = [line for line in at_edge if normalize(line.text) in names]
    return min(found, key=lambda line: names.index(normalize(line.text)), default=None)
