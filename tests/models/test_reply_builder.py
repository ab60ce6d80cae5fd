"""A reply while it arrives: whatever the pieces are, the outcome is a sound reply or an error."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.models.reply_builder import ReplyBuilder
from cua.types import ModelError


def finished(text: str = "", finish: str = "stop") -> ReplyBuilder:
    draft = ReplyBuilder(has_begun=True)
    draft.say(text)
    draft.finish = finish
    return draft


NO_NUMBERS = ['{"x": NaN}', '{"x": [-Infinity]}', '{"x": 1e999}']


@pytest.mark.parametrize("arguments", ['{"x": 1', "[1]", "null", "[" * 100_000, '"x"', *NO_NUMBERS])
def test_arguments_that_are_no_object_stay_in_the_text(arguments: str) -> None:
    draft = finished("I click.")
    draft.call(0, "click", arguments)
    reply = draft.reply()
    assert reply.calls == ()
    call = f'{{"name": "click", "arguments": {arguments}}}'
    assert reply.text == f"I click.\n<tool_call>\n{call}\n</tool_call>"


def test_a_call_without_arguments_has_none() -> None:
    draft = finished()
    draft.call(0, "screenshot", None, "id7")
    (call,) = draft.reply().calls
    assert (call.name, call.arguments, call.id) == ("screenshot", {}, "id7")


@pytest.mark.parametrize(
    ("name", "arguments", "id"), [("N" * 300_000, "{}", ""), ("", "", "I" * 300_000)]
)
def test_a_name_and_an_id_count_against_the_limit(name: str, arguments: str, id: str) -> None:
    with pytest.raises(ModelError, match="was stopped at"):
        finished().call(0, name, arguments, id)


def test_calls_without_end_are_stopped_and_a_screenful_of_them_is_not() -> None:
    assert len(called(40).reply().calls) == 40
    with pytest.raises(ModelError, match="was stopped at"):
        called(100)


def called(times: int) -> ReplyBuilder:
    draft = finished()
    for number in range(times):
        draft.call(number, "", "")
    return draft


def test_reasoning_alone_is_a_reply_that_the_dialect_may_refuse() -> None:
    draft = finished()
    draft.think("I wonder")
    assert draft.reply().reasoning == "I wonder"


@pytest.mark.parametrize(
    ("finish", "words"),
    [("stop", "reply is empty"), ("length", "max_tokens"), ("content_filter", "content filter")],
)
def test_why_there_is_nothing(finish: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        finished(" \n", finish).reply()


@given(st.text(), st.text(), st.dictionaries(st.text(), st.text()))
def test_broken_characters_do_not_get_through(text: str, more: str, arguments: object) -> None:
    draft = finished(f"x{text}\ud800{more}")
    draft.think("\udfff")
    draft.call("0", "f", json.dumps(arguments)[:-1] + ("," if arguments else "") + '"k":"\\ud83d"}')
    reply = draft.reply()
    json.dumps([reply.text, reply.reasoning, reply.calls[0].arguments], ensure_ascii=False).encode()
    assert reply.text == f"x{text}?{more}"


anything = st.none() | st.integers() | st.text() | st.lists(st.text()) | st.booleans() | st.floats()


@given(anything, anything, anything, anything, anything)
def test_pieces_may_be_anything(a: object, b: object, c: object, d: object, e: object) -> None:
    draft = finished("x")
    draft.say(a)
    draft.think(b)
    draft.call("0", c, d, e)
    draft.count(a, b, c)
    reply = draft.reply()
    assert reply.text.startswith("x")
    assert all(isinstance(n, int) and n >= 0 for n in (reply.tokens_in, reply.tokens_out))


def test_the_end_of_what_has_come_is_shown_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cua.models.reply_builder.SHOW_INTERVAL_S", 0.0)
    shown: list[str] = []
    draft = ReplyBuilder(shown.append)
    draft.think("Hm. ")
    draft.say("I cl")
    draft.say("ick.")
    draft.call(0, "click", '{"x"')
    draft.call(0, "", ": 1}")
    draft.think("y" * 5000)
    assert shown[:5] == ["Hm. ", "", "I click.", "I click.", "I click."]
    assert shown[5] == "y" * 600


def test_a_fast_reply_is_not_shown_piece_by_piece() -> None:
    shown: list[str] = []
    draft = ReplyBuilder(shown.append)
    for _ in range(1000):
        draft.say("a")
    assert len(shown) < 100
