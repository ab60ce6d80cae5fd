"""The BIOS setup: a list of settings that only the keyboard can change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .hardware import Hardware
from .paint import WHITE, Color, Painter, Rect
from .phase import Phase
from .usbhost import Event, KeyDown

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
HELP = (
    "Up/Down: Select",
    "Enter: Change",
    "F9: Load Defaults",
    "F10: Save & Exit",
    "Esc: Exit",
)
BLUE: Color = (10, 32, 120)
DEEP: Color = (6, 20, 84)
GREY: Color = (205, 210, 220)
YELLOW: Color = (253, 224, 71)
SIDE, TOP, STEP = 330, 110, 46


def default_settings() -> dict[str, str]:
    return {name: choices[0] for name, choices in SETTINGS.items()}


class Choice:
    """A box in the middle with a few lines, one of which is marked."""

    def __init__(self, title: str, lines: list[str], act: Callable[[str], None], at: int = 0):
        self.title, self.lines, self.act, self.index = title, lines, act, at

    def step(self, by: int) -> None:
        self.index = (self.index + by) % len(self.lines)

    def draw(self, p: Painter, size: tuple[int, int]) -> None:
        high = 92 + STEP * len(self.lines)
        box = Rect(size[0] // 2 - 230, (size[1] - high) // 2, 460, high)
        p.box(box, GREY, WHITE, 0, 3)
        p.text(size[0] // 2, box.y + 40, self.title, DEEP, 20, bold=True, anchor="middle")
        for i, line in enumerate(self.lines):
            row = Rect(box.x + 40, box.y + 74 + STEP * i, box.w - 80, STEP - 4)
            if i == self.index:
                p.fill(row, BLUE)
            color = WHITE if i == self.index else DEEP
            p.text(size[0] // 2, row.mid, line, color, 20, anchor="middle")


class BiosSetup(Phase):
    """`pending` are the settings as they would be saved."""

    name = "setup"

    def __init__(self, pc: Hardware) -> None:
        self.pc = pc
        self.pending = dict(pc.bios)
        self.index = 0
        self.choice: Choice | None = None

    @property
    def _rows(self) -> list[str]:
        return [*SETTINGS, SAVE, LEAVE]

    def handle(self, event: Event) -> bool:
        if isinstance(event, KeyDown):
            (self._choice_key if self.choice else self._key)(event.key)
        return isinstance(event, KeyDown)

    def _key(self, key: str) -> None:
        if key in ("up", "down"):
            self.index = (self.index + (1 if key == "down" else -1)) % len(self._rows)
        elif key == "enter":
            self._enter(self._rows[self.index])
        elif key == "f9":
            self.pending = default_settings()
        elif key == "f10":
            self._enter(SAVE)
        elif key == "esc":
            self._enter(LEAVE)

    def _enter(self, row: str) -> None:
        if row == SAVE:
            self._ask("Save configuration and exit?", self._save)
        elif row == LEAVE:
            self._ask("Exit without saving?", self.pc.boot)
        else:
            choices = list(SETTINGS[row])
            at = choices.index(self.pending[row])
            self.choice = Choice(row, choices, lambda value: self._set(row, value), at)

    def _ask(self, question: str, act: Callable[[], None]) -> None:
        def answer(word: str) -> None:
            if word == "Yes":
                act()

        self.choice = Choice(question, ["Yes", "No"], answer)

    def _set(self, row: str, value: str) -> None:
        self.pending[row] = value

    def _save(self) -> None:
        self.pc.bios = dict(self.pending)
        self.pc.boot()

    def _choice_key(self, key: str) -> None:
        choice = self.choice
        if not choice:
            return
        if key in ("up", "left", "down", "right", "tab"):
            choice.step(-1 if key in ("up", "left") else 1)
        elif key in ("enter", "esc"):
            self.choice = None
            if key == "enter":
                choice.act(choice.lines[choice.index])

    def draw(self, p: Painter) -> None:
        width, height = self.pc.size
        p.fill(Rect(0, 0, width, height), BLUE)
        p.fill(Rect(0, 0, width, 64), GREY)
        p.text(width // 2, 32, "BIOS SETUP UTILITY", DEEP, 24, bold=True, anchor="middle")
        p.fill(Rect(width - SIDE, 64, 2, height - 64), GREY)
        for i, row in enumerate(self._rows):
            self._draw_row(p, i, row, width - SIDE)
        for i, line in enumerate(HELP):
            p.text(width - SIDE + 36, TOP + 22 + 40 * i, line, GREY, 19)
        if self.choice:
            self.choice.draw(p, self.pc.size)

    def _draw_row(self, p: Painter, index: int, row: str, width: int) -> None:
        gap = 24 if row in (SAVE, LEAVE) else 0
        line = Rect(30, TOP + STEP * index + gap, width - 60, STEP - 6)
        marked = index == self.index
        if marked:
            p.fill(line, WHITE)
        p.text(line.x + 20, line.mid, row, BLUE if marked else WHITE, 20)
        if row in self.pending:
            value = f"[{self.pending[row]}]"
            p.text(line.x + line.w * 6 // 10, line.mid, value, BLUE if marked else YELLOW, 20)

    def facts(self) -> dict[str, Any]:
        question = self.choice.title if self.choice else ""
        return {"setup": {"row": self._rows[self.index], "pending": self.pending, "ask": question}}
