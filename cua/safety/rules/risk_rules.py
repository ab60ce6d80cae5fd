"""Judge an action by the rules and by the text typed before it."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from typing import NamedTuple

from ...messages import Message, sentences, sentences_of
from ...settings.word_list import Patterns
from ...types import InputAction, Keypress, KvmAction, ManualAction, Power, Type
from . import chords, dialogs, typed_line_rules
from .dialogs import NOTHING, ScreenEvidence
from .line_tracker import UNKNOWN, Entered, Line, enters_line


class Risk(NamedTuple):
    """Why an action needs approval.

    `line`: the typed line concerned; `commits`: the action enters it. `always`: ask even if the
    policy is "never".
    """

    rule: str
    why: str
    line: str = ""
    commits: bool = False
    always: bool = False


MAX_REASONS = 3
MAX_LINES = 400
"""Lines of one text at most; more would take seconds to judge on a KVM."""


class RiskRules:
    """Judges actions, and follows the text typed on one computer."""

    def __init__(self) -> None:
        self._line = Line()
        self._pressed: tuple[list[str], ...] = ()  # by each of the last actions
        self._chords: list[str] = []

    def find_risk(
        self,
        action: InputAction,
        seen: ScreenEvidence = NOTHING,
        ask: Patterns = (),
        let_pass: Patterns = (),
    ) -> Risk | None:
        if seen.caution:
            why = Message("rules.maker", reason=seen.caution)
            return Risk("the model's maker", why, always=True)
        if isinstance(action, Power):
            return Risk("power", Message("rules.power_button"), always=True)
        if isinstance(action, KvmAction):
            return Risk("drive", Message("rules.drive"), always=True)
        action = dialogs.as_click(action)
        return (
            self._user_list_risk(action, seen, ask)
            or self._typed_line_risk(action, seen, let_pass)
            or self._screen_risk(action, seen, let_pass)
        )

    def note(self, action: InputAction, *, sure: bool = True) -> None:
        """Note an executed action; not `sure`: it may not have been executed."""
        if isinstance(action, KvmAction):
            return
        (self._line.follow if sure else self._line.follow_unsure)(action)
        if isinstance(action, (Keypress, Type)):
            self._pressed = (*self._pressed, chords.get_pressed(action))[-3:]
            self._chords = [*itertools.chain(*self._pressed)]

    def leave_line(self) -> None:
        """Mark the typed line as unknown, after keyboard input that is not ours."""
        self._line.leave()

    def _user_list_risk(
        self, action: ManualAction, seen: ScreenEvidence, ask: Patterns
    ) -> Risk | None:
        groups, pending = self._lines_after(action, seen)
        entered = [text for group in groups for text in group]
        texts = [*entered, *pending, chords.get_name(action), *chords.get_pressed(action)]
        if dialogs.may_confirm(action):
            texts += [seen.screen, seen.label]
        for pattern in ask:
            found = next((match for text in texts if (match := pattern.search(text))), None)
            if found:
                line = found.string if found.string in (*entered, *pending) else ""
                why = Message("rules.listed", word=found[0][:80])
                return Risk("your list", why, line, found.string in entered)
        return None

    def _typed_line_risk(
        self, action: ManualAction, seen: ScreenEvidence, let_pass: Patterns
    ) -> Risk | None:
        """Return the first risk, with the reasons of all lines."""
        lines = self._lines_after(action, seen)
        if len({text for group in [*lines[0], lines[1]] for text in group}) > MAX_LINES:
            return Risk("too much", Message("rules.too_many_lines"))
        risks = [*self._line_risks(action, seen, let_pass, *lines)]
        reasons = dict.fromkeys(why for each in risks for why in sentences_of(each.why))
        why = sentences(*[*reasons][:MAX_REASONS])
        return risks[0]._replace(why=why) if risks else None

    def _line_risks(
        self,
        action: ManualAction,
        seen: ScreenEvidence,
        let_pass: Patterns,
        entered: list[Entered],
        pending: list[str],
    ) -> Iterator[Risk]:
        """Yield the first risk of each line."""
        typed = action.text.strip() if isinstance(action, Type) else ""
        alone = " " in typed and not self._line.piece.strip()
        before = list(self._line.entered)
        in_document = dialogs.writes_document(seen)
        for number, group in enumerate([*entered, pending]):
            enters = number < len(entered)
            last = before[-typed_line_rules.MAX_CONTEXT_LINES :]
            context = typed_line_rules.Context(last, self._chords, seen.screen, in_document)
            for text in (each for each in group if not _matches(let_pass, each.strip())):
                found = typed_line_rules.find_risk(text, context, whole=alone or enters)
                if found and enters:
                    yield Risk(*found, text, not isinstance(action, Type))
                elif found and self._line.mark != UNKNOWN:
                    yield Risk(*found, text)  # approval covers its Enter
                elif found:
                    why = sentences(found[1], Message("rules.line_longer"))
                    yield Risk(found[0], why, text + UNKNOWN)
                if found:
                    break
            before += group[-2:]

    def _screen_risk(
        self, action: ManualAction, seen: ScreenEvidence, let_pass: Patterns
    ) -> Risk | None:
        found, shown = None, dialogs.describe_screen(seen)
        if not _matches(let_pass, chords.get_name(action)):
            found = chords.find_risk(action, self._chords, shown)
        if not any(_matches(let_pass, words.strip()) for words in (seen.screen, seen.label)):
            found = found or dialogs.find_risk(action, seen, [self._line.text])
        return Risk(*found) if found else None

    def _lines_after(
        self, action: ManualAction, seen: ScreenEvidence
    ) -> tuple[list[Entered], list[str]]:
        """Return the lines that each Enter in the action would enter, and a changed pending one.

        The Enter key may also enter the text at the prompt on the screen, and a click or a key
        may run a statement there.
        """
        line, before = copy.copy(self._line), self._line
        entered = line.follow(action)
        enters = isinstance(action, Keypress) and any(map(enters_line, chords.get_pressed(action)))
        shown = typed_line_rules.read_line(seen.screen, statement=False) if enters else ""
        if dialogs.runs_statement(action, seen):
            shown = shown or typed_line_rules.read_line(seen.screen, statement=True)
        entered = [[*itertools.chain(*entered), shown]] if shown else entered
        if not isinstance(action, (Type, Keypress)):
            return entered, []
        pending = [line.text] * (line.text != before.text)
        pending += [line.piece] * (line.piece not in (line.text, before.piece))
        if isinstance(action, Type):
            pending += action.text.rpartition("\n")[2].split("\t")[:-1]  # of fields that Tab left
        return entered, [text for text in pending if text.strip()]


def _matches(patterns: Patterns, text: str) -> bool:
    return bool(text) and any(pattern.fullmatch(text) for pattern in patterns)
