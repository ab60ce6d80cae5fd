"""Terminal: a prompt with a few commands."""

from __future__ import annotations

from typing import Any

from ..hardware import Hardware
from ..paint import NIGHT, Rect
from ..textbox import TextArea
from ..usbhost import KeyDown
from ..widgets import Position
from ..windows import Program, WindowManager
from .commands import Lines, run_command

PROMPT = "user@pc:~$ "


class Console(TextArea):
    """The text of the terminal; `output` are the printed lines, `history` the entered ones.

    The line that is being typed follows the output and a prompt.
    """

    multiline = False
    ink, paper, marked = (226, 232, 240), NIGHT, (51, 65, 85)
    _printed = ""
    """The start of the text, which cannot be edited."""
    _history_place = 0
    """The line's place in the history, counted from the end; 0: it is a new line."""

    def __init__(self, pc: Hardware) -> None:
        super().__init__()
        self.pc = pc
        self.output = ["Welcome. Type help for a list of commands.", ""]
        self.history: list[str] = []
        self._pending: Lines = []

    @property
    def line(self) -> str:
        return self.text[len(self._printed) :]

    def show(self, line: str) -> None:
        """Show the output, and this line for editing."""
        prompt = "" if self._pending else PROMPT
        self._printed = "".join(f"{each}\n" for each in self.output) + prompt
        self.set_text(self._printed + line)
        self.scroll_by(self.total)

    def paste(self, text: str) -> None:
        self._leave_output()
        super().paste(text)

    def key(self, event: KeyDown) -> bool:
        if event.chord == "ctrl+c":
            self._interrupt()
        elif event.chord == "ctrl+l":
            self.output.clear()
            self.show(self.line)
        elif event.key in ("pageup", "pagedown"):
            return self.scroll_by(self.rect.h * (1 if event.key == "pagedown" else -1))
        elif self._pending:
            return False
        elif event.key == "enter":
            self._enter(self.line)
        elif event.key in ("up", "down"):
            self._recall(1 if event.key == "up" else -1)
        else:
            return self._edit(event)
        return True

    def _edit(self, event: KeyDown) -> bool:
        if event.char:
            self._leave_output()
        before = self.text
        used = super().key(event)
        if not self.text.startswith(self._printed):
            self.set_text(before)
        elif event.key in ("left", "home") and not self.copy():
            self.move_to(max(self.caret, len(self._printed)))
        return used

    def _leave_output(self) -> None:
        """Move the caret to the line if it, or the selection, is in the output."""
        if self.selection[0] < len(self._printed):
            self.move_to(len(self.text))

    def release(self, _at: Position) -> None:
        if not self.copy():
            self._leave_output()

    def _recall(self, step: int) -> None:
        self._history_place = min(max(self._history_place + step, 0), len(self.history))
        self.show(self.history[-self._history_place] if self._history_place else "")

    def _enter(self, line: str) -> None:
        self._history_place = 0
        self.output.append(PROMPT + line)
        if line.strip():
            self.history.append(line)
        if line.strip() == "clear":
            self.output.clear()
        self._pending = run_command(self.pc, line.strip())
        self._print()

    def _print(self) -> None:
        """Print the lines that are due; print the rest after their delays."""
        while self._pending and self._pending[0][0] == 0:
            self.output.append(self._pending.pop(0)[1])
        self.show("")
        if self._pending:
            number = len(self.history)
            self.pc.call_later(self._pending[0][0], lambda: self._continue(number))

    def _continue(self, number: int) -> None:
        if self._pending and number == len(self.history):
            self._pending[0] = (0, self._pending[0][1])
            self._print()

    def _interrupt(self) -> None:
        self.output.append(("" if self._pending else PROMPT + self.line) + "^C")
        self._pending.clear()
        self.show("")


class Terminal(Program):
    name = "Terminal"
    icon = "terminal"
    size = (780, 480)

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop)
        self.console = self.first = Console(desktop.pc)
        self.children = [self.console]

    def layout(self, width: int, height: int) -> None:
        self.console.rect = Rect(0, 0, width, height)
        self.console.show(self.console.line)

    def describe_state(self) -> dict[str, Any]:
        console = self.console
        return {"history": console.history, "output": console.output, "input": console.line}
