"""Terminal: a prompt that knows a handful of commands."""

from __future__ import annotations

from typing import Any

from ..editing import Edit
from ..paint import NIGHT, Color, Painter, Rect, line_height, text_width, wrapped
from ..scroll import BAR, Scroller
from ..textbox import shown
from ..usbhost import KeyDown
from ..widgets import Spot, Widget
from ..window_manager import App, WindowManager
from .commands import Shell

PROMPT = "user@pc:~$ "
SIZE, PAD = 17, 12
LIGHT: Color = (226, 232, 240)


class Console(Widget):
    """What was printed, and the line that is being typed below it."""

    takes_focus = True

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.edit = Edit()
        self.scroll = Scroller()
        self._back = 0

    def _lines(self) -> list[str]:
        lines = list(self.terminal.output)
        if not self.terminal.busy:
            lines.append(PROMPT + self.edit.text)
        width = self.rect.w - 2 * PAD - BAR
        texts = (shown(line) for line in lines)
        return [text[a:b] for text in texts for a, b in wrapped(text, SIZE, width)]

    def bottom(self) -> None:
        self._fit()
        self.scroll.by(self.scroll.total)

    def _fit(self) -> None:
        self.scroll.fit(self.rect.h, len(self._lines()) * line_height(SIZE) + 2 * PAD)

    def draw(self, p: Painter) -> None:
        lines, step = self._lines(), line_height(SIZE)
        self._fit()
        with p.clip(self.area) as inner:
            text = inner.at(PAD, PAD - self.scroll.offset)
            for i, line in enumerate(lines):
                text.text(0, i * step + step // 2, line, LIGHT, SIZE)
            if p.focused(self) and not self.terminal.busy:
                self._caret(text, step)
            self.scroll.draw(inner, Rect(self.rect.w - BAR, 0, BAR, self.rect.h))

    def _caret(self, p: Painter, step: int) -> None:
        lines = self._lines()
        line = wrapped(PROMPT + self.edit.text, SIZE, self.rect.w - 2 * PAD - BAR)
        place = len(PROMPT) + self.edit.caret
        row = max(i for i, (start, _) in enumerate(line) if start <= place)
        x = int(text_width((PROMPT + self.edit.text)[line[row][0] : place], SIZE))
        top = (len(lines) - len(line) + row) * step
        p.caret(Rect(x, top + 3, 2, step - 6), LIGHT)

    def press(self, at: Spot) -> None:
        self.scroll.press(at.x, at.y, self.rect.w)

    def drag(self, at: Spot) -> None:
        self.scroll.drag(at.y)

    def wheel(self, notches: int) -> bool:
        return self.scroll.by(-notches * 3 * line_height(SIZE))

    def paste(self, text: str) -> None:
        self.edit.insert(text.replace("\n", " "))

    def key(self, event: KeyDown) -> bool:
        if event.chord == "ctrl+c":
            self.terminal.interrupt()
        elif event.chord == "ctrl+l":
            self.terminal.output.clear()
        elif event.chord in ("pageup", "pagedown"):
            return self.scroll.by(self.rect.h * (1 if event.key == "pagedown" else -1))
        elif self.terminal.busy or not self._input(event):
            return False
        self.bottom()
        return True

    def _input(self, event: KeyDown) -> bool:
        if event.key == "enter":
            self._back = 0
            self.terminal.enter(self.edit.text)
            self.edit.set("")
        elif event.key in ("up", "down"):
            self._recall(1 if event.key == "up" else -1)
        else:
            return self.edit.key(event)
        return True

    def _recall(self, step: int) -> None:
        history = self.terminal.history
        self._back = min(max(self._back + step, 0), len(history))
        self.edit.set(history[-self._back] if self._back else "")


class Terminal(App):
    """`output` is what was printed, `history` what was entered."""

    name = "Terminal"
    icon = "terminal"
    size = (780, 480)

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop)
        self.output = ["Welcome. Type help for a list of commands.", ""]
        self.history: list[str] = []
        self.shell = Shell(desktop.pc)
        self._pending: list[tuple[float, str]] = []
        self.console = Console(self)
        self.widgets = [self.console]
        self.first = self.console

    @property
    def busy(self) -> bool:
        """Whether a command is still printing."""
        return bool(self._pending)

    def layout(self, width: int, height: int) -> None:
        self.console.rect = Rect(0, 0, width, height)

    def background(self, p: Painter, area: Rect) -> None:
        p.fill(area, NIGHT)

    def enter(self, line: str) -> None:
        self.output.append(PROMPT + line)
        if line.strip():
            self.history.append(line)
        if line.strip() == "clear":
            self.output.clear()
            return
        self._pending = self.shell.run(line.strip())
        self._print()

    def _print(self) -> None:
        """Print what is due; the rest comes later, as it does from a slow command."""
        while self._pending and self._pending[0][0] == 0:
            self.output.append(self._pending.pop(0)[1])
        self.console.bottom()
        if self._pending:
            number = len(self.history)
            self.desktop.pc.after(self._pending[0][0], lambda: self._go_on(number))

    def _go_on(self, number: int) -> None:
        if self._pending and number == len(self.history):
            self._pending[0] = (0, self._pending[0][1])
            self._print()

    def interrupt(self) -> None:
        """Ctrl+C: ends the command, or drops the line."""
        line = "" if self.busy else PROMPT + self.console.edit.text
        self.output.append(line + "^C")
        self._pending.clear()
        self.console.edit.set("")

    def facts(self) -> dict[str, Any]:
        input_line = self.console.edit.text
        return {"history": self.history, "output": self.output, "input": input_line}
