"""The settings, their choices and their file."""

from .fields import (
    RECOMMENDED_SCREEN,
    SECRETS,
    BadSettings,
    Settings,
    describe_field,
    takes_effect,
)
from .file import ReadOnlySettingsFile, SettingsFile, find_path, parse, read_settings
from .page_form import CHOICES, EDITABLE, FORM
