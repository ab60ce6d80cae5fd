"""Errors of model servers: what happened, and what the person can do about it.

The same fault has different status codes (a model without vision answers 400 or 500, a wrong key
401, 403 or 400), so the text of an error body is matched first, then the status.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from cua.messages import Message, sentences
from cua.types import ModelError, ModelLimit, as_object

from .endpoint import ModelEndpoint
from .error_bodies import error_message, error_text, find_retry_after, parse_retry_after, redact


class TransientError(ModelError):
    """A temporary failure; `after`: the pause that the server requests, in seconds."""

    phase = "failing"
    """What the page calls the pause."""

    def __init__(self, message: str, after: float | None = None, *, setting: str = "") -> None:
        super().__init__(message, setting=setting)
        self.after = after


class BusyError(TransientError):
    """The server has no capacity for the request now."""

    phase = "waiting"


class EmptyReplyError(TransientError):
    """The reply has neither words nor calls."""

    phase = "empty"


class ConnectionFailedError(TransientError):
    """There was no whole answer: no connection, or it ended."""

    phase = "reconnecting"


class UnreachableError(ConnectionFailedError):
    """There is no connection to the server."""


class HungUpError(ConnectionFailedError):
    """The server closed the connection before it answered, such as a stale keep-alive one."""


class UnknownModelError(ModelError):
    """The server has no model of this name."""


# --- error answers --------------------------------------------------------------------------------


class _Answer(NamedTuple):
    """An error answer; `matched`: the part of its text that a pattern matched."""

    endpoint: ModelEndpoint
    status: int
    body: object
    matched: str = ""

    @property
    def quote(self) -> str:
        said = redact(error_message(self.body) or error_text(self.body), self.endpoint.key)
        if re.match(r"\s*<(!doctype|html)", said, re.IGNORECASE):
            return Message("model.quote.web_page")
        if not said:
            return Message("model.quote.nothing")
        return Message("model.quote.words", text=said.removesuffix("."))

    @property
    def about(self) -> dict[str, str | int]:
        """Return the values for the placeholders of messages."""
        names = {"url": self.endpoint.shown_url, "model": self.endpoint.model}
        return {**names, "status": self.status, "quote": self.quote}


Make = Callable[[_Answer], ModelError]


def _too_many_images(answer: _Answer) -> ModelError:
    numbers = [int(n) for n in re.findall(r"\d+", answer.matched)]
    if not numbers or not (limit := numbers[-1]):
        return ModelLimit(Message("model.too_many_images"), setting="img_keep_n")
    return ModelLimit(Message("model.image_limit", count=limit), limit, setting="img_keep_n")


def _fault(
    describe: Callable[[_Answer], Message], setting: str = "", kind: type[ModelError] = ModelError
) -> Make:
    """Return a function from answer to error; `setting`: the one that fixes it."""
    return lambda answer: kind(describe(answer), setting=setting)


def _wrong_key(answer: _Answer) -> ModelError:
    text = Message("model.wrong_key" if answer.endpoint.key else "model.no_key", **answer.about)
    return ModelError(text, setting="api_key")


def _no_such_path(answer: _Answer) -> ModelError:
    path = urlsplit(answer.endpoint.url).path.rstrip("/")
    text = Message("model.path.unknown", **answer.about)
    if not re.search(r"/v\d+\w*$", path):
        better = f"{answer.endpoint.shown_url.rstrip('/')}/v1"
        text = Message("model.path.better", **answer.about, better=better)
    elif re.search(r"/v\d+/v\d+$", path):
        text = Message("model.path.version_twice", **answer.about)
    return ModelError(text, setting="base_url")


def _https_only(answer: _Answer) -> ModelError:
    better = _with_scheme(answer.endpoint.shown_url, "https")
    return ModelError(
        Message("model.https_only", **answer.about, better=better), setting="base_url"
    )


_no_model = _fault(lambda it: Message("model.unknown", **it.about), "model_name", UnknownModelError)
_no_vision = _fault(lambda it: Message("model.no_vision", **it.about), "model_name")
_too_long = _fault(lambda it: Message("model.too_long", **it.about), "img_keep_n", ModelLimit)
_too_large = _fault(
    lambda it: Message("model.too_large", **it.about), "screenshot_width", ModelLimit
)
_no_credit = _fault(lambda it: Message("model.no_credit", **it.about), "api_key")
_not_allowed = _fault(lambda it: Message("model.not_allowed", **it.about), "api_key")
_filtered = _fault(lambda it: Message("model.request_filtered", **it.about))
_unknown_field = _fault(lambda it: Message("model.unknown_field", **it.about))
_redirect = _fault(lambda it: Message("model.redirect", **it.about), "base_url")
_BY_TEXT: tuple[tuple[str, Make], ...] = (
    (r"at most \d+ image", _too_many_images),
    (r"\d+ image items?\b[^\n]{0,20} only \d+", _too_many_images),
    (r"\bimage=\d+(?=[^\n]{0,60}limit-mm-per-prompt)", _too_many_images),
    (r"too many images[^\n]{0,90}|too much media[^\n]{0,90}", _too_many_images),
    (r"\d+ images?\b[^\n]{0,40}(maximum|max|limit|exceed)[^\n]{0,20}\d+", _too_many_images),
    (r"(maximum|max|limit)[^\n]{0,30}\b\d+ images?\b", _too_many_images),
    (r"exceed_context_size|context.?window|context.?length|context size", _too_long),
    (r"longer than the maximum model length", _too_long),
    (r"prompt is too long|too many (input )?tokens|range of input length", _too_long),
    (r"(input )?token count[^\n]{0,60}exceeds|input length[^\n]{0,40}exceed", _too_long),
    (r"(image|picture|media)[^\n]{0,60}(too large|too big|exceeds?)", _too_large),
    (r"(request|payload|entity|body)[^\n]{0,20}too (large|big)|request_too_large", _too_large),
    (r"not a multimodal model|image input is not supported|not support images?\b", _no_vision),
    (r"not support (image|vision|multimodal)|support image input|no vision", _no_vision),
    (r"unknown variant .?image_url|content[^\n]{0,20} must be a string", _no_vision),
    (r"model[^\n]{0,120}(does not exist|not exist|not found)", _no_model),
    (r"invalid model|unknown model|no such model|model_?not_?found|pinned to", _no_model),
    (r"not_found_error[^\n]*model:|is not a valid model|no endpoints found", _no_model),
    (r"insufficient_quota|arrearage|insufficient balance|credit balance", _no_credit),
    (r"payment required|billing", _no_credit),
    (r"invalid_?\s?api.?key|incorrect api key|no_db_connection|api key not valid", _wrong_key),
    (r"data_?inspection|content_?filter|content management policy", _filtered),
    (r"http request (was sent )?to (an )?https|plain http to an ssl|requires tls", _https_only),
    (r"stream_options|response_format|unexpected fields?|extra inputs are not", _unknown_field),
)
_BY_STATUS: dict[int, Make] = {
    401: _wrong_key,
    403: _not_allowed,
    404: _no_such_path,
    405: _no_such_path,
    413: _too_large,
    **dict.fromkeys(range(300, 400), _redirect),
}
_BUSY = (429, 503, 529)
_UPSTREAM = r"\blitellm\.\w+|provider returned error|\bupstream\b"
"""A gateway's text if the server behind it refused."""
_TRANSIENT = r"\b(throttling|overloaded|internal ?error)\b"
"""Texts of transient errors with any status: some SDKs lose the real one within a stream."""


def status_error(
    endpoint: ModelEndpoint, status: int, body: object, after: str | None = None
) -> ModelError:
    """Return the error for an error answer; `after`: its Retry-After header."""
    text = error_text(body)[:20_000]
    pause = parse_retry_after(after) if after else find_retry_after(text)
    if not (status == 429 and pause is not None):
        for pattern, make in _BY_TEXT:
            if match := re.search(pattern, text, re.IGNORECASE):
                return make(_Answer(endpoint, status, body, match[0]))
    return _by_status(_Answer(endpoint, status, body), text, pause)


def stream_error(endpoint: ModelEndpoint, body: object) -> ModelError:
    """Return the error for an error object within a stream."""
    code = as_object(body).get("code")
    return status_error(endpoint, code if isinstance(code, int) else 500, body)


def _by_status(answer: _Answer, text: str, pause: float | None) -> ModelError:
    status = answer.status
    if status in _BUSY:
        return BusyError(Message("model.busy", **answer.about), pause)
    if status == 408 or status >= 500 or re.search(_TRANSIENT, text, re.IGNORECASE):
        return TransientError(Message("model.failed", **answer.about), pause)
    if status in (401, 403, 404) and re.search(_UPSTREAM, text, re.IGNORECASE):
        return ModelError(Message("model.upstream", **answer.about))
    if make := _BY_STATUS.get(status):
        return make(answer)
    return ModelError(Message("model.refused", **answer.about), setting="model_name")


def quote(error: ModelError) -> str:
    """Return the server's words in the error, "" if it quotes none."""
    values = error.message.values if isinstance(error.message, Message) else {}
    return str(values.get("quote", ""))


# --- the connection -------------------------------------------------------------------------------

_NO_TLS = r"wrong.version.number|record.layer.failure|packet length too long"
"""Texts of OpenSSL's versions for an answer in plain HTTP."""


def unreachable_error(endpoint: ModelEndpoint, reason: str) -> ModelError:
    """Return the error for no connection; `reason`: from the system or a library."""
    url = endpoint.shown_url
    if isinstance(reason, Message):  # a host name in it may contain "ssl"
        text = Message("model.unreachable", url=url, reason=reason)
        return UnreachableError(text, setting="base_url")
    why = redact(reason, endpoint.key)
    if re.search(r"not yet valid", why, re.IGNORECASE):
        return ModelError(Message("model.tls.not_yet_valid", url=url))
    if re.search(_NO_TLS, why, re.IGNORECASE):
        text = Message("model.no_https", url=url, better=_with_scheme(url, "http"))
    elif re.search(r"self.signed|issuer|unable to verify", why, re.IGNORECASE):
        text = Message("model.tls.unknown_authority", url=url, reason=why)
    elif re.search(r"certificate|SSL|TLS", why, re.IGNORECASE):
        text = Message("model.tls.untrusted", url=url, reason=why)
    else:
        text = Message("model.unreachable", url=url, reason=why)
        return UnreachableError(text, setting="base_url")
    return ModelError(text, setting="base_url")


def silence_error(endpoint: ModelEndpoint) -> ModelError:
    seconds = f"{endpoint.idle_s:.0f}"
    return ModelError(Message("model.silent", url=endpoint.shown_url, seconds=seconds))


def hung_up_error(endpoint: ModelEndpoint) -> ModelError:
    url = endpoint.shown_url
    text: str = Message("model.hung_up", url=url)
    if url.startswith("http:"):
        text = sentences(text, Message("model.maybe_https", better=_with_scheme(url, "https")))
    return HungUpError(text, setting="base_url")


def connection_lost_error() -> ModelError:
    return ConnectionFailedError(Message("model.connection_lost"))


def _with_scheme(url: str, scheme: str) -> str:
    return f"{scheme}://{url.partition('://')[2]}"


# --- replies that cannot be used ------------------------------------------------------------------


def not_json_error() -> ModelError:
    return ModelError(Message("model.not_json"), setting="base_url")


def filtered_reply_error() -> ModelError:
    return ModelError(Message("model.reply_filtered"))


def long_reply_error(limit_kb: int) -> ModelError:
    return ModelError(Message("model.reply_too_long", limit=limit_kb), setting="model_name")
