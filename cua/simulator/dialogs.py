"""Dialogs that every program uses: a message with buttons, and a question for a name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .paint import PAPER, Rect
from .textbox import Field
from .usbhost import KeyDown
from .widgets import Act, Button, Label, Widget, do_nothing
from .windows import Program, Window, WindowManager

BUTTON_PX = 38
NameAct = Callable[[str], None]


class Dialog(Program):
    """A question with buttons. Esc and the close button call `cancel`, Enter calls `default`.

    `content` are the widgets above the buttons, in their places.
    """

    resizable = False
    icon = "info"
    ground = PAPER

    def __init__(
        self, desktop: WindowManager, name: str, content: list[Widget], buttons: list[Button]
    ) -> None:
        super().__init__(desktop)
        self.name, self.buttons = name, buttons
        self.children = [*content, *buttons]
        self.default: Act = do_nothing
        self.cancel: Act = self.close

    def layout(self, width: int, height: int) -> None:
        """Place the buttons in a row at the lower right, in reading order."""
        x = width - 20
        for button in reversed(self.buttons):
            x -= button.width
            button.rect = Rect(x, height - BUTTON_PX - 18, button.width, BUTTON_PX)
            x -= 12

    def confirm_close(self) -> bool:
        self.cancel()
        return False

    def key(self, event: KeyDown) -> bool:
        if event.chord in ("esc", "enter"):
            (self.cancel if event.chord == "esc" else self.default)()
        return event.chord in ("esc", "enter")


class MessageDialog(Dialog):
    """Text and buttons; the first button is the default, the last one cancels."""

    size = (470, 210)

    def __init__(
        self, desktop: WindowManager, name: str, text: str, acts: dict[str, Act], icon: str
    ) -> None:
        label = Label(text, wrap=True, icon=icon)
        label.rect = Rect(24, 26, 420, 60)
        buttons = [Button(word, partial(self._close_and, act)) for word, act in acts.items()]
        buttons[0].primary = True
        super().__init__(desktop, name, [label], buttons)
        self.icon, self.first = icon, buttons[0]
        self.default, self.cancel = buttons[0].act, buttons[-1].act

    def _close_and(self, act: Act) -> None:
        self.close()
        act()


class NameDialog(Dialog):
    """A field with a label, and two buttons; `act` gets the name that was entered."""

    size = (500, 220)

    def __init__(
        self, desktop: WindowManager, words: tuple[str, str, str], value: str, act: NameAct
    ) -> None:
        """`words`: the title, and the labels of the field and of the button."""
        name, field, button = words
        self.field, self.act = Field(), act
        self.field.set_text(value, select=True)
        label = Label(field, buddy=self.field)
        label.rect, self.field.rect = Rect(24, 20, 450, 28), Rect(24, 52, 450, 42)
        buttons = [Button(button, self._enter, primary=True), Button("Cancel", self.close)]
        super().__init__(desktop, name, [label, self.field], buttons)
        self.first, self.default = self.field, self._enter

    def _enter(self) -> None:
        if value := self.field.text.strip():
            self.close()
            self.act(value)


def ask(
    desktop: WindowManager, owner: Window | None, title: str, text: str, acts: dict[str, Act]
) -> None:
    """Open a dialog with a button for each of `acts`, and Cancel."""
    acts = {**acts, "Cancel": do_nothing}
    desktop.open(MessageDialog(desktop, title, text, acts, "question"), owner)


def show_message(
    desktop: WindowManager, owner: Window | None, title: str, text: str, icon: str = "info"
) -> None:
    desktop.open(MessageDialog(desktop, title, text, {"OK": do_nothing}, icon), owner)
