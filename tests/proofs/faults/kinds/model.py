"""Faults of the model's server: refusals, and replies that are none."""

from __future__ import annotations

from typing import Any

from ..testbed import Testbed
from .kind import Kind


def _model(name: str, **reply: Any) -> Kind:
    def begin(testbed: Testbed) -> None:
        testbed.model.fail(reply)

    def end(testbed: Testbed) -> None:
        testbed.model.fault = None

    return Kind(f"model: {name}", begin, end, lasts_s=None)


def _refusal(status: int, words: str, **headers: str) -> Kind:
    body = {"error": {"message": words, "type": "error", "code": status}}
    return _model(f"{status} {words}", status=status, body=body, headers=headers)


def _chunk(delta: object, finish: object = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


async def _model_gone(testbed: Testbed) -> None:
    await testbed.kvm.model.stop()


async def _model_back(testbed: Testbed) -> None:
    await testbed.kvm.model.start(testbed.kvm.model.port)


REFUSALS = [
    _refusal(400, "Bad request"),
    _refusal(401, "Invalid API key"),
    _refusal(402, "Payment required"),
    _refusal(403, "Forbidden"),
    _refusal(404, "Not found"),
    _refusal(405, "Method not allowed"),
    _refusal(408, "Request timeout"),
    _refusal(409, "Conflict"),
    _refusal(413, "Payload too large"),
    _refusal(422, "Unprocessable"),
    _refusal(429, "Slow down", **{"Retry-After": "0.2"}),
    _refusal(429, "Come back in an hour", **{"Retry-After": "3600"}),
    _refusal(500, "Internal server error"),
    _refusal(502, "Bad gateway"),
    _refusal(503, "Unavailable"),
    _refusal(504, "Gateway timeout"),
    _refusal(529, "Overloaded"),
    _refusal(307, "Moved", location="http://127.0.0.1:9/"),
    _refusal(400, "At most 1 image(s) may be provided in one prompt."),
    _refusal(400, "This model's maximum context length is 4096 tokens."),
    _refusal(400, "tiny is not a multimodal model"),
]
REPLIES = [
    _model("says nothing", fault="silent"),
    _model("stalls in the middle of a reply", fault="stall"),
    _model("drips", text="DONE: " + "x" * 40, pieces=46, pace=0.25),
    _model("hangs up in the middle of a reply", fault="drop"),
    _model("ends without a finish reason", fault="no_finish"),
    _model("fails in the middle of a stream", fault="error"),
    _model("sends no choices", fault="no_choices"),
    _model("sends null", fault="null"),
    _model("sends malformed JSON", fault="not_json"),
    _model("sends a web page", fault="html"),
    _model("sends a line without end", fault="endless"),
    _model("sends a reply of 100 MB", text="x" * 100_000_000, pieces=1000),
    _model("sends numbers for texts", chunks=[_chunk({"content": 5}, 7), _chunk([], {})]),
    _model("sends a list for an object", chunks=[[1, 2], {"choices": "no"}, _chunk("", "stop")]),
    _model("sends an empty reply", text=""),
    _model("sends prose", text="It looks nice today"),
    _model("sends half a call", text='{"type": "type", "text": "not to be typed'),
    _model(
        "sends a call that cannot be read",
        text="",
        calls=[
            {"name": "computer", "arguments": {"type": "type", "text": "not to be typed"}},
            {"name": "computer", "arguments": '{"type": "keypress", "keys": ["CTRL"'},
        ],
    ),
    _model("is cut off by its length", text='{"type": "wait"}', finish="length"),
    _model("is stopped by a filter", text="{}", finish="content_filter"),
    Kind("model: its server is gone", _model_gone, _model_back, 2.0),
]
