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
from cua.types import ModelError, ModelLimit, mapping

from .endpoint import ModelEndpoint
from .error_bodies import error_message, error_text, find_retry_after, parse_retry_after, redact

MAX_NAMES = 12
"""Model names listed in an error."""


class TransientError(ModelError):
    """A failure that may pass; `after` is the pause that the server asks for, in seconds."""

    def __init__(self, message: str, after: float | None = None, *, setting: str = "") -> None:
        super().__init__(message, setting=setting)
        self.after = after


class UnreachableError(TransientError):
    """There is no connection to the server."""


class HungUpError(TransientError):
    """The server closed the connection before it answered, such as a stale keep-alive one."""


class UnknownModelError(ModelError):
    """The server has no model of this name."""


class UnknownFieldError(ModelError):
    """The server rejects an optional field of the request."""


# --- error answers --------------------------------------------------------------------------------


class _Refusal(NamedTuple):
    """An error answer; `matched` is the part of its text by which it was recognised."""

    peer: ModelEndpoint
    status: int
    body: object
    matched: str = ""

    @property
    def quote(self) -> str:
        said = redact(error_message(self.body) or error_text(self.body), self.peer.key)
        if re.match(r"\s*<(!doctype|html)", said, re.IGNORECASE):
            return Message("model.quote.web_page")
        return f"“{said}”" if said else Message("model.quote.nothing")


def _too_many_images(refusal: _Refusal) -> ModelError:
    numbers = [int(n) for n in re.findall(r"\d+", refusal.matched)]
    if not numbers or not (limit := numbers[-1]):
        return ModelLimit(Message("model.too_many_images"), setting="img_keep_n")
    return ModelLimit(Message("model.image_limit", count=limit), limit, setting="img_keep_n")


def _too_long(refusal: _Refusal) -> ModelError:
    return ModelLimit(Message("model.too_long", quote=refusal.quote), setting="img_keep_n")


def _too_large(refusal: _Refusal) -> ModelError:
    text = Message("model.too_large", status=refusal.status, quote=refusal.quote)
    return ModelLimit(text, setting="screenshot_width")


def _no_vision(refusal: _Refusal) -> ModelError:
    text = Message("model.no_vision", model=refusal.peer.model, quote=refusal.quote)
    return ModelError(text, setting="model_name")


def _no_model(refusal: _Refusal) -> ModelError:
    text = Message("model.unknown", model=refusal.peer.model, quote=refusal.quote)
    return UnknownModelError(text, setting="model_name")


def no_model(peer: ModelEndpoint, offered: list[str]) -> ModelError:
    """The server has no model of this name, but those `offered`."""
    names = [redact(name, peer.key) for name in offered[:MAX_NAMES]]
    if more := len(offered) - len(names):
        names.append(Message("model.more_names", count=more))
    text = Message("model.unknown_of", model=peer.model, names=names)
    return UnknownModelError(text, setting="model_name")


def _no_credit(refusal: _Refusal) -> ModelError:
    return ModelError(Message("model.no_credit", quote=refusal.quote), setting="api_key")


def _wrong_key(refusal: _Refusal) -> ModelError:
    text = Message(
        "model.wrong_key" if refusal.peer.key else "model.no_key",
        status=refusal.status,
        quote=refusal.quote,
    )
    return ModelError(text, setting="api_key")


def _upstream(refusal: _Refusal) -> ModelError:
    return ModelError(Message("model.upstream", status=refusal.status, quote=refusal.quote))


def _filtered(refusal: _Refusal) -> ModelError:
    return ModelError(Message("model.request_filtered", quote=refusal.quote))


def _needs_https(refusal: _Refusal) -> ModelError:
    return needs_https(refusal.peer.url)


def _unknown_field(refusal: _Refusal) -> ModelError:
    return UnknownFieldError(Message("model.unknown_field", quote=refusal.quote))


_BY_TEXT: list[tuple[str, Callable[[_Refusal], ModelError]]] = [
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
    (r"http request (was sent )?to (an )?https|plain http to an ssl|requires tls", _needs_https),
    (r"stream_options|response_format|unexpected fields?|extra inputs are not", _unknown_field),
]
_UPSTREAM = r"\blitellm\.\w+|provider returned error|\bupstream\b"
"""A gateway's text when the server behind it refused."""
_TRANSIENT = r"\b(throttling|overloaded|internal ?error)\b"
"""Transient whatever the status: some SDKs lose the real one within a stream."""


def refusal(peer: ModelEndpoint, status: int, body: object, after: str | None = None) -> ModelError:
    """The error for an error answer; `after` is its Retry-After header."""
    text = error_text(body)[:20_000]
    pause = parse_retry_after(after) if after else find_retry_after(text)
    if not (status == 429 and pause is not None):
        for pattern, make in _BY_TEXT:
            if match := re.search(pattern, text, re.IGNORECASE):
                return make(_Refusal(peer, status, body, match[0]))
    return _by_status(_Refusal(peer, status, body), text, pause)


def stream_error(peer: ModelEndpoint, body: object) -> ModelError:
    """The error for an error object within a stream."""
    code = mapping(body).get("code")
    return refusal(peer, code if isinstance(code, int) else 500, body)


def _by_status(refusal: _Refusal, text: str, pause: float | None) -> ModelError:
    status, quote = refusal.status, refusal.quote
    if status == 429:
        return TransientError(Message("model.busy", quote=quote), pause)
    if status == 408 or status >= 500 or re.search(_TRANSIENT, text, re.IGNORECASE):
        return TransientError(Message("model.failed", status=status, quote=quote), pause)
    if status in (401, 403, 404) and re.search(_UPSTREAM, text, re.IGNORECASE):
        return _upstream(refusal)
    if status == 401:
        return _wrong_key(refusal)
    return _refused(refusal)


def _refused(refusal: _Refusal) -> ModelError:
    url, status, quote = _shown(refusal.peer.url), refusal.status, refusal.quote
    if status == 403:
        return ModelError(Message("model.not_allowed", quote=quote), setting="api_key")
    if status in (404, 405):
        return _no_such_path(refusal)
    if 300 <= status < 400:
        return ModelError(Message("model.redirect", url=url, status=status), setting="base_url")
    if status == 413:
        text = Message("model.too_large", status=status, quote=quote)
        return ModelError(text, setting="screenshot_width")
    return ModelError(Message("model.refused", status=status, quote=quote), setting="model_name")


def _no_such_path(refusal: _Refusal) -> ModelError:
    url, status, quote = _shown(refusal.peer.url), refusal.status, refusal.quote
    path = urlsplit(refusal.peer.url).path.rstrip("/")
    if not re.search(r"/v\d+\w*$", path):
        better = f"{url.rstrip('/')}/v1"
        text = Message("model.path.better", url=url, status=status, better=better, quote=quote)
    elif re.search(r"/v\d+/v\d+$", path):
        text = Message("model.path.version_twice", url=url, status=status, quote=quote)
    else:
        text = Message("model.path.unknown", url=url, status=status, quote=quote)
    return ModelError(text, setting="base_url")


# --- the connection -------------------------------------------------------------------------------

_NO_TLS = r"wrong.version.number|record.layer.failure|packet length too long"
"""OpenSSL's texts for an answer in plain HTTP, which differ between its versions."""


def unreachable(peer: ModelEndpoint, reason: str) -> ModelError:
    """No connection, for a `reason` that the system or a library gives."""
    url = _shown(peer.url)
    why = reason if isinstance(reason, Message) else redact(reason, peer.key)
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


def connect_timeout(peer: ModelEndpoint) -> ModelError:
    return unreachable(peer, Message("model.no_answer", seconds=f"{peer.connect_s:.0f}"))


def needs_https(url: str) -> ModelError:
    shown = _shown(url)
    text = Message("model.https_only", url=shown, better=_with_scheme(shown, "https"))
    return ModelError(text, setting="base_url")


def _with_scheme(url: str, scheme: str) -> str:
    return f"{scheme}://{url.partition('://')[2]}"


def cannot_import(error: ImportError) -> ModelError:
    """A package of the provider is incomplete or too old."""
    package = (error.name or "").partition(".")[0]
    return ModelError(Message("model.cannot_import", reason=str(error), package=package))


def silent(peer: ModelEndpoint) -> ModelError:
    text = Message("model.silent", url=_shown(peer.url), seconds=f"{peer.idle_s:.0f}")
    return ModelError(text)


def too_slow(peer: ModelEndpoint) -> ModelError:
    return ModelError(Message("model.too_slow", seconds=f"{peer.total_s:.0f}"))


def hung_up(peer: ModelEndpoint) -> ModelError:
    return HungUpError(Message("model.hung_up", url=_shown(peer.url)))


def connection_lost() -> ModelError:
    return TransientError(Message("model.connection_lost"))


def failed_repeatedly(error: TransientError, count: int) -> ModelError:
    text = sentences(error.message, Message("model.failed_repeatedly", count=count))
    return ModelError(text, setting=error.setting)


def _shown(url: str) -> str:
    """The address without any credentials in it."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if host else url[:200]


def quote(error: ModelError) -> str:
    """The server's words in the error, "" if it quotes none."""
    values = error.message.values if isinstance(error.message, Message) else {}
    return str(values.get("quote", ""))


# --- replies that cannot be used ------------------------------------------------------------------


def not_json() -> ModelError:
    return ModelError(Message("model.not_json"), setting="base_url")


def not_a_stream() -> ModelError:
    return ModelError(Message("model.not_a_stream"), setting="base_url")


def reply_too_long(limit_kb: int) -> ModelError:
    return ModelError(Message("model.reply_too_long", limit=limit_kb), setting="model_name")


def unfinished(choices: int) -> ModelError:
    """A stream without a finish reason; `choices` is how many pieces of a reply it had."""
    if choices:
        return TransientError(Message("model.unfinished"))
    return TransientError(Message("model.no_choices"), setting="model_name")


def empty_reply(finish: str) -> ModelError:
    if finish == "length":
        return ModelError(Message("model.cut_empty"))
    return TransientError(Message("model.empty"), setting="model_name")


def reply_filtered() -> ModelError:
    return ModelError(Message("model.reply_filtered"))


def unsupported(field: str) -> Message:
    """The notice that an optional `field` of the request is left out from now on."""
    return Message("model.unsupported", field=field)


def malformed_call() -> ModelError:
    return TransientError(Message("model.malformed_call"))
