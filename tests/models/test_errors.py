"""Error bodies as real servers send them, and the sentence that each becomes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.models import errors
from cua.models.endpoint import ModelEndpoint
from cua.models.error_bodies import (
    MAX_QUOTE_CHARS,
    error_message,
    parse_retry_after,
    redact,
)
from cua.models.errors import BusyError, TransientError, UnknownModelError
from cua.types import ModelError, ModelLimit
from tests.models import json_of

PEER = ModelEndpoint("http://gpu:8000/v1", "qwen3-vl", "sk-secret-123")


def vllm(text: str, code: int = 400, kind: str = "BadRequestError") -> dict[str, Any]:
    return {"error": {"message": text, "type": kind, "param": None, "code": code}}


def llama(text: str, code: int, kind: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": text, "type": kind}}


def gateway(text: str, code: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": f"litellm.BadRequestError: {text}", "type": kind, "code": code}}


def dashscope(code: str, text: str) -> dict[str, Any]:
    return {"code": code, "message": text, "request_id": "1"}


DECODER = "The decoder prompt (length 6658) is longer than the maximum model length of 4096."
ITEMS = "You set or defaulted to 5 image items, but only 3 are allowed."
PASSED = (
    "You set image=3 (or defaulted to 1) in `--limit-mm-per-prompt`, but passed 5 image items in "
    "the same prompt."
)
LONG = "This model's maximum context length is 4096 tokens. However, your prompt contains more."
IMAGES = "At most 2 image(s) may be provided in one prompt. (parameter=image)"
NO_EYES = "image input is not supported - hint: if this is unexpected, you may need the mmproj"
UPSTREAM_KEY = gateway(
    "AuthenticationError: OpenAIException - Error code: 401 - {'error': 'Unauthorized'}\n\n"
    "LiteLLM: model group 'badkey' failed with the error above. No fallback was attempted.",
    "401",
    "authentication_error",
)
UPSTREAM_PATH = gateway("NotFoundError: OpenAIException - {'detail': 'Not Found'}", "404")
TABLE: list[tuple[int, object, type[ModelError], str]] = [
    # the key
    (401, {"error": "Unauthorized"}, ModelError, "API key is wrong (401)"),
    (401, {"error": "Unauthorized"}, ModelError, "The server says: “Unauthorized”."),
    (401, llama("Invalid API Key", 401, "authentication_error"), ModelError, "API key is wrong"),
    (400, gateway("No connected db.", "400", "no_db_connection"), ModelError, "API key is wrong"),
    (400, vllm("API key not valid. Please pass a valid one.", 400), ModelError, "key is wrong"),
    (403, {"detail": "Forbidden"}, ModelError, "does not let this API key use the model"),
    (401, dashscope("InvalidApiKey", "Invalid API-key provided."), ModelError, "key is wrong"),
    (
        401,
        vllm("Authentication Error, Invalid proxy server token passed.", 401, "auth_error"),
        ModelError,
        "key is wrong",
    ),
    # what the gateway's own provider says
    (401, UPSTREAM_KEY, ModelError, "The provider behind the gateway refused the request (401)"),
    (401, UPSTREAM_KEY, ModelError, "Error code: 401 - {'error': 'Unauthorized'}"),
    (404, UPSTREAM_PATH, ModelError, "The provider behind the gateway refused the request (404)"),
    (401, vllm("Provider returned error", 401), ModelError, "behind the gateway"),
    # credit
    (429, vllm("quota", 429, "insufficient_quota"), ModelError, "no credit or quota left"),
    (400, dashscope("Arrearage", "Access denied."), ModelError, "no credit or quota left"),
    # the name of the model
    (404, vllm("The model `x` does not exist.", 404), UnknownModelError, "No model `qwen3-vl`"),
    (400, gateway("Invalid model name passed in model=x.", "400"), UnknownModelError, "No model"),
    (400, {"detail": "Server is pinned to 'y'; requested 'x'."}, UnknownModelError, "No model"),
    (404, dashscope("ModelNotFound", "Model can not be found."), UnknownModelError, "No model"),
    (404, {"error": "model 'x' not found, try pulling it first"}, UnknownModelError, "No model"),
    # the address
    (404, {"detail": "Not Found"}, ModelError, "http://gpu:8000/v1 answers 404"),
    (404, {"detail": "Not Found"}, ModelError, "says: “Not Found”."),
    (404, vllm("File Not Found", 404, "not_found_error"), ModelError, "Correct the base URL"),
    (405, {"detail": "Method Not Allowed"}, ModelError, "answers 405"),
    (301, "", ModelError, "redirects the request (301)"),
    # eyes
    (400, vllm("tiny is not a multimodal model"), ModelError, "cannot see images"),
    (500, llama(NO_EYES, 500, "server_error"), ModelError, "cannot see images: choose a vision"),
    (400, {"error": "this model does not support image input"}, ModelError, "cannot see images"),
    (400, {"error": "Model does not support images."}, ModelError, "cannot see images"),
    (404, vllm("No endpoints found that support image input", 404), ModelError, "cannot see"),
    # limits
    (400, vllm(LONG), ModelLimit, "longer than the server's context"),
    (400, gateway(f"ContextWindowExceededError: {LONG}", "400"), ModelLimit, "longer than"),
    (
        400,
        llama("request (6658 tokens) exceeds the size", 400, "exceed_context_size_error"),
        ModelLimit,
        "longer than the server's context",
    ),
    (400, dashscope("InvalidParameter", "Range of input length should be"), ModelLimit, "longer"),
    (400, vllm(DECODER), ModelLimit, "longer than the server's context"),
    (400, vllm(ITEMS), ModelLimit, "at most 3 images"),
    (400, vllm(PASSED), ModelLimit, "at most 3 images"),
    (400, vllm(IMAGES), ModelLimit, "at most 2 images"),
    (400, gateway(f"OpenAIException - {IMAGES}", "400"), ModelLimit, "at most 2 images"),
    (413, "<html><h1>Request Entity Too Large</h1>", ModelLimit, "too large"),
    (400, vllm("image exceeds 5 MB maximum"), ModelLimit, "screenshots are too large"),
    # it may pass
    (429, vllm("Rate limit reached", 429), BusyError, "The server is busy (429)"),
    (429, dashscope("Throttling.RateQuota", "slow down"), BusyError, "busy (429)"),
    (503, "", BusyError, "The server is busy (503). The server says: nothing more"),
    (500, "Internal Server Error", TransientError, "The server failed (500)"),
    (529, vllm("Overloaded", 529, "overloaded_error"), BusyError, "busy (529)"),
    (502, "<!DOCTYPE html><html>Bad gateway", TransientError, "The server says: a web page"),
    (500, vllm("Connection error.", 500, "internal_server_error"), TransientError, "failed"),
    (400, dashscope("InternalError.Algo", "inference failed"), TransientError, "failed"),
    # the request
    (422, {"detail": "Unexpected fields in the request: {'foo'}"}, ModelError, "{'foo'}"),
    (422, {"detail": [{"type": "missing", "msg": "Field required"}]}, ModelError, "Field required"),
    (400, dashscope("DataInspectionFailed", "Input data may …"), ModelError, "content filter"),
    (400, vllm("Failed to load image: image file is truncated"), ModelError, "is truncated"),
]


@pytest.mark.parametrize(("status", "body", "kind", "words"), TABLE)
def test_what_servers_say(status: int, body: object, kind: type[ModelError], words: str) -> None:
    error = errors.status_error(PEER, status, body)
    assert words in str(error)
    assert type(error) is kind


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (IMAGES, 2),
        ("At most 5 image(s) may be provided in one request.", 5),
        ("Too many images in request. Max is 10.", 10),
        ("Too many images in request: 11 images provided, but a maximum of 10 images.", 10),
        ("request contains 52 images, exceeding the maximum of 50 allowed per request", 50),
        ("too many images and documents: 120 + 0 > 100", 100),
        ("too many images", None),
    ],
)
def test_the_limit_of_screenshots_is_learnt(text: str, limit: int | None) -> None:
    error = errors.status_error(PEER, 400, vllm(text))
    assert isinstance(error, ModelLimit)
    assert error.max_images == limit


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("http://gpu:8000", "did you mean http://gpu:8000/v1?"),
        ("http://gpu:8000/", "did you mean http://gpu:8000/v1?"),
        ("http://gpu:8000/v1/v1", "contains the version twice"),
        ("http://me:pass@gpu:8000", "did you mean http://gpu:8000/v1?"),
    ],
)
def test_a_wrong_path_gets_advice(url: str, advice: str) -> None:
    assert advice in str(errors.status_error(ModelEndpoint(url, "m"), 404, {"detail": "Not Found"}))


def test_without_a_key_one_is_asked_for() -> None:
    error = errors.status_error(ModelEndpoint("http://gpu/v1", "m"), 401, {"error": "Unauthorized"})
    assert str(error) == (
        "The server requires an API key (401). Enter one. The server says: “Unauthorized”."
    )


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (
            "certificate verify failed: certificate is not yet valid",
            "Check the clock of this machine",
        ),
        ("certificate verify failed: certificate has expired", "No trusted connection"),
        ("Connection refused", "Is the server running"),
    ],
)
def test_what_the_network_says(reason: str, words: str) -> None:
    assert words in str(errors.unreachable_error(PEER, reason))


@pytest.mark.parametrize("key", ["sk-1\n", "ключ", "a\x00b"])
def test_what_is_no_key_is_refused_at_once(key: str) -> None:
    with pytest.raises(ModelError, match="characters that are not allowed") as caught:
        ModelEndpoint("http://gpu/v1", "m", key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "pause"),
    [
        ("Quota exceeded, check your plan and billing. Please retry in 34.07s.", 34.07),
        ("Rate limit reached for gpt-5. Please try again in 20s.", 20),
        ("Rate limit reached.", None),
    ],
)
def test_a_pause_may_stand_in_the_words(text: str, pause: float | None) -> None:
    error = errors.status_error(PEER, 429, vllm(text, 429))
    assert isinstance(error, TransientError)
    assert error.after == pause


def test_how_long_to_wait() -> None:
    assert parse_retry_after("8") == 8
    assert parse_retry_after("0.5") == 0.5
    bad = (None, "", "-1", "nan", "inf", "Wed, 21 Oct 2026 07:28:00 GMT")
    assert [parse_retry_after(value) for value in bad] == [None] * 6


@given(st.integers(100, 599), json_of("error", "message", "detail", "code", "x"))
def test_any_body_becomes_one_short_line(status: int, body: object) -> None:
    said = str(errors.status_error(PEER, status, body))
    assert said.isprintable()
    assert len(said) < MAX_QUOTE_CHARS + 300


keys = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40)


@given(keys, st.text(max_size=40), st.text(max_size=40), st.integers(100, 599))
def test_no_body_brings_the_key_back(key: str, before: str, after: str, status: int) -> None:
    said = redact(f"{before} {key} {after}", key)
    assert key not in said.replace("•••", " ").split()
    endpoint = ModelEndpoint("http://gpu/v1", "m", "sk-" + key * 3)
    assert endpoint.key not in str(
        errors.status_error(endpoint, status, {"error": before + endpoint.key + after})
    )
    assert endpoint.key not in repr(endpoint)


def test_a_body_nested_without_end_is_read_to_a_depth() -> None:
    body: object = "deep"
    for _ in range(10_000):
        body = {"error": body}
    assert error_message(body) == ""
    assert "refused" in str(errors.status_error(PEER, 400, body))
