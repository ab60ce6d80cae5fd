"""The settings: one field each, with its limits and the help text that the page shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from ..messages import Message
from ..types import CuaError
from . import ssrf
from .word_list import patterns

_DASHSCOPE_HOST = re.compile(r"https?://[^/]*\.aliyuncs\.com(?=[:/]|$)", re.IGNORECASE)
_PLACEHOLDERS = ("YOUR_API_KEY", "your-api-key", "sk-xxxxxxxx")
RECOMMENDED_SCREEN = (1280, 720)
"""Pixels; used while the size of the computer's screen is unknown."""

Limits = Mapping[str, Any]
"""Of a value that is not valid: `ctx` of pydantic's error."""

Moment = Literal["now", "task", "restart"]
"""When a changed setting takes effect: at once, with the next task, or after a restart."""
NOW: dict[str, Any] = {"takes_effect": "now"}
RESTART: dict[str, Any] = {"takes_effect": "restart"}


class BadSettings(CuaError):
    """Values that are not valid; `errors` gives the reason per field."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {reason}" for field, reason in errors.items()))
        self.errors = errors


class Settings(BaseModel):
    """The description of a field is its help text."""

    model_config = ConfigDict(
        extra="ignore",
        validate_default=True,
        str_strip_whitespace=True,
        allow_inf_nan=False,
    )

    api_type: Literal["openai", "responses", "dashscope", "genai", "anthropic", "local"] = Field(
        "dashscope",
        description=Message("settings.api_type.help"),
    )
    api_key: SecretStr = Field(
        SecretStr(""),
        description=Message("settings.api_key.help"),
    )
    base_url: str = Field(
        "",
        max_length=512,
        description=Message("settings.base_url.help"),
    )
    model_name: str = Field(
        "qwen3-vl-plus", max_length=128, description=Message("settings.model_name.help")
    )
    dialect: str = Field("auto", description=Message("settings.dialect.help"))
    img_keep_n: int = Field(3, ge=1, le=50, description=Message("settings.img_keep_n.help"))
    max_rounds: int = Field(20, ge=1, le=1000, description=Message("settings.max_rounds.help"))
    max_minutes: float = Field(
        0.0, ge=0, le=10_000, description=Message("settings.max_minutes.help")
    )
    max_tokens: int = Field(0, ge=0, description=Message("settings.max_tokens.help"))
    max_cost: float = Field(0.0, ge=0, description=Message("settings.max_cost.help"))
    price_in: float = Field(0.0, ge=0, description=Message("settings.price_in.help"))
    price_out: float = Field(0.0, ge=0, description=Message("settings.price_out.help"))
    check_done: bool = Field(True, description=Message("settings.check_done.help"))
    ask_again: bool = Field(
        False,
        description=Message("settings.ask_again.help"),
    )
    second_opinion: bool = Field(False, description=Message("settings.second_opinion.help"))
    initial_prompt: str = Field(
        "", max_length=16384, description=Message("settings.initial_prompt.help")
    )
    initial_prompt_base: str = Field(
        "", max_length=16, description=Message("settings.initial_prompt_base.help")
    )
    prompt_addition: str = Field(
        "",
        max_length=8192,
        description=Message("settings.prompt_addition.help"),
    )
    prompt_language: Literal["en", "zh"] = Field(
        "en", description=Message("settings.prompt_language.help")
    )
    screenshot_width: int = Field(
        0,
        ge=0,
        le=4096,
        description=Message("settings.screenshot_width.help"),
    )
    kvm: str = Field(
        "",
        max_length=512,
        description=Message("settings.kvm.help"),
        json_schema_extra=NOW,
    )
    kvm_user: str = Field(
        "", max_length=128, description=Message("settings.kvm_user.help"), json_schema_extra=NOW
    )
    kvm_password: SecretStr = Field(
        SecretStr(""), description=Message("settings.kvm_password.help"), json_schema_extra=NOW
    )
    kvm_code: str = Field(
        "",
        max_length=16,
        description=Message("settings.kvm_code.help"),
        json_schema_extra=NOW,
    )
    kvm_certificate: str = Field(
        "",
        max_length=128,
        description=Message("settings.kvm_certificate.help"),
        json_schema_extra=NOW,
    )
    stream_url: str = Field(
        "https://localhost/api/stream/mjpeg",
        max_length=512,
        description=Message("settings.stream_url.help"),
        json_schema_extra=NOW,
    )
    target_os: Literal["unknown", "windows", "macos", "linux", "android", "bios"] = Field(
        "unknown", description=Message("settings.target_os.help")
    )
    keyboard_layout: str = Field("auto", description=Message("settings.keyboard_layout.help"))
    unicode_entry: bool = Field(False, description=Message("settings.unicode_entry.help"))
    pace: Literal["fast", "careful"] = Field(
        "fast",
        description=Message("settings.pace.help"),
    )
    pointer: Literal["absolute", "relative"] = Field(
        "absolute", description=Message("settings.pointer.help")
    )
    pointer_gain: float = Field(
        1.0,
        ge=0.05,
        le=20,
        description=Message("settings.pointer_gain.help"),
    )
    hid_prefix: str = Field("/dev/hidg", description=Message("settings.hid_prefix.help"))
    gate: Literal["risk", "always", "never"] = Field(
        "risk", description=Message("settings.gate.help"), json_schema_extra=NOW
    )
    gate_reads: bool = Field(
        True,
        description=Message("settings.gate_reads.help"),
        json_schema_extra=NOW,
    )
    gate_ask: str = Field(
        "",
        max_length=4096,
        description=Message("settings.gate_ask.help"),
        json_schema_extra=NOW,
    )
    gate_pass: str = Field(
        "",
        max_length=4096,
        description=Message("settings.gate_pass.help"),
        json_schema_extra=NOW,
    )
    kvm_config: str = Field("/etc/kvm/server.yaml", description=Message("settings.kvm_config.help"))
    record_dir: str = Field(
        "",
        max_length=512,
        description=Message("settings.record_dir.help"),
        json_schema_extra=RESTART,
    )
    record_mb: int = Field(
        200, ge=1, le=100_000, description=Message("settings.record_mb.help"), json_schema_extra=NOW
    )
    take_over: bool = Field(
        False, description=Message("settings.take_over.help"), json_schema_extra=NOW
    )
    grace_seconds: float = Field(
        15.0, ge=0, le=600, description=Message("settings.grace_seconds.help")
    )
    notice_acknowledged: bool = Field(
        False, description=Message("settings.notice_acknowledged.help")
    )

    @model_validator(mode="before")
    @classmethod
    def _default_api_type(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Any server but DashScope's own is OpenAI-compatible unless an API type is chosen."""
        if "api_type" in values or not (url := str(values.get("base_url") or "").strip()):
            return values
        return values if _DASHSCOPE_HOST.match(url) else {**values, "api_type": "openai"}

    @field_validator("api_type", mode="before")
    @classmethod
    def _plain_name(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("base_url", "stream_url")
    @classmethod
    def _http(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError(Message("settings.not_http"))
        return value

    @field_validator("kvm", "stream_url")
    @classmethod
    def _address(cls, value: str) -> str:
        try:
            _ = urlsplit(value).port
        except ValueError:
            raise ValueError(Message("settings.bad_port")) from None
        return value

    @field_validator("base_url")
    @classmethod
    def _may_be_asked(cls, value: str) -> str:
        objection = ssrf.objection(value) if value else ""
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
"""Fields that the page may change but never shows."""
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
"""Fields that the page shows and may change."""


def takes_effect(name: str) -> Moment:
    extra = Settings.model_fields[name].json_schema_extra
    return cast(Moment, extra["takes_effect"]) if isinstance(extra, dict) else "task"


def validated(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(dict(values))
    except ValidationError as error:
        raise BadSettings(
            {".".join(map(str, each["loc"])): _reason(each) for each in error.errors()}
        ) from None


def _not_whole(_: Limits) -> str:
    return Message("settings.not_whole")


def _not_number(_: Limits) -> str:
    return Message("settings.not_number")


def _not_bool(_: Limits) -> str:
    return Message("settings.not_bool")


_REASONS: dict[str, Callable[[Limits], str]] = {
    # by pydantic's kinds of errors
    "greater_than_equal": lambda limits: Message("settings.too_small", least=f"{limits['ge']:g}"),
    "less_than_equal": lambda limits: Message("settings.too_large", most=f"{limits['le']:g}"),
    "int_parsing": _not_whole,
    "int_type": _not_whole,
    "int_from_float": _not_whole,
    "float_parsing": _not_number,
    "float_type": _not_number,
    "finite_number": _not_number,
    "bool_parsing": _not_bool,
    "bool_type": _not_bool,
    "string_type": lambda _: Message("settings.not_text"),
    "string_too_long": lambda limits: Message("settings.too_long", most=limits["max_length"]),
    "literal_error": lambda limits: Message("settings.not_a_choice", choices=limits["expected"]),
    "value_error": lambda limits: limits["error"].args[0],
}


def _reason(error: ErrorDetails) -> str:
    """The reason in our words, or in pydantic's for other kinds of errors."""
    known = _REASONS.get(error["type"])
    return known(error.get("ctx", {})) if known else error["msg"]
