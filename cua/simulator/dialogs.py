"""Dialogs that every program uses: a message with buttons, and a question for a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .paint import PAPER, Painter, Rect
from .textbox import Field
from .usbhost import KeyDown
from .widgets import Button, Label, Widget, do_nothing
from .windows import Program, Window, WindowManager

BUTTON_PX = 38


class Dialog(Program):
    """A question with buttons. Esc and the close button call `cancel`, Enter calls `default`.

    `content` are the widgets above the buttons, in their places.
    """

    resizable = False
    icon = "info"

    def __init__(
        self,
        desktop: WindowManager,
        name: str,
        size: tuple[int, int],
        content: list[Widget],
        buttons: list[Button],
    ) -> None:
        super().__init__(desktop)
        self.name, self.size, self.buttons = name, size, buttons
        self.widgets = [*content, *buttons]
        self.default: Callable[[], None] = do_nothing
        self.cancel: Callable[[], None] = self.close

    def layout(self, width: int, height: int) -> None:
        """Place the buttons in a row at the lower right, in reading order."""
        x = width - 20
        for button in reversed(self.buttons):
            x -= button.width
            button.rect = Rect(x, height - BUTTON_PX - 18, button.width, BUTTON_PX)
            x -= 12

    def background(self, p: Painter, area: Rect) -> None:
        p.fill(area, PAPER)

    def closing(self) -> bool:
        self.cancel()
        return False

    def key(self, event: KeyDown) -> bool:
        if event.chord not in ("esc", "enter"):
            return False
        (self.cancel if event.chord == "esc" else self.default)()
        return True


class MessageDialog(Dialog):
    """Text and buttons; the first button is the default, the last one cancels."""

    def __init__(
        self,
        desktop: WindowManager,
        name: str,
        text: str,
        buttons: Mapping[str, Callable[[], None]],
        icon: str = "info",
    ) -> None:
        label = Label(text, wrap=True, icon=icon)
        label.rect = Rect(24, 26, 420, 60)
        row = [Button(text, self._closing_act(act)) for text, act in buttons.items()]
        super().__init__(desktop, name, (470, 210), [label], row)
        self.icon, self.first = icon, row[0]
        self.default, self.cancel = row[0].act, row[-1].act
        row[0].primary = True

    def _closing_act(self, act: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            self.close()
            act()

        return run


class AskName(Dialog):
    """A field with a label, and two buttons; `act` gets the name that was entered."""

    def __init__(
        self,
        desktop: WindowManager,
        name: str,
        label: str,
        value: str,
        button: str,
        act: Callable[[str], None],
    ) -> None:
        self.field, self.act = Field(), act
        words = Label(label, buddy=self.field)
        words.rect, self.field.rect = Rect(24, 20, 450, 28), Rect(24, 52, 450, 42)
        self.field.edit.set(value, select=True)
        buttons = [Button(button, self._enter, primary=True), Button("Cancel", self.close)]
        super().__init__(desktop, name, (500, 220), [words, self.field], buttons)
        self.first, self.default = self.field, self._enter

    def _enter(self) -> None:
        if value := self.field.value.strip():
            self.close()
            self.act(value)

    def facts(self) -> dict[str, object]:
        return {"field": self.field.value}


def show_message(
    desktop: WindowManager, owner: Window | None, title: str, text: str, icon: str = "info"
) -> None:
    """Open a dialog with an OK button."""
    desktop.open(MessageDialog(desktop, title, text, {"OK": do_nothing}, icon), owner)
