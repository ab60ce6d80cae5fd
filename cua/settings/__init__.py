"""What the person can choose: `fields`, the `choices` among them, the `file` that keeps them and
its `place`; `only_read` for whoever changes nothing.
"""

from .choices import CHOICES
from .fields import EDITABLE, RECOMMENDED_SCREEN, SECRETS, BadSettings, Settings
from .file import SettingsFile, parse
from .only_read import OnlyRead, looked_up
from .place import place

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
]
