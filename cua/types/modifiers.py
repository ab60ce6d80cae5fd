"""The keys that can be pressed during a mouse action, and the models' names for them."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

MODIFIERS = ("CTRL", "SHIFT", "ALT", "WIN", "RCTRL", "RSHIFT", "RALT", "RWIN")
# Names without spaces, underscores and hyphens.
ALIASES = {
    "CONTROL": "CTRL", "LCTRL": "CTRL", "LEFTCTRL": "CTRL", "CTRLLEFT": "CTRL",
    "CONTROLL": "CTRL", "CONTROLLEFT": "CTRL", "RIGHTCTRL": "RCTRL", "CTRLRIGHT": "RCTRL",
    "CONTROLR": "RCTRL", "CONTROLRIGHT": "RCTRL",
    "LSHIFT": "SHIFT", "LEFTSHIFT": "SHIFT", "SHIFTLEFT": "SHIFT", "SHIFTL": "SHIFT",
    "RIGHTSHIFT": "RSHIFT", "SHIFTRIGHT": "RSHIFT", "SHIFTR": "RSHIFT",
    "LALT": "ALT", "LEFTALT": "ALT", "ALTLEFT": "ALT", "ALTL": "ALT", "OPTION": "ALT", "OPT": "ALT",
    "RIGHTALT": "RALT", "ALTRIGHT": "RALT", "ALTR": "RALT", "ALTGR": "RALT",
    "META": "WIN", "SUPER": "WIN", "GUI": "WIN", "CMD": "WIN", "COMMAND": "WIN", "WINDOWS": "WIN",
    "LWIN": "WIN", "WINLEFT": "WIN", "METALEFT": "WIN", "SUPERL": "WIN", "LEFTMETA": "WIN",
    "WINRIGHT": "RWIN", "METARIGHT": "RWIN", "SUPERR": "RWIN", "RIGHTMETA": "RWIN",
}  # fmt: skip


def find_modifier(name: str) -> str | None:
    """Return one of `MODIFIERS`; None for another key."""
    plain = re.sub(r"[\s_-]", "", name.upper())
    plain = ALIASES.get(plain, plain)
    return plain if plain in MODIFIERS else None


def _validate(name: str) -> str:
    modifier = find_modifier(name)
    if modifier is None:
        raise PydanticCustomError(
            "modifier",
            "with the mouse only CTRL, SHIFT, ALT and WIN can be held, and {name} is none of them; "
            "press it before or after, in an action of its own",
            {"name": name[:20]},
        )
    return modifier


Modifier = Annotated[str, AfterValidator(_validate)]
