"""The settings, their choices, and the file that keeps them."""

from .choices import CHOICES
from .file import SettingsFile, parse
from .model import EDITABLE, RECOMMENDED_SCREEN, SECRETS, BadSettings, Settings, takes_effect
from .path import place
from .read_only import OnlyRead, looked_up

__all__ = [
    "CHOICES",
    "EDITABLE",
    "RECOMMENDED_SCREEN",
    "SECRETS",
    "BadSettings",
    "OnlyRead",
    "Settings",
    "SettingsFile",
    "looked_up",
    "parse",
    "place",
    "takes_effect",
]
