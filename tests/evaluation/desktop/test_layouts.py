"""Other keyboard layouts on a real desktop, set and typed on through the keyboard alone."""

from __future__ import annotations

import pytest

from cua.evaluation.desktop.programs import describe_missing
from cua.hid.input_profile import InputProfile
from cua.types import Type

from .input_tasks import RANGE, random_text, type_into_browser, type_into_terminal
from .real_desktop import TERMINAL, State, desktop, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(describe_missing()), reason=describe_missing()),
]

GERMAN = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich: {[]}\\ @€ ~| ^° é â à"


def windows(state: State) -> list[tuple[str, bool]]:
    """Whose they are, and which one has the keys."""
    return [(each["program"], each["active"]) for each in state["windows"]]


@pytest.mark.parametrize("layout", ["fr", "pt"])
async def test_every_sign_reaches_a_terminal(layout: str) -> None:
    async with desktop(TERMINAL) as there:
        await there.inputs.perform(Type(text=f"setxkbmap {layout}; touch ready\n"))
        state = await wait_until(there, lambda state: "ready" in state["files"])
        assert "ready" in state["files"]
        there.inputs.profile = InputProfile(layout, "linux")
        typed = await type_into_terminal(there, random_text(300))
        assert typed.arrived == typed.wanted


async def test_umlauts_and_dead_keys_reach_a_browser() -> None:
    async with desktop(RANGE, TERMINAL) as there:
        await there.inputs.perform(Type(text="setxkbmap de && exit\n"))
        state = await wait_until(there, lambda state: windows(state) == [("Browser", True)])
        assert windows(state) == [("Browser", True)]
        there.inputs.profile = InputProfile("de", "linux")
        typed = await type_into_browser(there, GERMAN)
        assert typed.arrived == typed.wanted
