"""Which of the words on the screen are meant, and what stands in the way."""

from __future__ import annotations

from collections.abc import Sequence

from ...screen.ocr.layout import Box, ScreenLayout, TextLine
from .context import Question, RuleContext, where
from .instructions import Target
from .matching import find, plain, ranked

_HARMLESS = (
    "Later", "Not now", "Remind me later", "Remind me tomorrow", "Maybe later", "No thanks",
    "No, thanks", "Dismiss", "Skip", "Not interested", "Ask me later", "Got it",
)  # fmt: skip
_PERHAPS = ("Cancel", "No", "Close", "Ignore", "OK")
_LAUNCHERS = ("Start", "Menu", "Applications", "Activities", "Show Applications")


def locate(context: RuleContext, target: Target) -> TextLine | Question | None:
    """The one place that is meant; a question if several are as good; None if there is none."""
    if target.at:
        return _spot(context.look, target, target.at)
    return _one(context, find(context.look, target.names), target)


def clickable(context: RuleContext, target: Target, opening: bool) -> TextLine | Question | None:
    """The same for a click: rather no title or entered words, and when `opening` an icon."""
    if target.at:
        return _spot(context.look, target, target.at)
    found = _candidates(context.look, target)
    if opening:
        found = _only(found, [seen for seen in found if is_icon(context.look, seen)])
    return _one(context, found, target)


def _spot(look: ScreenLayout, target: Target, at: tuple[float, float]) -> TextLine:
    x, y = look.pixel((at[0] / 100, at[1] / 100))
    return TextLine(target.words, Box(x - 1, y - 1, x + 2, y + 2), (x,))


def title(context: RuleContext, target: Target) -> TextLine | None:
    """The title of a window: something large begins right below it."""
    look = context.look
    for group in ranked(look, target.names):
        for seen in _apart(group):
            x, y = seen.box.middle
            if any(
                box.left <= x < box.right
                and -seen.box.height < box.top - seen.box.bottom < 2 * seen.box.height
                and box.top > y
                and box.area > look.width * look.height / 25
                for box in look.boxes
            ):
                return seen
    return None


def _one(
    context: RuleContext, found: Sequence[TextLine], target: Target
) -> TextLine | Question | None:
    look, found = context.look, _apart(found)
    if target.near:
        found = _near(look, found, target)
    if isinstance(target.pick, int):
        return found[target.pick - 1] if target.pick <= len(found) else None
    if isinstance(target.pick, str) and found:
        return _by_side(found, target.pick)
    return _single(context, found)


def _candidates(look: ScreenLayout, target: Target) -> list[TextLine]:
    """The best that are not just a title, or words that somebody entered in a field."""
    groups = list(ranked(look, target.names))
    for group in groups:
        if better := [seen for seen in group if not look.in_bar(seen)]:
            return better
    return groups[0] if groups else []


def _single(context: RuleContext, found: list[TextLine]) -> TextLine | Question | None:
    likely = found
    for better in (_fresh, _in_active_window, _framed):
        if len(likely) > 1:
            likely = _only(likely, better(context, likely))
    if len(likely) > 1:
        return _which(context.look, found)
    return likely[0] if likely else None


def _only(found: list[TextLine], better: list[TextLine]) -> list[TextLine]:
    return better or found


def _fresh(context: RuleContext, found: list[TextLine]) -> list[TextLine]:
    """Those that were not there at the last look: they belong to what was just opened."""
    if context.before is None:
        return []
    old = [seen.box for seen in context.before.lines]
    return [seen for seen in found if not any(box.holds(seen.box.middle) for box in old)]


def _in_active_window(context: RuleContext, found: list[TextLine]) -> list[TextLine]:
    if context.clicked is None:
        return []
    window = context.look.window_at(context.clicked)
    return [seen for seen in found if window.holds(seen.box.middle)]


def _framed(context: RuleContext, found: list[TextLine]) -> list[TextLine]:
    return [seen for seen in found if context.look.frame_of(seen)]


def _apart(found: Sequence[TextLine]) -> list[TextLine]:
    """Each place once, in reading order."""
    kept: list[TextLine] = []
    for seen in found:
        if not any(other.box.holds(seen.box.middle) for other in kept):
            kept.append(seen)
    return kept


def _near(look: ScreenLayout, found: list[TextLine], target: Target) -> list[TextLine]:
    """The one that stands as asked by the other label, and nearest to it."""
    anchors = find(look, (target.near,))
    ranked = [
        (_distance(seen.box, anchor.box), seen.box, seen)
        for seen in found
        for anchor in anchors
        if seen.box != anchor.box and _stands(seen.box, anchor.box, target.where)
    ]
    return [min(ranked)[2]] if ranked else []


def _stands(box: Box, anchor: Box, where: str) -> bool:
    y, ay = box.middle[1], anchor.middle[1]
    if where == "next to":
        return abs(y - ay) < 1.5 * max(box.height, anchor.height)
    return y > ay if where == "under" else y < ay


def _distance(box: Box, anchor: Box) -> float:
    (x, y), (ax, ay) = box.middle, anchor.middle
    return abs(x - ax) + abs(y - ay)


def _by_side(found: list[TextLine], side: str) -> TextLine:
    axis = 0 if side in ("left", "right") else 1
    ordered = sorted(found, key=lambda seen: seen.box.middle[axis])
    return ordered[0 if side in ("left", "top") else -1]


def _which(look: ScreenLayout, found: list[TextLine]) -> Question:
    places = "; ".join(f"{n}: {where(look, seen)}" for n, seen in enumerate(found, 1))
    return Question(
        f'I see "{found[0].text}" {len(found)} times ({places}). '
        'Which one? Say "the first", "the left one" and so on.'
    )


def is_icon(look: ScreenLayout, seen: TextLine) -> bool:
    """Words under a picture, which a click only marks and a double click opens."""
    x, _ = seen.box.middle
    return look.frame_of(seen) is None and any(
        picture.left < x < picture.right and -8 <= seen.box.top - picture.bottom < 24
        for picture in look.pictures
    )


def obstacle(look: ScreenLayout, boldly: bool, spare: TextLine | None = None) -> TextLine | None:
    """The button that puts aside a dialog nobody asked for.

    `boldly` also takes buttons like Cancel and OK, if they stand in a small window: only for one
    who knows of no better use for that window, and not for the window that holds `spare`.
    """
    for name in _HARMLESS:
        if button := _button(look, name):
            return button
    for name in _PERHAPS if boldly else ():
        button = _button(look, name)
        if button and _is_dialog(look, look.window_at(button.box.middle), spare):
            return button
    return None


def _button(look: ScreenLayout, name: str) -> TextLine | None:
    whole = [seen for seen in look.lines if plain(seen.text) == plain(name)]
    return next((seen for seen in whole if look.frame_of(seen)), None)


def _is_dialog(look: ScreenLayout, window: Box, spare: TextLine | None) -> bool:
    small = window.area < 0.25 * look.width * look.height
    return small and not (spare and window.holds(spare.box.middle))


def launcher(look: ScreenLayout) -> TextLine | None:
    """Where programs can be found that have no icon in sight: the start menu's button."""
    found = [seen for name in _LAUNCHERS for seen in look.lines if plain(seen.text) == plain(name)]
    edge = look.height // 12
    at_edge = [s for s in found if not edge < s.box.middle[1] < look.height - edge]
    return at_edge[0] if at_edge else None
