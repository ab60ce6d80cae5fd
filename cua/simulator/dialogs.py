"""Dialogs that every program uses: a message with buttons, and a question for a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .paint import PAPER, Painter, Rect
from .textbox import Field
from .usbhost import KeyDown
from .widgets import Button, Label
from .window import Window
from .window_manager import App, WindowManager

HIGH = 38


class Dialog(App):
    """A question with buttons. Esc and the close button do what `cancel` does."""

    resizable = False
    icon = "info"

    def __init__(self, desktop: WindowManager, name: str, size: tuple[int, int]) -> None:
        super().__init__(desktop)
        self.name, self.size = name, size
        self.default: Callable[[], None] | None = None
        self.cancel: Callable[[], None] = self.close

    def done(self, act: Callable[[], None]) -> Callable[[], None]:
        """Closes the dialog, then acts."""

        def run() -> None:
            self.close()
            act()

        return run

    def closing(self) -> bool:
        self.cancel()
        return False

    def key(self, event: KeyDown) -> bool:
        if event.chord == "esc":
            self.cancel()
        elif event.chord == "enter" and self.default:
            self.default()
        else:
            return False
        return True


class MessageDialog(Dialog):
    """Text and buttons; the first button is the default, the last is what Esc does."""

    def __init__(
        self,
        desktop: WindowManager,
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
        desktop: WindowManager,
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


def show_message(
    desktop: WindowManager, owner: Window | None, title: str, text: str, icon: str = "info"
) -> None:
    """Open a dialog with an OK button."""
    desktop.open(MessageDialog(desktop, title, text, {"OK": lambda: None}, icon), owner)
