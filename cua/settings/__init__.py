"""The settings, their choices, and the file that keeps them."""

from .choices import CHOICES
from .fields import (
    EDITABLE,
    RECOMMENDED_SCREEN,
    SECRETS,
    BadSettings,
    Settings,
    describe_field,
    takes_effect,
)
from .file import SettingsFile, parse
from .page_form import FORM
from .path import find_path
from .read_only import ReadOnlySettingsFile, read_settings
