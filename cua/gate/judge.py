"""The verdict on one action, from the tables of rules and what was typed before it."""

from __future__ import annotations

from typing import NamedTuple

from ..patterns import Patterns
from ..types import Deed, Keypress, Manual, Power, Type
from . import chords, dialogs, lines
from .line import Entered, Line


class Risk(NamedTuple):
    """Why an action has to be asked about.

    `line`: the typed line that it is about; `commits`: the action enters that line. `always`: also
    where nobody wants to be asked.
    """

    rule: str
    why: str
    line: str = ""
    commits: bool = False
    always: bool = False


class Seen(NamedTuple):
    """What is known beside the action: words on the screen, the model's, its maker's.

    `label`: those on the very place that is clicked.
    """

    screen: str = ""
    said: str = ""
    caution: str = ""
    label: str = ""


NOTHING = Seen()
MOST_LINES = 400
"""Lines of one text; more would take seconds to judge on a KVM."""


class Judge:
    """Follows what is typed; one for one computer."""

    def __init__(self) -> None:
        self._line = Line()
        self._pressed: tuple[Keypress | Type, ...] = ()

    def risk(
        self, action: Deed, seen: Seen = NOTHING, ask: Patterns = (), let_pass: Patterns = ()
    ) -> Risk | None:
        """None: there is nothing known against it."""
        if seen.caution:
            why = f"Its maker wants you to confirm: {seen.caution}"
            return Risk("the model's maker", why, always=True)
        if isinstance(action, Power):
            return Risk("power", "It switches the computer itself.", always=True)
        action = dialogs.as_click(action)
        return (
            self._listed(action, seen, ask)
            or self._chord(action, let_pass)
            or self._typed(action, seen, let_pass)
            or self._answered(action, seen, let_pass)
        )

    def note(self, action: Deed, *, sure: bool = True) -> None:
        """The action was done; not `sure`: or it was not."""
        if isinstance(action, Power):
            return
        if sure:
            self._line.take(action)
        else:
            self._line.may_take(action)
        if isinstance(action, (Keypress, Type)):
            self._pressed = (*self._pressed, action)[-3:]

    def disturb(self) -> None:
        """Somebody else was at the keys."""
        self._line.disturb()

    @property
    def _chords(self) -> list[str]:
        return [each for action in self._pressed for each in chords.complete(action)]

    def _listed(self, action: Manual, seen: Seen, ask: Patterns) -> Risk | None:
        groups, pending = self._after(action)
        entered = [text for group in groups for text in group]
        texts = [*entered, *pending, chords.name(action), *chords.complete(action)]
        if dialogs.answers(action):
            texts += [seen.screen, seen.label]
        for pattern in ask:
            found = next((match for text in texts if (match := pattern.search(text))), None)
            if found:
                line = found.string if found.string in (*entered, *pending) else ""
                words = f'Your list says to ask about "{found[0][:80]}".'
                return Risk("your list", words, line, found.string in entered)
        return None

    def _chord(self, action: Manual, let_pass: Patterns) -> Risk | None:
        if _matches(let_pass, chords.name(action)):
            return None
        found = chords.risk(action, self._chords)
        return Risk(*found) if found else None

    def _typed(self, action: Manual, seen: Seen, let_pass: Patterns) -> Risk | None:
        entered, pending = self._after(action)
        if len({text for group in [*entered, pending] for text in group}) > MOST_LINES:
            return Risk("too much", "It types more lines than can be judged.")
        alone = isinstance(action, Type) and not self._line.pending and " " in action.text.strip()
        before = list(self._line.entered)
        for number, group in enumerate([*entered, pending]):
            enters = number < len(entered)
            context = lines.Context(before[-lines.REACH :], self._chords, seen.screen)
            for text in group:
                if _matches(let_pass, text.strip()):
                    continue
                found = lines.risk(text, context, whole=alone or enters)
                if found:
                    return Risk(*found, text, enters and not isinstance(action, Type))
            before += group[-2:]
        return None

    def _answered(self, action: Manual, seen: Seen, let_pass: Patterns) -> Risk | None:
        if any(_matches(let_pass, words.strip()) for words in (seen.screen, seen.label)):
            return None
        words = dialogs.Words(seen.screen, seen.label, seen.said)
        found = dialogs.risk(action, words, self._line.pending)
        return Risk(*found) if found else None

    def _after(self, action: Manual) -> tuple[list[Entered], list[str]]:
        """What each Enter in the action would enter, and what it would leave to be entered.

        A line that was already asked about is not asked about again because something was typed
        elsewhere since; entering it is.
        """
        line = self._line.copy()
        entered = line.take(action)
        before = self._line.pending
        if not isinstance(action, (Type, Keypress)):
            return entered, []
        pending = [text for text in line.pending if text not in before]
        if len(pending) > 1:
            pending = [
                text
                for text in pending
                if not any(text.startswith(old) and lines.risk(old) for old in before)
            ] or pending
        return entered, pending


def _matches(patterns: Patterns, text: str) -> bool:
    return bool(text) and any(pattern.fullmatch(text) for pattern in patterns)
