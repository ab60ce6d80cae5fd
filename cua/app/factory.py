"""What the settings mean: the parts that they describe, made anew whenever somebody needs them."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..agent import forgetting
from ..agent.budget import Budget
from ..agent.checks.options import CheckOptions
from ..dialects import prompting, registry
from ..evaluation.checkup.model_under_test import ModelUnderTest, RequestSettings
from ..events.log import EventLog
from ..hid.input_profile import InputProfile
from ..hid.pointing import Mouse
from ..kvms import host_server
from ..kvms import registry as kvms
from ..messages import Message
from ..models import registry as models
from ..models.request_log import RequestLog
from ..safety.approval import Policy
from ..settings import RECOMMENDED_SCREEN, BadSettings, Settings, SettingsFile
from ..settings.word_list import patterns
from ..types import CuaError, Dialect, Model

if TYPE_CHECKING:
    from ..evaluation.run import Candidate


def model_words(values: Settings) -> str:
    if values.api_type == "local":
        return Message("model.local.words")
    host = urlsplit(values.base_url).netloc if values.base_url else values.api_type
    return f"{values.model_name} · {host}"


def dialect_name(values: Settings) -> str:
    if values.api_type == "local":
        return "kvm"  # what the operator writes
    return registry.for_model(values.model_name) if values.dialect == "auto" else values.dialect


def our_prompt(values: Settings) -> str:
    return registry.default_prompt(dialect_name(values), values.prompt_language, values.target_os)


def prompt(values: Settings) -> str:
    whole = values.initial_prompt or our_prompt(values)
    return prompting.with_addition(whole, values.prompt_addition, values.prompt_language)


def reads(values: Settings) -> bool:
    """Whether the gate reads what is clicked. The local operator's own words say what it read."""
    return values.gate_reads and values.gate != "never" and values.api_type != "local"


def outdated(values: Settings) -> bool:
    """Whether ours has changed since the person wrote a whole prompt in its place."""
    base = values.initial_prompt_base
    return bool(values.initial_prompt and base) and base != prompting.version(our_prompt(values))


def fit(dialect: Dialect, widest: int) -> Callable[[int, int], tuple[int, int]]:
    """The size in which a screenshot is sent: as it is, unless somebody wants it smaller."""

    def size(width: int, height: int) -> tuple[int, int]:
        if 0 < widest < width:
            width, height = widest, round(height * widest / width)
        return dialect.image_size(width, height)

    return size


def model_choice(values: Settings) -> tuple[str, ...]:
    """All that `model` looks at: where it differs, another one is needed."""
    key = values.api_key.get_secret_value()
    server = (values.api_type, values.base_url, key, values.model_name)
    return *server, dialect_name(values), values.kvm_config


def model(values: Settings, dialect: Dialect, log: EventLog) -> Model:
    return models.create(
        values.api_type,
        base_url=values.base_url,
        api_key=values.api_key.get_secret_value(),
        model_name=values.model_name,
        dialect=dialect.name,
        sampling=dialect.sampling,
        notify=lambda words: log.append("log", level="warning", text=words),
        show=lambda words: log.mention("draft", text=words),
        pause=lambda seconds: log.append("retry", seconds=seconds),
        silent=lambda seconds, left: log.mention("silence", seconds=seconds, left=left),
        log_request=RequestLog(log.append, log.mask_values, lambda: log.chapter),
        kvm_ports=host_server.read(Path(values.kvm_config)).ports,
    )


def subject(values: Settings, screen: tuple[int, int], log: EventLog) -> ModelUnderTest:
    """The model as it is set, for a check-up."""
    return ModelUnderTest(
        model_words(values),
        values.model_name,
        RequestSettings(dialect_name(values), values.screenshot_width, values.initial_prompt),
        screen,
        lambda dialect: model(values, dialect, log),
        fit,
    )


def kvm_config(values: Settings) -> kvms.KvmConfig:
    found = kvms.parse_address(values.kvm, values.kvm_user)
    return replace(
        found,
        password=values.kvm_password.get_secret_value(),
        code=values.kvm_code,
        certificate=values.kvm_certificate,
        stream_url=values.stream_url,
        hid_prefix=values.hid_prefix,
    )


def input_profile(
    values: Settings, screen: tuple[int, int], *, relative: bool = False, keymap: str = ""
) -> InputProfile:
    """The computer as the person has described it.

    `keymap`: the layout where they left that to the KVM.
    """
    layout = values.keyboard_layout
    return InputProfile(
        (keymap or "us") if layout == "auto" else layout,
        values.target_os,
        values.unicode_entry,
        values.pace == "careful",
        Mouse(*screen, values.pointer_gain) if relative or values.pointer == "relative" else None,
    )


def check(changed: Collection[str], values: Settings) -> None:
    """Raises `BadSettings` where `values`, in part `changed`, name what does not exist."""
    known = ["auto", *(name for name, *_ in registry.names())]
    if "dialect" in changed and values.dialect not in known:
        raise BadSettings({"dialect": Message("settings.no_such_format")})
    with _named("kvm"):
        kvms.parse_address(values.kvm if "kvm" in changed else "")
    with _named("keyboard_layout"):
        input_profile(values, RECOMMENDED_SCREEN).checked()


def usable(file: SettingsFile) -> None:
    """Ignores what a file names that does not exist: the page, where it can be mended, needs
    settings that can be described. Raises `BadSettings` for such a value of the environment.
    """
    while True:
        try:
            return check(("dialect", "kvm"), file.values)
        except BadSettings as bad:
            file.ignore(bad)


@contextmanager
def _named(field: str) -> Iterator[None]:
    """An error in it is shown beside its field."""
    try:
        yield
    except CuaError as error:
        raise BadSettings({field: error.message}) from None


def budget(values: Settings) -> Budget:
    return Budget(
        values.max_rounds,
        values.max_minutes,
        values.max_tokens,
        values.max_cost,
        values.price_in,
        values.price_out,
    )


def check_options(values: Settings) -> CheckOptions:
    """The local operator looks for itself before it says that it is done.

    With approval required for every action, no check acts by itself.
    """
    reads = values.api_type != "local"
    return CheckOptions(
        wake=values.gate != "always",
        check_done=values.check_done and reads,
        ask_again=values.ask_again,
        second_opinion=values.second_opinion and reads,
    )


def max_steps(values: Settings) -> int:
    """How many steps of a task a request tells.

    The local operator finds its place in the person's instructions by all of its replies.
    """
    return sys.maxsize if values.api_type == "local" else forgetting.MAX_STEPS


def shelf(file: SettingsFile) -> Path:
    """Where tasks are recorded."""
    if file.values.record_dir:
        return Path(file.values.record_dir)
    if file.path:
        return file.path.parent / "cua_record"
    return Path(tempfile.mkdtemp(prefix="cua-record-"))


def policy(values: Settings) -> Policy:
    return Policy(values.gate, patterns(values.gate_ask), patterns(values.gate_pass))


def examined(values: Settings, log: Callable[[str, str], None]) -> tuple[kvms.Kvm, ModelUnderTest]:
    """The KVM, which tells `log` what it notices, and the model as they are set, for `doctor`.
    Raises `CuaError`.
    """
    callbacks = kvms.KvmCallbacks(log, lambda _: None, lambda _: None, lambda _: None)
    return kvms.create(kvm_config(values), callbacks), subject(
        values, RECOMMENDED_SCREEN, EventLog()
    )


def candidate(values: Settings) -> Candidate:
    """The model as it is set, for the bench; one for all of its runs. May raise `CuaError`."""
    from ..evaluation.run import Candidate

    dialect = dialect_name(values)
    one = model(values, registry.create(dialect), EventLog())
    return Candidate(
        model_words(values),
        dialect,
        lambda *_: one,
        lambda dialect: fit(dialect, values.screenshot_width),
        prompt=prompt(values),
        keep=values.img_keep_n,
        close=one.aclose,
    )
