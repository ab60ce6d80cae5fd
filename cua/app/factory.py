"""Makes the parts that the settings describe."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..agent.budget import Budget
from ..agent.checks.options import CheckOptions
from ..dialects import prompting
from ..dialects import registry as dialect_registry
from ..evaluation.checkup.model_under_test import ModelUnderTest, RequestSettings
from ..events.log import EventLog
from ..hid.input_profile import InputProfile
from ..hid.pointing import Mouse
from ..kvms import exclusive_lock, local_web_server, probe
from ..kvms import registry as kvm_registry
from ..kvms.address import parse_address, split_password
from ..kvms.kvm import Kvm, KvmCallbacks, KvmConfig
from ..messages import Message
from ..models import registry as model_registry
from ..screen.ocr.client import OcrClient
from ..settings import RECOMMENDED_SCREEN, BadSettings, Settings, SettingsFile
from ..types import CuaError, Dialect, Model, ModelError, SentSize

if TYPE_CHECKING:
    from ..evaluation.run import Candidate


def describe_model(values: Settings) -> str:
    if not values.asks_server:
        return Message("model.local.words")
    host = urlsplit(values.base_url).netloc if values.base_url else values.api_type
    return f"{values.model_name} · {host}"


def choose_dialect(values: Settings) -> str:
    if not values.asks_server:
        return "kvm"  # the operator's format
    if values.dialect != "auto":
        return values.dialect
    return dialect_registry.for_model(values.model_name)


def default_prompt(values: Settings) -> str:
    return prompting.default_prompt(
        choose_dialect(values), values.prompt_language, values.target_os
    )


def make_prompt(values: Settings) -> str:
    whole = values.initial_prompt or default_prompt(values)
    return prompting.with_addition(whole, values.prompt_addition, values.prompt_language)


def reads_targets(values: Settings) -> bool:
    """Whether approval reads the text on targets. The Local operator names them itself."""
    return values.gate_reads and values.gate != "never" and values.asks_server


def is_prompt_outdated(values: Settings) -> bool:
    """Whether the default prompt has changed since the user replaced it."""
    base, current = values.initial_prompt_base, prompting.version(default_prompt(values))
    return bool(values.initial_prompt and base) and base != current


def make_sent_size(dialect: Dialect, widest: int) -> SentSize:
    """Return a function from the screen's size to that of a screenshot for the model, in pixels."""

    def sent_size(width: int, height: int) -> tuple[int, int]:
        if 0 < widest < width:
            width, height = widest, round(height * widest / width)
        return dialect.sent_size(width, height)

    return sent_size


def model_key(values: Settings) -> tuple[str, ...]:
    """Return the settings on which `create_model` depends."""
    key = values.api_key.get_secret_value()
    server = (values.api_type, values.base_url, key, values.model_name)
    return *server, choose_dialect(values), values.kvm_config


def is_model_chosen(values: Settings) -> bool:
    return bool({"api_type", "base_url", "api_key"} & values.model_fields_set)


def create_model(
    values: Settings, dialect: Dialect, log: EventLog, ocr: OcrClient | None = None
) -> Model:
    if not is_model_chosen(values):
        raise ModelError(Message("model.not_chosen"), setting="api_type")
    return model_registry.create(
        values.api_type,
        base_url=values.base_url,
        api_key=values.api_key.get_secret_value(),
        model_name=values.model_name,
        log=log,
        dialect=dialect.name,
        ocr=ocr,
        sampling=dialect.sampling,
        kvm_ports=local_web_server.read(Path(values.kvm_config)).ports,
    )


def make_subject(values: Settings, screen: tuple[int, int], log: EventLog) -> ModelUnderTest:
    """Return the model of the settings for a check-up."""
    settings = RequestSettings(
        choose_dialect(values), values.screenshot_width, values.initial_prompt
    )
    return ModelUnderTest(
        describe_model(values),
        values.model_name,
        settings,
        screen,
        lambda dialect: create_model(values, dialect, log),
        make_sent_size,
        (model_key(values), settings),
    )


def make_kvm_config(values: Settings) -> KvmConfig:
    found = parse_address(values.kvm, values.kvm_user)
    return replace(
        found,
        password=values.kvm_password.get_secret_value(),
        code=values.kvm_code,
        fingerprint=values.kvm_certificate,
        stream_url=values.stream_url,
        hid_prefix=values.hid_prefix,
        mac=values.wake_mac,
    )


async def find_kvm(address: str) -> tuple[str, str]:
    """Return the KVM's full address and the password in the given one. Raises `BadSettings`."""
    with _as_fault_of("kvm"):
        bare, password = split_password(address)
        return await probe.find_address(bare), password


def make_input_profile(
    values: Settings, screen: tuple[int, int], *, relative: bool = False, computer_layout: str = ""
) -> InputProfile:
    """`computer_layout`: the layout that the KVM reports, for the setting "auto"."""
    layout = values.keyboard_layout
    return InputProfile(
        (computer_layout or "us") if layout == "auto" else layout,
        values.target_os,
        values.unicode_entry,
        values.pace == "careful",
        Mouse(*screen, values.pointer_gain) if relative or values.pointer == "relative" else None,
    )


def check_names(changed: Collection[str], values: Settings) -> None:
    """Raise `BadSettings` for unknown names in the `changed` settings."""
    known = ["auto", *(name for name, *_ in dialect_registry.names())]
    if "dialect" in changed and values.dialect not in known:
        raise BadSettings({"dialect": Message("settings.no_such_format")})
    with _as_fault_of("kvm"):
        parse_address(values.kvm if "kvm" in changed else "")
    with _as_fault_of("keyboard_layout"):
        make_input_profile(values, RECOMMENDED_SCREEN).checked()


def drop_unknown_names(file: SettingsFile) -> None:
    """Ignore unknown names in the file, so that the page can correct them. Raises `BadSettings` for
    those of the environment.
    """
    while True:
        try:
            return check_names(("dialect", "kvm"), file.values)
        except BadSettings as bad:
            file.ignore(bad)


@contextmanager
def _as_fault_of(field: str) -> Iterator[None]:
    """Add the field to an error, so that the page shows it there."""
    try:
        yield
    except CuaError as error:
        raise BadSettings({field: error.message}) from None


def make_budget(values: Settings) -> Budget:
    return Budget(
        values.max_rounds,
        values.max_minutes,
        values.max_tokens,
        values.max_cost,
        values.price_in,
        values.price_out,
    )


def make_check_options(values: Settings) -> CheckOptions:
    """No checks for the Local operator, which has its own; `wake` sends input without approval."""
    return CheckOptions(
        wake=values.gate != "always",
        completion=values.check_done and values.asks_server,
        ask_again=values.ask_again,
        verifier=values.second_opinion and values.asks_server,
    )


def find_record_folder(file: SettingsFile) -> Path:
    if file.values.record_dir:
        return Path(file.values.record_dir)
    if file.path:
        return file.path.parent / "cua_record"
    return Path(tempfile.mkdtemp(prefix="cua-record-"))


def find_procedure_folder(settings: Path | None, records: Path) -> Path:
    """Return the folder of procedures: beside the settings, if they have a file."""
    return (settings.parent if settings else records) / "procedures"


def create_kvm(values: Settings, log: Callable[[str, str], None], *, acts: bool = False) -> Kvm:
    """Return the KVM for a command. `log` gets level and text. Raises `CuaError`.

    `acts`: whether the command changes the computer; then another agent of this machine must not
    use the KVM. It never may if our connection would end that agent's.
    """
    config = make_kvm_config(values)
    if acts or kvm_registry.KINDS[config.kind].is_single:
        exclusive_lock.ExclusiveLock().acquire(exclusive_lock.lock_name(config))  # until the end
    return kvm_registry.create(config, KvmCallbacks(log))


def create_candidate(values: Settings) -> Candidate:
    """Return the model of the settings for `eval`. Raises `CuaError`."""
    from ..evaluation.run import Candidate

    _connect(values)  # raises now what would end every run
    return Candidate(
        describe_model(values),
        choose_dialect(values),
        partial(_connect, values),
        partial(make_sent_size, widest=values.screenshot_width),
        prompt=make_prompt(values),
        keep=values.img_keep_n,
    )


def _connect(values: Settings, *_: object) -> Model:
    return create_model(values, dialect_registry.create(choose_dialect(values)), EventLog())
