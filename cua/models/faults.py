"""All that goes wrong with a model server, in sentences that tell the person what to do next.

A server without eyes answers 400 here and 500 there, a wrong key is 401, 403 or 400: so the words
are looked at first and the status after them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from cua.types import ModelError, ModelLimit

from .bodies import message, redacted, seconds, wait, words

if TYPE_CHECKING:
    from .peer import Peer


class TransientError(ModelError):
    """A failure that may pass by itself; `after` is how many seconds the server asked to wait."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class UnreachableError(TransientError):
    """There is no connection to the server."""


class HungUpError(TransientError):
    """The server closed the connection before it answered, as one does that was kept too long."""


class UnknownModelError(ModelError):
    """The server has no model of this name."""


class UnknownFieldError(ModelError):
    """The server does not take a part of the request that another server needs."""


def _quoted(peer: Peer, body: object) -> str:
    said = redacted(message(body) or words(body), peer.key)
    if re.match(r"\s*<(!doctype|html)", said, re.IGNORECASE):
        return "a web page."
    return f"“{said}”" if said else "nothing more."


# --- which fault it is ----------------------------------------------------------------------------


class _Said(NamedTuple):
    peer: Peer
    status: int
    body: object
    matched: str = ""


def _too_many_images(said: _Said) -> ModelError:
    numbers = [int(n) for n in re.findall(r"\d+", said.matched)]
    limit = numbers[-1] if numbers else None
    count = f"at most {limit}" if limit else "fewer"
    return ModelLimit(f"The server takes {count} screenshots in a request.", limit)


def _too_long(said: _Said) -> ModelError:
    return ModelLimit(
        "The conversation is longer than the server's context: send fewer screenshots (the setting "
        f"of images to keep), or give the server a longer context. It says: {_its(said)}"
    )


def _too_large(said: _Said) -> ModelError:
    return ModelLimit(f"The screenshots are too large for the server. It says: {_its(said)}")


def _blind(said: _Said) -> ModelError:
    return ModelError(
        f"The model `{said.peer.model}` cannot see images: choose a vision model in Settings. "
        f"The server says: {_its(said)}"
    )


def _no_model(said: _Said) -> ModelError:
    return UnknownModelError(
        f"No model `{said.peer.model}` on this server: correct the name in Settings. "
        f"It says: {_its(said)}"
    )


def no_model(peer: Peer, offered: list[str]) -> ModelError:
    """The same, when the server has told what it has."""
    names = ", ".join(redacted(name, peer.key) for name in offered[:12])
    if len(offered) > 12:
        names += f" and {len(offered) - 12} more"
    return UnknownModelError(
        f"No model `{peer.model}` on this server; it offers: {names}. Choose one in Settings."
    )


def _no_credit(said: _Said) -> ModelError:
    return ModelError(
        f"The account behind the API key has no credit or quota left. The server says: {_its(said)}"
    )


def _wrong_key(said: _Said) -> ModelError:
    code = f"({said.status})"
    if not said.peer.key:
        return ModelError(f"The server wants an API key {code}. Enter one in Settings.")
    return ModelError(f"The server says the API key is wrong {code}. Enter it again in Settings.")


def _filtered(said: _Said) -> ModelError:
    return ModelError(
        f"The server's content filter refused the task or the screenshot. It says: {_its(said)}"
    )


def _field(said: _Said) -> ModelError:
    return UnknownFieldError(f"The server does not take a field of the request: {_its(said)}")


def _its(said: _Said) -> str:
    return _quoted(said.peer, said.body)


_BY_WORDS: list[tuple[str, Callable[[_Said], ModelError]]] = [
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
    (r"not a multimodal model|image input is not supported|not support images?\b", _blind),
    (r"not support (image|vision|multimodal)|support image input|no vision", _blind),
    (r"unknown variant .?image_url|content[^\n]{0,20} must be a string", _blind),
    (r"model[^\n]{0,120}(does not exist|not exist|not found)", _no_model),
    (r"invalid model|unknown model|no such model|model_?not_?found|pinned to", _no_model),
    (r"not_found_error[^\n]*model:|is not a valid model|no endpoints found", _no_model),
    (r"insufficient_quota|arrearage|insufficient balance|credit balance|billing", _no_credit),
    (r"invalid_?\s?api.?key|incorrect api key|no_db_connection|api key not valid", _wrong_key),
    (r"data_?inspection|content_?filter|content management policy", _filtered),
    (r"stream_options|response_format|unexpected fields?|extra inputs are not", _field),
]
_PASSING = r"\b(throttling|overloaded|internal ?error)\b"
"""Says so whatever the status: in a stream that began with 200 some SDKs lose the real one."""


def refusal(peer: Peer, status: int, body: object, after: str | None = None) -> ModelError:
    """What an error answer means. `after` is its Retry-After header."""
    said = words(body)[:20_000]
    pause = seconds(after) if after else wait(said)
    if status == 429 and pause is not None:
        return _by_status(peer, status, body, pause)
    for pattern, make in _BY_WORDS:
        if match := re.search(pattern, said, re.IGNORECASE):
            return make(_Said(peer, status, body, match[0]))
    return _by_status(peer, status, body, pause)


def _by_status(peer: Peer, status: int, body: object, pause: float | None) -> ModelError:
    said = _quoted(peer, body)
    if status == 429:
        return TransientError(f"The server is busy (429). It says: {said}", pause)
    if status == 408 or status >= 500:
        return TransientError(f"The server failed ({status}). It says: {said}", pause)
    if re.search(_PASSING, words(body), re.IGNORECASE):
        return TransientError(f"The server failed. It says: {said}", pause)
    return ModelError(_plain(peer, status, said))


def _plain(peer: Peer, status: int, said: str) -> str:
    if status == 401:
        return str(_wrong_key(_Said(peer, status, said)))
    if status == 403:
        return f"The server does not let this API key use the model (403). It says: {said}"
    if status in (404, 405):
        return _no_such_path(peer.url, status)
    if 300 <= status < 400:
        return (
            f"{_shown(peer.url)} sends the request elsewhere ({status}), where screenshots do not "
            "follow: enter the final address as base URL in Settings."
        )
    if status == 413:
        return f"The screenshots are too large for the server (413). It says: {said}"
    return f"The server refused the request ({status}). It says: {said}"


def _no_such_path(url: str, status: int) -> str:
    shown, path = _shown(url), urlsplit(url).path.rstrip("/")
    if not re.search(r"/v\d+\w*$", path):
        better = f"{shown.rstrip('/')}/v1"
        return f"{shown} answers {status}: did you mean {better}? Correct the base URL in Settings."
    if re.search(r"/v\d+/v\d+$", path):
        return (
            f"{shown} answers {status}: the version stands twice in it. "
            "Correct the base URL in Settings."
        )
    return f"{shown} answers {status}. Correct the base URL in Settings."


# --- what the network said ------------------------------------------------------------------------


def unreachable(peer: Peer, reason: str) -> ModelError:
    """No connection; `reason` in the words of whoever noticed."""
    said = redacted(reason, peer.key)
    where = _shown(peer.url)
    if re.search(r"not yet valid", said, re.IGNORECASE):
        return ModelError(
            f"The certificate of {where} is not valid yet: is the clock of this machine right?"
        )
    if re.search(r"certificate|SSL|TLS", said, re.IGNORECASE):
        return ModelError(
            f"No trusted connection to {where} ({said}). Give the server a certificate that this "
            "machine trusts, or use http:// if it stands in your own network."
        )
    return UnreachableError(
        f"Cannot connect to {where} ({said}). Is the server running and the address right?"
    )


def bad_address(url: str) -> ModelError:
    return ModelError(
        f"The base URL “{url[:200]}” is not an address: it must look like https://host/v1. "
        "Correct it in Settings."
    )


def not_installed(error: ImportError) -> ModelError:
    """A package of the provider that is there in part only, or too old."""
    package = (error.name or "").partition(".")[0]
    return ModelError(f"A package cannot be loaded ({error}): run  pip install -U {package}")


def silent(peer: Peer) -> ModelError:
    return ModelError(
        f"{_shown(peer.url)} said nothing for {peer.idle:.0f} s. Is the model still loading, or "
        "the server stuck?"
    )


def endless(peer: Peer) -> ModelError:
    return ModelError(
        f"The reply took longer than {peer.total:.0f} s. Use a faster model, or let it think less."
    )


def hung_up(peer: Peer) -> ModelError:
    return HungUpError(
        f"{_shown(peer.url)} closed the connection without an answer. Look at the server's log."
    )


def torn() -> ModelError:
    return TransientError("The connection was lost in the middle of the reply.")


def _shown(url: str) -> str:
    """The address without the credentials that somebody may have put in it."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if host else url[:200]


# --- what the reply lacks -------------------------------------------------------------------------

UNFINISHED = (
    "The server ended the reply too early, without a finish reason: it may have crashed or have "
    "been restarted. Look at its log."
)
NO_STREAM = (
    "The server's answer is not a stream of chat messages: is the base URL that of an API "
    "(often it ends in /v1)?"
)
NO_CHOICES = "The server sent a reply without any choice in it: it is not usable with this model."
EMPTY = "The model said nothing at all. Is it made for pictures, and its chat template right?"
CUT_EMPTY = "The reply was cut off (max_tokens) before its first word: allow longer replies."
FILTERED = "The server's content filter stopped the reply."
MALFORMED = "The model began a function call and did not get it right."
NOT_JSON = "The server's reply is not proper JSON: is the base URL that of a chat API?"
BAD_KEY = "The API key has characters that no key has. Enter it again in Settings."
TOO_MUCH = "The model's reply has no end: it was stopped at {limit} KB."
