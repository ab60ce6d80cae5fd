"""Terminal: a prompt with a few commands."""

from __future__ import annotations

from typing import Any

from ..paint import NIGHT, Color, Painter, Rect, line_height, text_width, wrap_text
from ..scroll_view import BAR_PX, ScrollView
from ..textbox import Edit, expand_tabs
from ..usbhost import KeyDown
from ..windows import Program, WindowManager
from .commands import Lines, run_command

PROMPT = "user@pc:~$ "
TEXT_PX, PAD_PX = 17, 12
LINE_PX = line_height(TEXT_PX)
LIGHT: Color = (226, 232, 240)


class Console(ScrollView):
    """The output, and below it the line that is being typed."""

    notch_px = 3 * LINE_PX
    _back = 0
    """How many entries back in the history the line comes from."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.edit = Edit()

    def _wrap(self, text: str) -> list[tuple[int, int]]:
        return wrap_text(text, TEXT_PX, self.rect.w - 2 * PAD_PX - BAR_PX)

    def _lines(self) -> list[str]:
        texts = [expand_tabs(line) for line in self.terminal.output]
        if not self.terminal.busy:
            texts.append(expand_tabs(PROMPT + self.edit.text))
        return [text[start:end] for text in texts for start, end in self._wrap(text)]

    def content_height(self) -> int:
        return len(self._lines()) * LINE_PX + 2 * PAD_PX

    def scroll_to_end(self) -> None:
        self.fit()
        self.scroll_by(self.total)

    def draw(self, p: Painter) -> None:
        self.fit()
        with p.clip(self.area) as inner:
            text, lines = inner.at(PAD_PX, PAD_PX - self.offset), self._lines()
            for i, line in enumerate(lines):
                text.text(0, i * LINE_PX + LINE_PX // 2, line, LIGHT, TEXT_PX)
            if p.is_focused(self) and not self.terminal.busy:
                self._draw_caret(text, len(lines))
            self.draw_bar(inner)

    def _draw_caret(self, p: Painter, row_count: int) -> None:
        line, place = PROMPT + self.edit.text, len(PROMPT) + self.edit.caret
        starts = [start for start, _ in self._wrap(line)]
        row = max(i for i, start in enumerate(starts) if start <= place)
        x = int(text_width(line[starts[row] : place], TEXT_PX))
        top = (row_count - len(starts) + row) * LINE_PX
        p.caret(Rect(x, top + 3, 2, LINE_PX - 6), LIGHT)

    def paste(self, text: str) -> None:
        self.edit.insert(text.replace("\n", " "))

    def key(self, event: KeyDown) -> bool:
        if event.chord == "ctrl+c":
            self.terminal.interrupt()
        elif event.chord == "ctrl+l":
            self.terminal.output.clear()
        elif event.chord in ("pageup", "pagedown"):
            return self.scroll_by(self.rect.h * (1 if event.key == "pagedown" else -1))
        elif self.terminal.busy or not self._input(event):
            return False
        self.scroll_to_end()
        return True

    def _input(self, event: KeyDown) -> bool:
        if event.key == "enter":
            self._back = 0
            self.terminal.enter(self.edit.text)
            self.edit.set_text("")
        elif event.key in ("up", "down"):
            self._recall(1 if event.key == "up" else -1)
        else:
            return self.edit.key(event)
        return True

    def _recall(self, step: int) -> None:
        history = self.terminal.history
        self._back = min(max(self._back + step, 0), len(history))
        self.edit.set_text(history[-self._back] if self._back else "")


class Terminal(Program):
    """`output` are the printed lines, `history` the entered ones."""

    name = "Terminal"
    icon = "terminal"
    size = (780, 480)

    def __init__(self, desktop: WindowManager) -> None:
        super().__init__(desktop)
        self.output = ["Welcome. Type help for a list of commands.", ""]
        self.history: list[str] = []
        self._pending: Lines = []
        self.console = Console(self)
        self.widgets = [self.console]
        self.first = self.console

    @property
    def busy(self) -> bool:
        """Whether a command is still printing."""
        return bool(self._pending)

    def layout(self, width: int, height: int) -> None:
        self.console.rect = Rect(0, 0, width, height)

    def draw_background(self, p: Painter, area: Rect) -> None:
        p.fill(area, NIGHT)

    def enter(self, line: str) -> None:
        self.output.append(PROMPT + line)
        if line.strip():
            self.history.append(line)
        if line.strip() == "clear":
            self.output.clear()
            return
        self._pending = run_command(self.desktop.pc, line.strip())
        self._print()

    def _print(self) -> None:
        """Print the lines that are due; the rest follows after their delays."""
        while self._pending and self._pending[0][0] == 0:
            self.output.append(self._pending.pop(0)[1])
        self.console.scroll_to_end()
        if self._pending:
            number = len(self.history)
            self.desktop.pc.call_later(self._pending[0][0], lambda: self._continue(number))

    def _continue(self, number: int) -> None:
        if self._pending and number == len(self.history):
            self._pending[0] = (0, self._pending[0][1])
            self._print()

    def interrupt(self) -> None:
        line = "" if self.busy else PROMPT + self.console.edit.text
        self.output.append(line + "^C")
        self._pending.clear()
        self.console.edit.set_text("")

    def describe_state(self) -> dict[str, Any]:
        input_line = self.console.edit.text
        return {"history": self.history, "output": self.output, "input": input_line}
