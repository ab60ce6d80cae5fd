from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.types import (
    Action,
    Area,
    Ask,
    Click,
    Done,
    Drag,
    Eject,
    Fail,
    FormatError,
    Keypress,
    Mount,
    Move,
    Point,
    Power,
    Scroll,
    ToolCall,
    Type,
    Wait,
    Zoom,
)

from . import writers
from .table import actions, at, parse
from .test_hostile import FRAGMENTS

HERE = at(0.25, 0.5)
CLICK = Click(at=HERE)
ZOOM = Zoom(area=Area(left=0.1, top=0.2, right=0.3, bottom=0.4))
TABLE: dict[str, tuple[str, list[Action]]] = {
    # as the prompt asks for it
    "move": ("mouse 0.25 0.5 0", [Move(at=HERE)]),
    "left": ("mouse 0.25 0.5 1", [CLICK]),
    "right": ("mouse 0.25 0.5 2", [Click(at=HERE, button="right")]),
    "double": ("mouse 0.25 0.5 3", [Click(at=HERE, count=2)]),
    "double right": ("mouse 0.25 0.5 4", [Click(at=HERE, button="right", count=2)]),
    "down": ("mouse 0.25 0.5 5", [Scroll(at=HERE, dy=8)]),
    "up": ("mouse 0.25 0.5 6", [Scroll(at=HERE, dy=-8)]),
    "middle": ("mouse 0.25 0.5 7", [Click(at=HERE, button="middle")]),
    "triple": ("mouse 0.25 0.5 8", [Click(at=HERE, count=3)]),
    "at the pointer": ("mouse 0 0 1", [Click()]),
    "scroll at the pointer": ("mouse 0.0 0.000 5", [Scroll(dy=8)]),
    "left edge": ("mouse 0 0.5 1", [Click(at=at(0, 0.5))]),
    "last corner": ("mouse 1 1.0 1", [Click(at=at(1, 1))]),
    "drag": ("drag 0.1 0.2 0.3 0.4", [Drag(path=(at(0.1, 0.2), at(0.3, 0.4)))]),
    "drag from the pointer": ("drag 0 0 0.3 0.4", [Drag(path=(at(0.3, 0.4),))]),
    "chord": ("keyboard CTRL+SHIFT+ESC", [Keypress(keys=("CTRL", "SHIFT", "ESC"))]),
    "one key": ("keyboard ENTER", [Keypress(keys=("ENTER",))]),
    "plus": ("keyboard CTRL++", [Keypress(keys=("CTRL", "+"))]),
    "minus": ("keyboard CTRL+-", [Keypress(keys=("CTRL", "-"))]),
    "text": ("typestr hello world", [Type(text="hello world")]),
    "spaces to the letter": ("typestr   a  b   c  ", [Type(text="  a  b   c  ")]),
    "quotes are typed": ('typestr "it\'s" `x` **y**', [Type(text='"it\'s" `x` **y**')]),
    "smiley": ("typestr :)", [Type(text=":)")]),
    "comment signs": ("typestr # $ Done // <think>", [Type(text="# $ Done // <think>")]),
    "fence as text": ("typestr ```", [Type(text="```")]),
    "backspace": ("backspace 12", [Keypress(keys=("BACKSPACE",), count=12)]),
    "power": ("power press", [Power(button="power")]),
    "power off": ("Power Hold", [Power(button="hold_power")]),
    "reset": ("power reset.", [Power(button="reset")]),
    "wake": ("power wake", [Power(button="wake")]),
    "mount": ("mount /data/a b.iso", [Mount(image="/data/a b.iso")]),
    "mount a disk": ("mount a.img as disk", [Mount(image="a.img", drive="disk")]),
    "eject": ("Eject", [Eject()]),
    "zoom": ("zoom 0.1 0.2 0.3 0.4", [ZOOM]),
    "zoom from the other corner": ("zoom 0.3 0.2 0.1 0.4", [ZOOM]),
    "a note": ("#! the code is 4711\nsleep 1.5", [Wait(seconds=1.5)]),
    "sleep": ("sleep 1.5", [Wait(seconds=1.5)]),
    "done": ("Done", [Done()]),
    "question": ("$ Which of the two?", [Ask(question="Which of the two?")]),
    "three and done": (
        "# all at once\nmouse 0.25 0.5 1\ntypestr x\nkeyboard ENTER\nDone",
        [CLICK, Type(text="x"), Keypress(keys=("ENTER",)), Done()],
    ),
    # sloppy
    "case": ("MOUSE 0.25 0.5 1\nKeyboard enter", [CLICK, Keypress(keys=("ENTER",))]),
    "spaces around plus": ("keyboard CTRL + C", [Keypress(keys=("CTRL", "C"))]),
    "chord with a space": ("keyboard CTRL C", [Keypress(keys=("CTRL", "C"))]),
    "chord with a hyphen": ("keyboard ctrl-c", [Keypress(keys=("CTRL", "C"))]),
    "key of two words": ("keyboard Page Down", [Keypress(keys=("PAGEDOWN",))]),
    "as a call": ("mouse(0.25, 0.5, 1)", [CLICK]),
    "commas": ("mouse 0.25, 0.5, 1", [CLICK]),
    "colon": ("mouse: 0.25 0.5 1", [CLICK]),
    "comment behind": ("mouse 0.25 0.5 1 # OK button", [CLICK]),
    "done with a point": ("Done.", [Done()]),
    "done, bold": ("**Done**", [Done()]),
    "done, code": ("`done`", [Done()]),
    "done twice": ("Done\nDone", [Done()]),
    "unit": ("sleep 2 seconds", [Wait(seconds=2)]),
    "question over lines": ("$ Which?\n1. red\n2. blue", [Ask(question="Which?\n1. red\n2. blue")]),
    # wrapped
    "fence": ("```\nmouse 0.25 0.5 1\n```", [CLICK]),
    "fence with a language": ("```text\r\nmouse 0.25 0.5 1\r\n```\r\n", [CLICK]),
    "bullet": ("- mouse 0.25 0.5 1", [CLICK]),
    "numbers": ("1. mouse 0.25 0.5 1\n2) sleep 1", [CLICK, Wait(seconds=1)]),
    "label": ("Action: mouse 0.25 0.5 1", [CLICK]),
    "code marks": ("`mouse 0.25 0.5 1`", [CLICK]),
    "typestr in code marks": ("- `typestr a  b`", [Type(text="a  b")]),
    "prose before": ("I will click on OK:\nmouse 0.25 0.5 1", [CLICK]),
    "prose after": ("mouse 0.25 0.5 1\nThat opens the menu.", [CLICK]),
    "thinking": ("<think>\nmouse 0.9 0.9 1\n</think>\nmouse 0.25 0.5 1", [CLICK]),
    "end of thinking": ("mouse 0.9 0.9 1, or not?\n</think>\n\nmouse 0.25 0.5 1", [CLICK]),
    "two thoughts": ("<think>a</think>\nsleep 1\n<think>b\n", [Wait(seconds=1)]),
    "tag in typed text": ("typestr a</think>b", [Type(text="a</think>b")]),
    **{
        sentence: (f"{sentence}\nmouse 0.25 0.5 1", [CLICK])
        for sentence in (
            "The login page is open",
            "OK.",
            "Home shows the start page.",
            "Commands:",
            "---",
            "登录页面已打开，我点击用户名。",
            "Typing is slow here.",
            "**Plan:**",
            "<|im_start|>",
        )
    },
    "failed": ("Fail there is no such menu", [Fail(reason="there is no such menu")]),
    "failed, in the words of others": ("FAILED: no menu", [Fail(reason="no menu")]),
    "failed after a command": (
        "sleep 1\nFail：没有菜单",
        [Wait(seconds=1), Fail(reason="没有菜单")],
    ),
    "failed without words": ("Fail", [Fail()]),
    "failed over lines": ("Fail no menu\n- File", [Fail(reason="no menu\n- File")]),
    "full width": ("＃ 看\nｍｏｕｓｅ　０．２５　０．５　１", [CLICK]),
    "full width colon": ("mouse：0.25 0.5 1", [CLICK]),
    "full width question": ("＄ 哪一个？", [Ask(question="哪一个？")]),
    "crlf": ("mouse 0.25 0.5 1\r\ntypestr a \r\n", [CLICK, Type(text="a ")]),
    "byte order mark": ("\ufeffmouse 0.25 0.5 1", [CLICK]),
}


@pytest.mark.parametrize(("reply", "expected"), TABLE.values(), ids=TABLE.keys())
def test_reply(reply: str, expected: list[Action]) -> None:
    assert actions("kvm", reply) == expected


REFUSED = {
    "empty": ("", "nothing in the reply"),
    "reasoning only": ("<think>mouse 0.5 0.5 1", "reasoning, but no action"),
    "prose only": ("I am going to click on OK.", "no command"),
    "thought only": ("# the page is loading", "no command"),
    "thousandths": ("mouse 500 300 1", "fractions of the screen"),
    "mixed scales": ("mouse 640 0.5 1", "fractions of the screen"),
    "just outside": ("mouse 1.0001 0.5 1", "fractions of the screen"),
    "negative": ("mouse -0.1 0.5 1", "fractions of the screen"),
    "percent": ("mouse 50% 50% 1", "not a number"),
    "not a number": ("mouse nan inf 1", "not a number"),
    "no button": ("mouse 0.5 0.5", "mouse x y c"),
    "unknown button": ("mouse 0.5 0.5 9", "from 0 to 8"),
    "a button in words": ("mouse 0.5 0.5 left", "from 0 to 8"),
    "nowhere": ("mouse 0 0 0", "where the pointer is"),
    "drag to nowhere": ("drag 0.1 0.1 0 0", "0.001 0.001"),
    "short drag": ("drag 0.1 0.1 0.2", "drag x0 y0 x1 y1"),
    "no text": ("typestr", "typestr"),
    "no text after the space": ("typestr ", "typestr"),
    "no keys": ("keyboard", "keyboard CTRL+C"),
    "half a chord": ("keyboard CTRL+", "a + without a key"),
    "prose after a verb": ("keyboard shortcut saves it", "keyboard CTRL+C"),
    "verb in prose": ("Mouse is over the button\nsleep 1", "mouse x y c"),
    "backspace 0": ("backspace 0", "1 to 200"),
    "long sleep": ("sleep 600", "0 to 60"),
    "no question": ("$", "question is missing"),
    "done and more": ("Done with the first part\nmouse 0.5 0.5 1", "alone on the last line"),
    "four commands": ("sleep 1\n" * 4, "at most 3"),
    "command after done": ("Done\nmouse 0.5 0.5 1", "no other action may follow"),
    "command after question": ("$ which?\nmouse 0.5 0.5 1", "no other action may follow"),
    "done and question": ("Done\n$ was that right?", "only one of"),
    "done and failed": ("Done\nFail no menu", "only one of"),
    "command after failing": ("Fail no menu\nmouse 0.5 0.5 1", "no other action may follow"),
    "a sentence about failing": ("Failed to open it, I try again.\nsleep 1", "Write `Fail`"),
    **{
        line: (f"mouse 0.5 0.5 1\n{line}", f"There is no command `{line}`")
        for line in (
            "type hello world",
            "keys CTRL+S",
            "ENTER",
            "right click",
            "wait",
            "stop",
            "F5.",
            "Press Enter to confirm.",
            "CTRL+S",
            "press the OK button now",
            "0.5 0.5",
            "next",
            "点击确定按钮。",
            "click(start_box='(1,1)') and then wait.",
            "Esc closes it.",
        )
    },
    "label": ("Action: I open the File menu.\nsleep 1", "no command `I open the File menu.`"),
    "foreign command": ("mouse 0.5 0.5 1\nclick 0.2 0.2", "no command `click 0.2 0.2`"),
    "foreign call": ("mouse 0.5 0.5 1\npyautogui_click(3)", "no command"),
    "foreign verb": ("press ENTER\nmouse 0.5 0.5 1", "no command `press ENTER`"),
    "json": ('{"action": "click"}\nmouse 0.5 0.5 1', "no command"),
    "one bad of two": ("mouse 0.5 0.5 1\nmouse 7 7 1", "fractions of the screen"),
    "second line of text": ("typestr first\nsecond", "would be lost"),
    "nine keys": ("keyboard " + "+".join("abcdefghi"), "not allowed"),
}


@pytest.mark.parametrize(("reply", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_with_a_sentence_that_teaches(reply: str, words: str) -> None:
    with pytest.raises(FormatError, match=re.escape(words)):
        parse("kvm", reply)


def test_words_before_a_question_are_kept() -> None:
    turn = parse("kvm", "# two files\nI do not know which.\n$ Which one?")
    assert turn.thought == "two files\nI do not know which."


def test_function_calls_are_refused() -> None:
    with pytest.raises(FormatError, match="as text"):
        parse("kvm", "mouse 0.5 0.5 1", calls=[ToolCall("mouse", {"x": 1})])


part = st.floats(0, 1).map(lambda value: round(value, 4))
points = st.builds(Point, x=part, y=part).filter(lambda p: p.x > 0 or p.y > 0)
line = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1) | (
    st.lists(st.sampled_from(FRAGMENTS), min_size=1).map(
        lambda parts: "".join(parts).replace("\n", "")
    )
).filter(len)
inputs = st.one_of(
    st.builds(Move, at=points),
    st.builds(Click, at=points | st.none()),
    st.builds(Click, at=points, count=st.just(3)),
    st.builds(Click, at=points, button=st.just("right"), count=st.sampled_from([1, 2])),
    st.builds(Drag, path=st.tuples(points, points) | st.tuples(points)),
    st.builds(Scroll, at=points | st.none(), dy=st.sampled_from([8, -8])),
    st.builds(Type, text=line.filter(lambda text: not text.endswith("\r"))),
    st.builds(Keypress, keys=st.sampled_from([("CTRL", "C"), ("ENTER",), ("CTRL", "ALT", "+")])),
    st.builds(Keypress, keys=st.just(("BACKSPACE",)), count=st.integers(2, 200)),
    st.builds(Wait, seconds=st.integers(0, 60)),
)


def written(actions: list[Action]) -> str:
    return "\n".join(writers.kvm(each, lambda at: [at.x, at.y]) for each in actions)


@given(st.lists(inputs, min_size=1, max_size=3))
def test_round_trip(planned: list[Action]) -> None:
    assert actions("kvm", written(planned)) == planned


@given(st.lists(inputs, min_size=1, max_size=3), st.integers(0, 300))
def test_a_reply_that_is_cut_off_has_no_line_but_its_last_changed(
    planned: list[Action], cut: int
) -> None:
    """A line has no sign of its end: of a cut inside the last one only the server can tell."""
    try:
        found = actions("kvm", written(planned)[:cut])
    except FormatError:
        return
    assert found[:-1] == planned[: len(found) - 1]
