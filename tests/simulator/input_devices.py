"""A keyboard and a pointer that send USB reports to the simulated computer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

State = dict[str, Any]
WIDTH, HEIGHT = 1280, 720
PLAIN = "abcdefghijklmnopqrstuvwxyz1234567890\n\x1b\b\t -=[]\\\0;'`,./"
SHIFTED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ!@#$%^&*()\0\0\0\0\0_+{}|\0:"~<>?'
NAMED = {"f4": 0x3D, "f10": 0x43, "delete": 0x4C, "down": 0x51, "up": 0x52}
NAMED |= {"enter": 0x28, "end": 0x4D, "meta": 0}
MODS = {"ctrl": 1, "shift": 2, "alt": 4, "meta": 8}


class InputDevices:
    """Encodes input as reports; subclasses deliver them and return the state of the computer."""

    def send(self, device: int, *reports: bytes) -> None:
        raise NotImplementedError

    def until(self, holds: Callable[[State], object]) -> State:
        """Return the first state for which this holds; fail after 20 s."""
        raise NotImplementedError

    def type(self, text: str) -> None:
        for char in text:
            table, mods = (PLAIN, 0) if char in PLAIN else (SHIFTED, 2)
            self.send(0, bytes([mods, 0, 4 + table.index(char), 0, 0, 0, 0, 0]), bytes(8))

    def key(self, chord: str) -> None:
        names = chord.split("+")
        usage = NAMED.get(names[-1], 4 + PLAIN.find(names[-1]))
        mods = sum(MODS.get(name, 0) for name in names)
        self.send(0, bytes([mods, 0, usage, 0, 0, 0, 0, 0]), bytes(8))

    def at(self, x: int, y: int, buttons: int = 0, wheel: int = 0) -> None:
        hid_x, hid_y = (x * 0x8000 + 0x4000) // WIDTH, (y * 0x8000 + 0x4000) // HEIGHT
        place = hid_x.to_bytes(2, "little") + hid_y.to_bytes(2, "little")
        self.send(2, bytes([buttons]) + place + bytes([wheel & 255]))

    def click(self, text: str, count: int = 1, button: int = 1) -> None:
        """Click the target with this text as soon as it can be seen in front."""
        state = self.until(lambda state: text in in_front(state))
        x, y, w, h = in_front(state)[text]
        for pressed in (0, *[button, 0] * count):
            self.at(x + w // 2, y + h // 2, pressed)

    def drag(self, path: list[tuple[int, int]]) -> None:
        self.at(*path[0])
        for place in path:
            self.at(*place, 1)
        self.at(*path[-1])

    def open(self, program: str) -> State:
        self.click(program, count=2)
        return active(self.until(lambda state: active(state).get("program") == program))


def active(state: State) -> State:
    return next((window for window in state.get("windows", []) if window["active"]), {})


def in_front(state: State) -> dict[str, list[int]]:
    """Where everything is that can be clicked: a menu hides the rest."""
    seen = state["menu"] or [
        *state["icons"],
        *state["taskbar"],
        *active(state).get("targets", []),
    ]
    return {text: rect for _, text, rect in seen}
