"""No reply of any kind raises anything but the format error, or takes more than linear time.

A hundred replies here, read by every dialect; `python -m tests.dialects.million` takes a million.
"""

from __future__ import annotations

import inspect
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.dialects import registry
from cua.dialects.base_dialect import MAX_REPLY_CHARS, BaseDialect
from cua.messages import Message, catalogue, translate
from cua.types import FormatError, ParsedReply, Reply, ToolCall

from .table import SENT, parse

NAMES = [name for name, _, _ in registry.names()]
CHINESE = catalogue("zh")
FRAGMENTS = [
    "mouse ", "drag ", "keyboard ", "typestr ", "sleep ", "backspace ", "Done", "$ ", "# ", "0.5 ",
    "1", "-1", "1e999", "nan", "NaN", "Infinity", "true", "null", " ", "\n", "\r\n", "\x00",
    "\u2028", "＃", "<think>", "</think>", "```", "```json\n", "<tool_call>", "</tool_call>",
    '{"name": "computer_use", "arguments": ', '{"action": "left_click", ', '"coordinate": [5, 6]',
    '{"action": "type", "text": "', '{"action": "terminate", "status": "success"}', '"', "'", "\\",
    "{", "}", "[", "]", ",", ":", "(", ")", "=", "<function=computer_use>", "<function=click>",
    "<parameter=action>", "left_click", "</parameter>", "</function>", "Action: ", "Thought: ",
    "click(start_box='", "<point>5 6</point>", "<|box_start|>(5,6)<|box_end|>", "type(content='",
    "<|begin_of_box|>", "<|end_of_box|>", "pyautogui.", "click(x=1, y=2)", "hotkey('ctrl', 'c')",
    "computer.terminate(status='success')", "__import__('os').system('x')", "lambda: ", "f'{x}'",
    '{"type": "click", "x": 1, "y": 2}', "+", "9" * 400, "é", "你", "\u202e",
]  # fmt: skip
HOSTILE = [*FRAGMENTS, "\n{", "\n- ", '\n<tool_call>{"a": ', "a.", "(a", "x='", "',"]
texts = st.text() | st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=30).map(
    "".join
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = [
    "action", "coordinate", "text", "keys", "pixels", "time", "status", "x", "y", "type", "button",
    "path", "scroll_x", "scroll_y", "direction", "magnitude", "duration", "start_coordinate",
]  # fmt: skip
VERBS = [
    "left_click", "click", "type", "key", "scroll", "wait", "terminate", "drag", "hotkey",
    "computer", "computer_use", "click_at", "type_text_at", "key_down", "left_mouse_down",
]  # fmt: skip
calls = st.builds(
    ToolCall,
    name=st.sampled_from(VERBS) | st.text(max_size=8),
    arguments=st.dictionaries(
        st.sampled_from(FIELDS) | st.text(max_size=8), values | st.sampled_from(VERBS)
    ),
)


@given(text=texts, reasoning=texts, called=st.lists(calls, max_size=3))
def test_only_the_format_error(text: str, reasoning: str, called: list[ToolCall]) -> None:
    reply = Reply(text, reasoning, tuple(called))
    for name in NAMES:
        said = outcome(name, reply)
        fits = said.actions if isinstance(said, ParsedReply) else 0 < len(said.strip()) < 700
        assert fits, name


def outcome(name: str, reply: Reply) -> ParsedReply | str:
    try:
        return registry.create(name).parse(reply, SENT)
    except FormatError as error:
        assert isinstance(error.message, Message)  # noqa: PT017 - so that the page translates it
        return translate(error.message, CHINESE)


def parser(name: str) -> object:
    """What decides how a dialect parses: functions, actions and switches, not coordinates."""
    dialect = registry.create(name)
    assert isinstance(dialect, BaseDialect)
    functions = [each for _, each in inspect.getmembers(type(dialect), inspect.isfunction)]
    return (*functions, id(dialect.actions), id(dialect.aliases), dialect.ends_by_text)


PARSERS = list({parser(name): name for name in NAMES}.values())


@pytest.mark.parametrize("name", PARSERS)
def test_long_replies(name: str) -> None:
    """Quadratic time would be many seconds for the longest text that is read at all."""
    for fragment in HOSTILE:
        started = time.process_time()
        for text in (fragment, f"{fragment}\n"):
            outcome(name, Reply(text * (MAX_REPLY_CHARS // len(text))))
        assert time.process_time() - started < 10, fragment


@pytest.mark.parametrize("tag", ["<think>", "\n<think>", "</think>", "x<think>", "<think></think>"])
def test_long_reasoning(tag: str) -> None:
    started = time.process_time()
    outcome("kvm", Reply(tag * (2**20 // len(tag))))
    assert time.process_time() - started < 20


CALLS = [
    "<tool_call>{}</tool_call> ", "<function=f></function> ", "a('b') ", "\n```\n", "\ntypestr x",
    "\n{}", "Action: wait()\n", "<|begin_of_box|>",
]  # fmt: skip


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("call", CALLS)
def test_long_reasoning_with_calls_in_it(name: str, call: str) -> None:
    started = time.process_time()
    outcome(name, Reply(call * (2**17 // len(call)) + "</think>"))
    assert time.process_time() - started < 20


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS", "content_filter"])
def test_a_reply_that_was_cut_off_is_refused(name: str, reason: str) -> None:
    with pytest.raises(FormatError, match="cut off"):
        parse(name, "anything", finish_reason=reason)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", " \n", "<think>\nDone", "Done\n</think>\n "])
def test_an_empty_reply_is_refused(name: str, text: str) -> None:
    with pytest.raises(FormatError, match="in the reply"):
        parse(name, text)
