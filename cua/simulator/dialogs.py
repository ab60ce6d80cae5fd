"""Dialogs for all programs: a message with buttons, and a prompt for a name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .paint import PAPER, Rect
from .textbox import Field
from .usbhost import KeyDown
from .widgets import Act, Button, Label, do_nothing
from .windows import Program, Window, WindowManager

BUTTON_PX = 38


class Dialog(Program):
    """A text with a button for each of `acts`, which closes the dialog.

    Enter presses the first button; Esc and the close button call `cancel`, that of the last one.
    """

    resizable = False
    size = (470, 210)
    ground = PAPER

    def __init__(
        self, desktop: WindowManager, name: str, text: str, acts: dict[str, Act], icon: str = "info"
    ) -> None:
        super().__init__(desktop)
        self.name, self.icon = name, icon
        label = Label(text, wrap=True, icon=icon)
        label.rect = Rect(24, 26, 420, 60)
        self.buttons = [Button(word, partial(self._press, act)) for word, act in acts.items()]
        self.buttons[0].primary = True
        self.children = [label, *self.buttons]
        self.first, self.cancel = self.buttons[0], self.buttons[-1].act

    def layout(self, width: int, height: int) -> None:
        """Place the buttons in a row at the lower right, in reading order."""
        x = width - 20
        for button in reversed(self.buttons):
            x -= button.width
            button.rect = Rect(x, height - BUTTON_PX - 18, button.width, BUTTON_PX)
            x -= 12

    def _press(self, act: Act) -> None:
        self.close()
        act()

    def confirm_close(self) -> bool:
        self.cancel()
        return False

    def key(self, event: KeyDown) -> bool:
        acts = {"esc": self.cancel, "enter": self.buttons[0].act}
        if event.chord in acts:
            acts[event.chord]()
        return event.chord in acts


class NameDialog(Dialog):
    """A field with a label, and two buttons; `act` gets the name, which is not empty."""

    size = (500, 220)

    def __init__(
        self,
        desktop: WindowManager,
        words: tuple[str, str, str],
        value: str,
        act: Callable[[str], None],
    ) -> None:
        """`words`: the title, and the labels of the field and of the button."""
        name, field, button = words
        super().__init__(desktop, name, "", {button: do_nothing, "Cancel": do_nothing})
        self.field, self.act = Field(), act
        self.field.set_text(value, select=True)
        self.buttons[0].act = self._enter
        label = Label(field, buddy=self.field)
        label.rect, self.field.rect = Rect(24, 20, 450, 28), Rect(24, 52, 450, 42)
        self.children = [label, self.field, *self.buttons]
        self.first = self.field

    def _enter(self) -> None:
        if value := self.field.text.strip():
            self.close()
            self.act(value)


def ask(
    desktop: WindowManager, owner: Window | None, title: str, text: str, acts: dict[str, Act]
) -> None:
    """Open a dialog with a button for each of `acts`, and Cancel."""
    desktop.open(Dialog(desktop, title, text, {**acts, "Cancel": do_nothing}, "question"), owner)


def show_message(
    desktop: WindowManager, owner: Window | None, title: str, text: str, icon: str = "info"
) -> None:
    desktop.open(Dialog(desktop, title, text, {"OK": do_nothing}, icon), owner)
