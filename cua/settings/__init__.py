"""What the person can choose: `fields`, the `choices` among them, the `file` that keeps them and
its `place`.
"""

from .choices import CHOICES
from .fields import EDITABLE, RECOMMENDED_SCREEN, SECRETS, BadSettings, Settings
from .file import SettingsFile, parse
from .place import place

__all__ = [
    "CHOICES",
    "EDITABLE",
    "RECOMMENDED_SCREEN",
    "SECRETS",
    "BadSettings",
    "Settings",
    "SettingsFile",
    "parse",
    "place",
]
