"""What the person can choose: a field each, with a line of help that the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_core import ErrorDetails

from .. import reach
from ..patterns import patterns
from ..types import CuaError

_PLACEHOLDERS = ("YOUR_API_KEY", "your-api-key", "sk-xxxxxxxx")
RECOMMENDED_SCREEN = (1280, 720)
"""Pixels; counts where nobody knows the computer's own."""


class BadSettings(CuaError):
    """Values that cannot be taken; `errors` gives the reason per field."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {reason}" for field, reason in errors.items()))
        self.errors = errors


class Settings(BaseModel):
    """One line of help per field is its description; the page shows it."""

    model_config = ConfigDict(
        extra="ignore",
        validate_default=True,
        str_strip_whitespace=True,
        allow_inf_nan=False,
    )

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
        "auto", description="The keyboard layout that the computer is set to; keys depend on it."
    )
    unicode_entry: bool = Field(
        False, description="What becomes of text that this layout has no keys for."
    )
    pace: Literal["fast", "careful"] = Field(
        "fast",
        description="How keys and buttons are sent; `python cua_webapp.py calibrate keys` finds "
        "out whether the computer loses any at the fast one.",
    )
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
    gate_reads: bool = Field(
        True,
        description="Read what is clicked, where the packages of the Local operator are installed; "
        "takes 500 MB.",
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

    @field_validator("kvm", "stream_url")
    @classmethod
    def _address(cls, value: str) -> str:
        try:
            _ = urlsplit(value).port
        except ValueError:
            raise ValueError("its port must be a number up to 65535") from None
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


def validated(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(dict(values))
    except ValidationError as error:
        raise BadSettings(
            {".".join(map(str, each["loc"])): _reason(each) for each in error.errors()}
        ) from None


_REASONS = {
    # By pydantic's names of what is wrong; others keep its words.
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "finite_number": "must be a number",
    "bool_parsing": "must be yes or no",
    "bool_type": "must be yes or no",
    "string_type": "must be a text",
    "string_too_long": "must have at most {max_length} characters",
    "literal_error": "must be one of {expected}",
}


def _reason(error: ErrorDetails) -> str:
    if known := _REASONS.get(error["type"]):
        return known.format(**error.get("ctx", {}))
    return error["msg"].removeprefix("Value error, ")
