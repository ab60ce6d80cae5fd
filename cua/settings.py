"""What the person can choose, and the file in which it is kept.

The file is that of the KVM vendor's own assistant (same path, same keys, ours beside them), also
in the form in which it ships: a Python dict, which is no JSON. The API key is written to it and
sent to the model server, the KVM's password to the KVM; nothing else ever gets them. Environment
variables `CUA_<FIELD>` win over the file and are never written back.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from . import reach
from .patterns import patterns
from .types import CuaError

DEFAULT_PATH = Path("/etc/kvm/cua_cfg.json")
ENV_PREFIX = "CUA_"
MAX_FILE = 256 * 1024
_PLACEHOLDERS = ("YOUR_API_KEY", "your-api-key", "sk-xxxxxxxx")


class BadSettings(CuaError):
    """Values that cannot be taken; `errors` gives the reason per field."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {reason}" for field, reason in errors.items()))
        self.errors = errors


class Settings(BaseModel):
    """One line of help per field is its description; the page shows it."""

    model_config = ConfigDict(extra="ignore", validate_default=True, str_strip_whitespace=True)

    api_type: Literal["openai", "responses", "dashscope", "genai", "anthropic", "local"] = Field(
        "dashscope", description="How the model is spoken to."
    )
    api_key: SecretStr = Field(
        SecretStr(""),
        description="Goes to the base URL and nowhere else, and is never shown again.",
    )
    base_url: str = Field(
        "",
        max_length=512,
        description="Address of the model server, such as http://192.168.1.5:8000/v1. "
        "Empty: the provider's own.",
    )
    model_name: str = Field(
        "qwen3-vl-plus", max_length=128, description="The model's name as its server knows it."
    )
    dialect: str = Field(
        "auto", description="The action language of the model's family; auto: by its name."
    )
    img_keep_n: int = Field(
        3, ge=1, le=50, description="How many screenshots a request carries at most."
    )
    max_rounds: int = Field(
        20, ge=1, le=1000, description="How many replies a task may take before it stops."
    )
    max_minutes: float = Field(
        0.0, ge=0, le=10_000, description="Minutes after which a task stops; 0: no limit."
    )
    max_tokens: int = Field(
        0, ge=0, description="Tokens, read and written, after which a task stops; 0: no limit."
    )
    max_cost: float = Field(
        0.0, ge=0, description="Money after which a task stops, by the prices below; 0: no limit."
    )
    price_in: float = Field(0.0, ge=0, description="Price of a million tokens that are read.")
    price_out: float = Field(0.0, ge=0, description="Price of a million tokens that are written.")
    check_done: bool = Field(
        True, description="Whether a Done that the final screen plainly contradicts is handed back."
    )
    ask_again: bool = Field(
        False,
        description="Whether the first Done is handed back for a check; costs a reply a task.",
    )
    second_opinion: bool = Field(
        False, description="Whether it is asked once more, without the history, if it is done."
    )
    initial_prompt: str = Field(
        "", max_length=16384, description="What the model is told first. Empty: our own."
    )
    initial_prompt_base: str = Field(
        "", max_length=16, description="The version of our own prompt that it was made from."
    )
    prompt_addition: str = Field(
        "",
        max_length=8192,
        description="What the model should know beside our prompt, such as house rules. It stays "
        "when an update brings new prompts.",
    )
    prompt_language: Literal["en", "zh"] = Field(
        "en", description="The language of our prompt, in which models then tend to think."
    )
    screenshot_width: int = Field(
        0,
        ge=0,
        le=4096,
        description="Screenshots wider than this many pixels are made smaller; 0: sent untouched.",
    )
    kvm: str = Field(
        "",
        max_length=512,
        description="Empty: the KVM that this program runs on. Another one by its address, such as "
        "nanokvm-pro://192.168.1.5, nanokvm://, pikvm:// (also GLKVM) or vnc://.",
    )
    kvm_user: str = Field(
        "", max_length=128, description="Who logs in to that KVM; empty: admin, as they come."
    )
    kvm_password: SecretStr = Field(
        SecretStr(""), description="Goes to that KVM and nowhere else, and is never shown again."
    )
    kvm_code: str = Field(
        "",
        max_length=16,
        description="The six digits of your authenticator, where that KVM asks for them. "
        "Good for one login; not saved.",
    )
    kvm_certificate: str = Field(
        "",
        max_length=128,
        description="Fingerprint of that KVM's certificate, noted when it was first met. Another "
        "one is refused; empty this if you renewed it yourself.",
    )
    stream_url: str = Field(
        "https://localhost/api/stream/mjpeg",
        max_length=512,
        description="Where the KVM's MJPEG video stream is.",
    )
    target_os: Literal["unknown", "windows", "macos", "linux", "android", "bios"] = Field(
        "unknown", description="What runs on the computer behind the KVM."
    )
    keyboard_layout: str = Field(
        "us", description="The keyboard layout that the computer is set to; keys depend on it."
    )
    unicode_entry: bool = Field(
        False, description="What becomes of text that this layout has no keys for."
    )
    pace: Literal["fast", "careful"] = Field("fast", description="How keys and buttons are sent.")
    pointer: Literal["absolute", "relative"] = Field(
        "absolute", description="Which of the KVM's mice is used."
    )
    pointer_gain: float = Field(
        1.0,
        ge=0.05,
        le=20,
        description="Pixels that a count of the relative mouse moves the pointer by; "
        "`python cua_webapp.py calibrate` measures it.",
    )
    hid_prefix: str = Field(
        "/dev/hidg", description="The KVM's HID devices without their numbers 0, 1 and 2."
    )
    gate: Literal["risk", "always", "never"] = Field(
        "risk", description="When the agent has to ask you before it acts."
    )
    gate_ask: str = Field(
        "",
        max_length=4096,
        description="Words that it has to ask about, one a line; /so/ is a pattern.",
    )
    gate_pass: str = Field(
        "",
        max_length=4096,
        description="Whole commands or labels that it need not ask about, one a line; "
        "/so/ is a pattern.",
    )
    kvm_config: str = Field(
        "/etc/kvm/server.yaml", description="Where the KVM keeps how its own web server is set."
    )
    record_dir: str = Field(
        "",
        max_length=512,
        description="Where every task is recorded, from the next start on. "
        "Empty: beside the settings file.",
    )
    record_mb: int = Field(
        200, ge=1, le=100_000, description="How many megabytes of records are kept, newest first."
    )
    take_over: bool = Field(
        False, description="Whether the page may take the mouse and the keyboard itself."
    )
    grace_seconds: float = Field(
        15.0, ge=0, le=600, description="How long a page may be away before the service ends."
    )
    notice_acknowledged: bool = Field(False, description="Whether the safety notice was read.")

    @field_validator("api_type", mode="before")
    @classmethod
    def _plain_name(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("base_url", "stream_url")
    @classmethod
    def _http(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return value

    @field_validator("base_url")
    @classmethod
    def _may_be_asked(cls, value: str) -> str:
        objection = reach.objection(value) if value else ""
        if objection:
            raise ValueError(objection)
        return value

    @field_validator("gate_ask", "gate_pass")
    @classmethod
    def _patterns(cls, value: str) -> str:
        patterns(value)
        return value

    @field_validator("api_key")
    @classmethod
    def _no_placeholder(cls, value: SecretStr) -> SecretStr:
        key = value.get_secret_value().strip()
        return SecretStr("" if key in _PLACEHOLDERS else key)


CHOICES: dict[str, list[tuple[str, str, str]]] = {
    "prompt_language": [("en", "English", ""), ("zh", "中文", "")],
    "gate": [
        ("risk", "When it is risky", "Before it deletes, spends, sends, logs in or switches off."),
        ("always", "Always", "Before every click and every key."),
        (
            "never",
            "Never: unattended",
            "Nothing is held back. Only for a computer that may come to harm while nobody looks.",
        ),
    ],
    "target_os": [
        ("unknown", "Not said", ""),
        ("windows", "Windows", ""),
        ("macos", "macOS", ""),
        ("linux", "Linux", ""),
        ("android", "Android", ""),
        ("bios", "BIOS or UEFI setup", "It reads every keyboard as a US one."),
    ],
    "unicode_entry": [
        ("false", "Refuse it", "Nothing of such a text is typed, and the model is told why."),
        (
            "true",
            "Enter it by its code",
            "Windows: Alt and digits, characters of its code page only. Linux: Ctrl+Shift+U, in "
            "most programs, not in terminals. macOS: needs the input source Unicode Hex Input.",
        ),
    ],
    "pace": [
        ("fast", "As fast as the computer takes them", ""),
        (
            "careful",
            "Careful",
            "For a BIOS and for whatever loses keys: at most 20 letters a second.",
        ),
    ],
    "pointer": [
        ("absolute", "Absolute", "Exact, and quick."),
        (
            "relative",
            "Relative",
            "For a BIOS that ignores the other one. By way of the lower left corner, so slower, "
            "and only as exact as the gain; switch pointer acceleration off where it can be.",
        ),
    ],
}
"""Value, label and a line of help for settings that offer a fixed choice."""

SECRETS = ("api_key", "kvm_password")
"""May be changed but are never shown."""
EDITABLE = tuple(
    name
    for name in Settings.model_fields
    if name
    not in (
        *SECRETS,
        "notice_acknowledged",
        "hid_prefix",
        "grace_seconds",
        "kvm_config",
        "initial_prompt_base",
    )
)
"""What the page shows and may change."""
_FOR_NOW = ("kvm_code",)
"""What is never written to the file."""


KEY_FOR = "api_key_for"
"""In the file: the server that the key was entered for."""


class SettingsFile:
    """The settings in force and where they are kept; `path` None: only in memory.

    `defaults` are values for this run, which the file and the environment may override; they are
    not saved.
    """

    def __init__(
        self,
        path: Path | None = DEFAULT_PATH,
        environ: Mapping[str, str] = os.environ,
        **defaults: Any,
    ) -> None:
        self.path = path
        self.warning = ""
        """What the person should know about the file that was read."""
        self.defaults = defaults
        self._stored = self._usable(self._read(path) if path else {})
        self._environ = {
            name: environ[ENV_PREFIX + name.upper()]
            for name in Settings.model_fields
            if environ.get(ENV_PREFIX + name.upper())
        }
        self.values = self._in_force(self._stored)

    @property
    def locked(self) -> list[str]:
        """Fields that the environment sets."""
        return sorted(self._environ)

    def secrets(self) -> list[str]:
        """Values that nobody may be shown."""
        return [getattr(self.values, name).get_secret_value() for name in SECRETS]

    def update(self, changes: Mapping[str, Any]) -> None:
        """Check and save. Raises `BadSettings` and leaves everything as it was."""
        unknown = [name for name in changes if name not in Settings.model_fields]
        if unknown:
            raise BadSettings(dict.fromkeys(unknown, "there is no such setting"))
        locked = [name for name in changes if name in self._environ]
        if locked:
            raise BadSettings(dict.fromkeys(locked, "is set by the environment of the service"))
        stored = self._stored | dict(changes)
        values = self._in_force(stored)
        forgotten = _forgotten(self.values, values) - changes.keys()
        if forgotten:
            stored |= dict.fromkeys(forgotten, "")
            values = self._in_force(stored)
        if "api_key" in changes:
            stored[KEY_FOR] = _words_of(values)
        if self.path:
            _write(self.path, stored)
        self._stored, self.values = stored, values

    def _in_force(self, stored: Mapping[str, Any]) -> Settings:
        """The key of the file goes with the file's server, whatever was edited around it."""
        values = _validated({**self.defaults, **stored, **self._environ})
        if "api_key" in self._environ or not stored.get("api_key"):
            return values
        own = stored.get(KEY_FOR) or _words_of(_validated({**self.defaults, **stored}))
        if own == _words_of(values):
            return values
        self.warning = self.warning or (
            f"The API key belongs to {own} and is not used for "
            f"{_words_of(values)}. Enter that one's."
        )
        return values.model_copy(update={"api_key": SecretStr("")})

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            if path.stat().st_size > MAX_FILE:
                raise ValueError("the file is too large")
            text = path.read_text("utf-8-sig")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise CuaError(f"The settings at {path} cannot be read: {error}.") from error
        stored = parse(text)
        if stored is None:
            return self._set_aside(path)
        if stored.get("api_key") and path.stat().st_mode & 0o077:
            self._tighten(path)
        if stored.get("initial_prompt") and "dialect" not in stored:
            stored["dialect"] = "kvm"  # a prompt written for the vendor's line commands
        return stored

    def _usable(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Without the values that cannot be taken: a service that does not start cannot say why."""
        try:
            _validated(stored)
        except BadSettings as bad:
            names = ", ".join(f"{name} ({reason})" for name, reason in bad.errors.items())
            self.warning = f"These settings in {self.path} are not valid and are ignored: {names}."
            return {name: value for name, value in stored.items() if name not in bad.errors}
        return stored

    def _tighten(self, path: Path) -> None:
        """As the vendor's assistant wrote it."""
        self.warning = (
            f"Others on this machine could read the API key in {path}; now they cannot. "
            "Consider replacing the key."
        )
        with contextlib.suppress(OSError):
            path.chmod(0o600)

    def _set_aside(self, path: Path) -> dict[str, Any]:
        aside = next(
            place
            for number in itertools.count()
            if not (place := path.with_name(f"{path.name}.bad{number or ''}")).exists()
        )
        path.replace(aside)
        self.warning = f"The settings file could not be understood; it is kept as {aside}."
        return {}


def parse(text: str) -> dict[str, Any] | None:
    """The settings in a file's text, JSON or a Python dict of literals; None if it is neither."""
    try:
        found = json.loads(text)
    except ValueError:
        try:
            found = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return found if isinstance(found, dict) else None


def _validated(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(dict(values))
    except ValidationError as error:
        raise BadSettings(
            {".".join(map(str, e["loc"])): _reason(e["msg"]) for e in error.errors()}
        ) from None


def _reason(message: str) -> str:
    words = message.removeprefix("Value error, ")
    return words[:1].lower() + words[1:]


def _forgotten(before: Settings, after: Settings) -> set[str]:
    """A secret is for the server that it was entered for; another one must not be handed it."""
    forgotten = set()
    if _model_server(before) != _model_server(after):
        forgotten |= {"api_key"}
    if urlsplit(before.kvm).netloc != urlsplit(after.kvm).netloc:
        forgotten |= {"kvm_password", "kvm_code", "kvm_certificate"}
    return forgotten


def _words_of(values: Settings) -> str:
    """The model's server, as a person knows it."""
    kind, (scheme, host) = _model_server(values)
    return f"{scheme}://{host}" if host else kind


def _model_server(values: Settings) -> tuple[str, tuple[str, str]]:
    return values.api_type, urlsplit(values.base_url)[:2]


def _write(path: Path, stored: Mapping[str, Any]) -> None:
    """Old file or new file, never half of one, and never readable by others."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(_plain(stored), file, indent=2, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
            _sync(path.parent)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CuaError(
            f"The settings could not be saved to {path}: {error.strerror}. Nothing was changed."
        ) from error


def _sync(folder: Path) -> None:
    """The new name, too, has to survive a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _plain(stored: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value
        for name, value in stored.items()
        if name not in _FOR_NOW
    }
