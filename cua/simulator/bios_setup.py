"""The BIOS setup: a list of settings, used by keyboard only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .hardware import Hardware
from .paint import WHITE, Color, Painter, Rect
from .phases import Phase
from .usbhost import Event, KeyDown
from .widgets import do_nothing

ON_OFF = ("Enabled", "Disabled")
SETTINGS: dict[str, tuple[str, ...]] = {
    "Boot Device": ("Hard Disk", "USB Drive", "Network"),
    "Boot Mode": ("UEFI", "Legacy"),
    "Secure Boot": ON_OFF,
    "Virtualization": ("Disabled", "Enabled"),
    "USB Legacy Support": ON_OFF,
    "Fast Boot": ("Disabled", "Enabled"),
    "After Power Loss": ("Stay Off", "Power On", "Last State"),
}
SAVE, LEAVE = "Save & Exit Setup", "Exit Without Saving"
ROWS = (*SETTINGS, SAVE, LEAVE)
HELP = ("Up/Down: Select", "Enter: Change", "F9: Load Defaults", "F10: Save & Exit", "Esc: Exit")
BLUE: Color = (10, 32, 120)
DEEP: Color = (6, 20, 84)
GREY: Color = (205, 210, 220)
YELLOW: Color = (253, 224, 71)
SIDE_PX, TOP_PX, ROW_PX = 330, 110, 46


def default_settings() -> dict[str, str]:
    return {name: choices[0] for name, choices in SETTINGS.items()}


@dataclass
class Choice:
    """A box in the middle with lines, one of them highlighted; `act` gets the chosen one."""

    title: str
    lines: Sequence[str]
    act: Callable[[str], None]
    index: int = 0

    def draw(self, p: Painter, size: tuple[int, int]) -> None:
        high = 92 + ROW_PX * len(self.lines)
        box = Rect(size[0] // 2 - 230, (size[1] - high) // 2, 460, high)
        p.box(box, GREY, WHITE, 0, 3)
        p.text(size[0] // 2, box.y + 40, self.title, DEEP, 20, bold=True, anchor="middle")
        for i, line in enumerate(self.lines):
            row = Rect(box.x + 40, box.y + 74 + ROW_PX * i, box.w - 80, ROW_PX - 4)
            if i == self.index:
                p.fill(row, BLUE)
            color = WHITE if i == self.index else DEEP
            p.text(size[0] // 2, row.mid, line, color, 20, anchor="middle")


class BiosSetup(Phase):
    """The setup; `pending` are the settings that are not saved yet."""

    name = "setup"

    def __init__(self, pc: Hardware, leave: Callable[[], None]) -> None:
        self.pc, self.leave = pc, leave
        self.pending = dict(pc.bios)
        self.index = 0
        self.choice: Choice | None = None

    def handle(self, event: Event) -> bool:
        if isinstance(event, KeyDown):
            if self.choice:
                self._handle_choice_key(self.choice, event.key)
            else:
                self._handle_key(event.key)
        return isinstance(event, KeyDown)

    def _handle_key(self, key: str) -> None:
        if key in ("up", "down"):
            self.index = (self.index + (1 if key == "down" else -1)) % len(ROWS)
        elif key == "f9":
            self.pending = default_settings()
        elif row := {"enter": ROWS[self.index], "f10": SAVE, "esc": LEAVE}.get(key):
            self._enter(row)

    def _enter(self, row: str) -> None:
        if row == SAVE:
            self._ask("Save configuration and exit?", self._save)
        elif row == LEAVE:
            self._ask("Exit without saving?", self.leave)
        else:
            values = SETTINGS[row]
            at = values.index(self.pending[row])
            self.choice = Choice(row, values, lambda value: self.pending.update({row: value}), at)

    def _ask(self, question: str, act: Callable[[], None]) -> None:
        answers = {"Yes": act, "No": do_nothing}
        self.choice = Choice(question, list(answers), lambda answer: answers[answer]())

    def _save(self) -> None:
        self.pc.bios = dict(self.pending)
        self.leave()

    def _handle_choice_key(self, choice: Choice, key: str) -> None:
        if key in ("up", "left", "down", "right", "tab"):
            step = -1 if key in ("up", "left") else 1
            choice.index = (choice.index + step) % len(choice.lines)
        elif key in ("enter", "esc"):
            self.choice = None
            if key == "enter":
                choice.act(choice.lines[choice.index])

    def draw(self, p: Painter) -> None:
        width, height = self.pc.size
        p.fill(Rect(0, 0, width, height), BLUE)
        p.fill(Rect(0, 0, width, 64), GREY)
        p.text(width // 2, 32, "BIOS SETUP UTILITY", DEEP, 24, bold=True, anchor="middle")
        p.fill(Rect(width - SIDE_PX, 64, 2, height - 64), GREY)
        for i, row in enumerate(ROWS):
            self._draw_row(p, i, row, width - SIDE_PX)
        for i, line in enumerate(HELP):
            p.text(width - SIDE_PX + 36, TOP_PX + 22 + 40 * i, line, GREY, 19)
        if self.choice:
            self.choice.draw(p, self.pc.size)

    def _draw_row(self, p: Painter, index: int, row: str, width: int) -> None:
        gap = 24 if row in (SAVE, LEAVE) else 0
        line = Rect(30, TOP_PX + ROW_PX * index + gap, width - 60, ROW_PX - 6)
        marked = index == self.index
        if marked:
            p.fill(line, WHITE)
        p.text(line.x + 20, line.mid, row, BLUE if marked else WHITE, 20)
        if row in self.pending:
            value = f"[{self.pending[row]}]"
            p.text(line.x + line.w * 6 // 10, line.mid, value, BLUE if marked else YELLOW, 20)

    def describe_state(self) -> dict[str, Any]:
        question = self.choice.title if self.choice else ""
        return {"setup": {"row": ROWS[self.index], "pending": self.pending, "ask": question}}
