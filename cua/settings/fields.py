"""The settings: one field each, with its limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal
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
_MAC = re.compile(r"[0-9a-f]{2}([:-][0-9a-f]{2}){5}", re.IGNORECASE)
RECOMMENDED_SCREEN = (1280, 720)
"""Width and height in pixels; used while the size of the computer's screen is unknown."""


class BadSettings(CuaError):
    """Invalid values of settings; `errors` maps each field to the reason."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {reason}" for field, reason in errors.items()))
        self.errors = errors


class Settings(BaseModel):
    """The values of all settings, with their limits; `describe_field` returns a help text."""

    model_config = ConfigDict(
        extra="ignore", validate_default=True, str_strip_whitespace=True, allow_inf_nan=False
    )

    api_type: Literal["openai", "responses", "dashscope", "genai", "anthropic", "local"] = (
        "dashscope"
    )
    api_key: SecretStr = SecretStr("")
    base_url: str = Field("", max_length=512)
    model_name: str = Field("qwen3-vl-plus", max_length=128)
    dialect: str = "auto"
    img_keep_n: int = Field(3, ge=1, le=50)
    max_rounds: int = Field(20, ge=1, le=1000)
    max_minutes: float = Field(0.0, ge=0, le=10_000)
    max_tokens: int = Field(0, ge=0)
    max_cost: float = Field(0.0, ge=0)
    price_in: float = Field(0.0, ge=0)
    price_out: float = Field(0.0, ge=0)
    check_done: bool = True
    ask_again: bool = False
    second_opinion: bool = False
    initial_prompt: str = Field("", max_length=16384)
    initial_prompt_base: str = Field("", max_length=16)
    prompt_addition: str = Field("", max_length=8192)
    prompt_language: Literal["en", "zh"] = "en"
    screenshot_width: int = Field(0, ge=0, le=4096)
    kvm: str = Field("", max_length=512)
    kvm_user: str = Field("", max_length=128)
    kvm_password: SecretStr = SecretStr("")
    kvm_code: str = Field("", max_length=16)
    kvm_certificate: str = Field("", max_length=128)
    stream_url: str = Field("https://localhost/api/stream/mjpeg", max_length=512)
    wake_mac: str = Field("", max_length=17)
    target_os: Literal["unknown", "windows", "macos", "linux", "android", "bios"] = "unknown"
    keyboard_layout: str = "auto"
    unicode_entry: bool = False
    pace: Literal["fast", "careful"] = "fast"
    pointer: Literal["absolute", "relative"] = "absolute"
    pointer_gain: float = Field(1.0, ge=0.05, le=20)
    hid_prefix: str = "/dev/hidg"
    gate: Literal["risk", "always", "never"] = "risk"
    gate_reads: bool = True
    gate_ask: str = Field("", max_length=4096)
    gate_pass: str = Field("", max_length=4096)
    kvm_config: str = "/etc/kvm/server.yaml"
    record_dir: str = Field("", max_length=512)
    record_mb: int = Field(200, ge=1, le=100_000)
    take_over: bool = False
    notify_url: SecretStr = SecretStr("")
    notify_screenshot: bool = False
    grace_seconds: float = Field(15.0, ge=0, le=600)
    notice_acknowledged: bool = False

    @property
    def asks_server(self) -> bool:
        """Whether the settings need a model server; the Local operator works without one."""
        return self.api_type != "local"

    @model_validator(mode="before")
    @classmethod
    def _default_api_type(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Without an API type, choose `dashscope` for its own server, else `openai`."""
        if "api_type" in values or not (url := str(values.get("base_url") or "").strip()):
            return values
        return values if _DASHSCOPE_HOST.match(url) else {**values, "api_type": "openai"}

    @field_validator("api_type", mode="before")
    @classmethod
    def _normalize(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("base_url", "stream_url")
    @classmethod
    def _check_scheme(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError(Message("settings.not_http"))
        return value

    @field_validator("kvm", "stream_url")
    @classmethod
    def _check_port(cls, value: str) -> str:
        try:
            _ = urlsplit(value).port
        except ValueError:
            raise ValueError(Message("settings.bad_port")) from None
        return value

    @field_validator("wake_mac")
    @classmethod
    def _check_mac(cls, value: str) -> str:
        if value and not _MAC.fullmatch(value):
            raise ValueError(Message("settings.not_mac"))
        return value

    @field_validator("base_url")
    @classmethod
    def _check_server(cls, value: str) -> str:
        if value and (objection := ssrf.find_objection(value)):
            raise ValueError(objection)
        if value and not urlsplit(value).hostname:
            raise ValueError(Message("settings.not_address"))
        return value

    @field_validator("notify_url")
    @classmethod
    def _check_service(cls, value: SecretStr) -> SecretStr:
        address = value.get_secret_value().strip()
        if address and not re.match(r"[\w+-]+://\S", address):
            raise ValueError(Message("settings.not_notify_url"))
        return SecretStr(address)

    @field_validator("gate_ask", "gate_pass")
    @classmethod
    def _check_patterns(cls, value: str) -> str:
        patterns(value)
        return value

    @field_validator("api_key")
    @classmethod
    def _drop_placeholder(cls, value: SecretStr) -> SecretStr:
        key = value.get_secret_value().strip()
        return SecretStr("" if key in _PLACEHOLDERS else key)


SECRETS = ("api_key", "kvm_password", "notify_url")
"""Fields that the page may change but never shows."""
_AT_ONCE = (
    *("kvm", "kvm_user", "kvm_password", "kvm_code", "kvm_certificate", "stream_url", "wake_mac"),
    *("gate", "gate_ask", "gate_pass", "gate_reads", "take_over", "record_mb"),
    *("notify_url", "notify_screenshot"),
)


def describe_field(name: str) -> str:
    return Message(f"settings.{name}.help")


def takes_effect(name: str) -> Literal["now", "run", "restart"]:
    """Return when a changed setting takes effect: at once, with the next run, after a restart."""
    if name == "record_dir":
        return "restart"
    return "now" if name in _AT_ONCE else "run"


def validate(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(dict(values))
    except ValidationError as error:
        raise BadSettings(
            {".".join(map(str, each["loc"])): describe_fault(each) for each in error.errors()}
        ) from None


_REASONS: dict[str, str] = {
    # Keys are pydantic's kinds of errors.
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), Message("settings.not_whole")),
    **dict.fromkeys(
        ("float_parsing", "float_type", "finite_number"), Message("settings.not_number")
    ),
    **dict.fromkeys(("bool_parsing", "bool_type"), Message("settings.not_bool")),
    "string_type": Message("settings.not_text"),
}
_LIMITS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    # These also need `ctx` of the error.
    "greater_than_equal": lambda ctx: Message("settings.too_small", least=f"{ctx['ge']:g}"),
    "less_than_equal": lambda ctx: Message("settings.too_large", most=f"{ctx['le']:g}"),
    "string_too_long": lambda ctx: Message("settings.too_long", most=ctx["max_length"]),
    "literal_error": lambda ctx: Message(
        "settings.not_a_choice", choices=ctx["expected"].replace(" or ", ", ")
    ),
    "value_error": lambda ctx: ctx["error"].args[0],
}


def describe_fault(error: ErrorDetails) -> str:
    """Return our message for an error, or pydantic's for other kinds of errors."""
    if limit := _LIMITS.get(error["type"]):
        return limit(error["ctx"])
    return _REASONS.get(error["type"], error["msg"])
