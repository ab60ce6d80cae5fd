"""Dialogs that every program uses: a message with buttons, and a question for a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..paint import PAPER, Painter, Rect
from ..textbox import Field
from ..widgets import Button, Label
from ..window import Dialog

if TYPE_CHECKING:
    from ..desktop import Desktop

HIGH = 38


class Message(Dialog):
    """Text and buttons; the first button is the default, the last is what Esc does."""

    def __init__(
        self,
        desktop: Desktop,
        name: str,
        text: str,
        buttons: Mapping[str, Callable[[], None]],
        icon: str = "info",
    ) -> None:
        super().__init__(desktop, name, (470, 210))
        self.icon = icon
        self.label = Label(text, wrap=True, icon=icon)
        self.buttons = [
            Button(label, self.done(act), primary=i == 0)
            for i, (label, act) in enumerate(buttons.items())
        ]
        self.widgets = [self.label, *self.buttons]
        self.first = self.buttons[0]
        self.default = self.buttons[0].act
        self.cancel = self.buttons[-1].act

    def background(self, p: Painter, area: Rect) -> None:
        p.fill(area, PAPER)

    def layout(self, width: int, height: int) -> None:
        self.label.rect = Rect(24, 26, width - 48, 60)
        place_row(self.buttons, width, height)


def place_row(buttons: list[Button], width: int, height: int) -> None:
    """Buttons in a row at the lower right, in reading order."""
    x = width - 20
    for button in reversed(buttons):
        x -= button.width
        button.rect = Rect(x, height - HIGH - 18, button.width, HIGH)
        x -= 12


class AskName(Dialog):
    """A field with a label, and two buttons; `act` gets what was entered."""

    def __init__(
        self,
        desktop: Desktop,
        name: str,
        label: str,
        value: str,
        button: str,
        act: Callable[[str], None],
    ) -> None:
        super().__init__(desktop, name, (500, 220))
        self.label = Label(label)
        self.field = Field()
        self.label.buddy = self.field
        self.field.edit.set(value, select=True)
        self.default = lambda: self._entered(act)
        self.buttons = [Button(button, self.default, primary=True), Button("Cancel", self.close)]
        self.widgets = [self.label, self.field, *self.buttons]
        self.first = self.field

    def _entered(self, act: Callable[[str], None]) -> None:
        value = self.field.value.strip()
        if value:
            self.close()
            act(value)

    def background(self, p: Painter, area: Rect) -> None:
        p.fill(area, PAPER)

    def layout(self, width: int, height: int) -> None:
        self.label.rect = Rect(24, 20, width - 48, 28)
        self.field.rect = Rect(24, 52, width - 48, 42)
        place_row(self.buttons, width, height)

    def facts(self) -> dict[str, object]:
        return {"field": self.field.value}
