"""What the person can choose: `fields`, the `choices` among them, the `file` that keeps them."""

from .choices import CHOICES
from .fields import EDITABLE, RECOMMENDED_SCREEN, SECRETS, BadSettings, Settings
from .file import DEFAULT_PATH, SettingsFile, parse

__all__ = [
    "CHOICES",
    "DEFAULT_PATH",
    "EDITABLE",
    "RECOMMENDED_SCREEN",
    "SECRETS",
    "BadSettings",
    "Settings",
    "SettingsFile",
    "parse",
]
