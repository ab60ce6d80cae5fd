from __future__ import annotations

import pytest

from cua.types import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Fail,
    Keypress,
    Move,
    Scroll,
    ToolCall,
    Type,
    Wait,
)

from .table import Refused, Table, at, check, check_refused, parse


def code(*lines: str) -> str:
    body = "\n".join(lines)
    return f"## Thought:\nIt is open.\n## Action:\nGo on.\n## Code:\n```python\n{body}\n```"


HERE = at(0.25, 0.5)
CLICK = Click(at=HERE)
KIMI: Table = {
    # native
    "click": (code("pyautogui.click(x=0.25, y=0.5)"), [CLICK]),
    "by position": (code("pyautogui.click(0.25, 0.5)"), [CLICK]),
    "a pair": (code("pyautogui.click((0.25, 0.5))"), [CLICK]),
    "at the pointer": (code("pyautogui.click()"), [Click()]),
    "clicks": (code("pyautogui.click(x=0.25, y=0.5, clicks=2)"), [Click(at=HERE, count=2)]),
    "button": (
        code("pyautogui.click(0.25, 0.5, 1, 0.1, 'right')"),
        [Click(at=HERE, button="right")],
    ),
    "right": (code("pyautogui.rightClick(0.25, 0.5)"), [Click(at=HERE, button="right")]),
    "middle": (code("pyautogui.middleClick(0.25, 0.5)"), [Click(at=HERE, button="middle")]),
    "double": (code("pyautogui.doubleClick(0.25, 0.5)"), [Click(at=HERE, count=2)]),
    "triple": (code("pyautogui.tripleClick(0.25, 0.5)"), [Click(at=HERE, count=3)]),
    "computer's triple": (code("computer.triple_click(x=0.25, y=0.5)"), [Click(at=HERE, count=3)]),
    "move": (code("pyautogui.moveTo(0.25, 0.5, duration=0.2)"), [Move(at=HERE)]),
    "drag": (
        code("pyautogui.moveTo(0, 0)", "pyautogui.dragTo(0.25, 0.5, duration=1, button='left')"),
        [Move(at=at(0, 0)), Drag(path=(HERE,))],
    ),
    "scroll": (code("pyautogui.scroll(-5)"), [Scroll(dy=5)]),
    "scroll at": (code("pyautogui.scroll(3, x=0.25, y=0.5)"), [Scroll(at=HERE, dy=-3)]),
    "sideways": (code("pyautogui.hscroll(2)"), [Scroll(dx=2)]),
    "press": (code("pyautogui.press('enter')"), [Keypress(keys=("ENTER",))]),
    "press often": (code("pyautogui.press('tab', presses=3)"), [Keypress(keys=("TAB",), count=3)]),
    "press several": (
        code("pyautogui.press(['a', 'b'])"),
        [Keypress(keys=("A",)), Keypress(keys=("B",))],
    ),
    "hotkey": (code("pyautogui.hotkey('ctrl', 'c')"), [Keypress(keys=("CTRL", "C"))]),
    "hotkey list": (code("pyautogui.hotkey(['ctrl', 'c'])"), [Keypress(keys=("CTRL", "C"))]),
    "write": (code("pyautogui.write('a  b\\n')"), [Type(text="a  b\n")]),
    "write lines": (code('pyautogui.write("""a', 'b""")'), [Type(text="a\nb")]),
    "typewrite": (
        code('pyautogui.typewrite(message="it\'s", interval=0.1)'),
        [Type(text="it's")],
    ),
    "sleep": (code("time.sleep(2)"), [Wait(seconds=2)]),
    "wait": (code("computer.wait()"), [Wait(seconds=20)]),
    "wait bare": (code("computer.wait"), [Wait(seconds=20)]),
    "done": (code("computer.terminate(status='success')"), [Done()]),
    "answer": (
        code("computer.terminate(status='success', answer='42')"),
        [Done(answer="42")],
    ),
    "failed": (code("computer.terminate(status='failure')"), [Fail()]),
    "ask": (code("computer.call_user(question='Which?')"), [Ask(question="Which?")]),
    # held
    "key held": (
        code("pyautogui.keyDown('ctrl')", "pyautogui.click(0.25, 0.5)", "pyautogui.keyUp('ctrl')"),
        [Click(at=HERE, keys=("CTRL",))],
    ),
    "button held": (
        code("pyautogui.mouseDown(0, 0)", "pyautogui.moveTo(0.25, 0.5)", "pyautogui.mouseUp()"),
        [Drag(path=(at(0, 0), HERE))],
    ),
    # sloppy and wrapped
    "imports": (
        code("import pyautogui, time", "import computer", "pyautogui.click(0.25, 0.5)"),
        [CLICK],
    ),
    "comment": (code("# click on OK", "pyautogui.click(0.25, 0.5)  # there"), [CLICK]),
    "one line": (code("pyautogui.click(0.25, 0.5); time.sleep(1)"), [CLICK, Wait(seconds=1)]),
    "indented": (code("    pyautogui.click(0.25, 0.5)"), [CLICK]),
    "no language": ("## Code:\n```\npyautogui.click(0.25, 0.5)\n```", [CLICK]),
    "no fence": ("Click.\npyautogui.click(0.25, 0.5)", [CLICK]),
    "the last block": (f"{code('time.sleep(1)')}\nNo:\n{code('time.sleep(2)')}", [Wait(seconds=2)]),
    "thinking that began in the prompt": (
        f"{code('time.sleep(1)')}\n◁/think▷{code('time.sleep(2)')}",
        [Wait(seconds=2)],
    ),
    "end of thinking as text": (code("pyautogui.write('a</think>b')"), [Type(text="a</think>b")]),
    "leaked thinking": (
        f"◁think▷{code('time.sleep(1)')}◁/think▷{code('time.sleep(2)')}",
        [Wait(seconds=2)],
    ),
    "unknown escape": (code(r"pyautogui.write('\d')"), [Type(text=r"\d")]),
}


@pytest.mark.parametrize(("reply", "expected"), KIMI.values(), ids=KIMI.keys())
def test_kimi(reply: str, expected: list[Action]) -> None:
    check("kimi", reply, expected)


REFUSED: Refused = {
    "prose": ("Click on OK.", "no code"),
    "fence not closed": ("```python\npyautogui.click(0.25, 0.5)", "closed code block"),
    "the second of two blocks is cut": (
        f"{code('time.sleep(1)')}\nNo:\n```python\ntime.sleep(2)",
        "closed code block",
    ),
    "words behind the code": (f"{code('time.sleep(1)')}\nNo:", "closed code block"),
    "no code": ("## Code:\n```python\n\n```", "no code"),
    "system call": (code("__import__('os').system('reboot')"), "by name"),
    "import": (code("import os", "os.system('reboot')"), "may only call"),
    "import from": (code("from os import system"), "may only call"),
    "foreign function": (code("os.system('reboot')"), "no action `os.system`"),
    "built-in": (code("exec('x')"), "no action `exec`"),
    "chain": (code("pyautogui.size().width.click()"), "by name"),
    "variable": (code("x = 0.5", "pyautogui.click(x, 0.5)"), "may only call"),
    "name as argument": (code("pyautogui.click(x, 0.5)"), "plain numbers"),
    "formula": (code("pyautogui.click(1/4, 0.5)"), "plain numbers"),
    "f-string": (code("pyautogui.write(f'{x}')"), "plain numbers"),
    "call as argument": (code("pyautogui.click(int(0), 0.5)"), "plain numbers"),
    "star": (code("pyautogui.click(*[0.5, 0.5])"), "plain numbers"),
    "two stars": (code("pyautogui.click(**{'x': 1})"), "not read"),
    "lambda": (code("(lambda: 0)()"), "by name"),
    "loop": (code("for i in [1]: pyautogui.click()"), "may only call"),
    "condition": (code("pyautogui.click() if True else None"), "may only call"),
    "not Python": (code("pyautogui.click(0.5,"), "not valid Python"),
    "null byte": (code("pyautogui.click(\x00)"), "not valid Python"),
    "unknown function": (code("pyautogui.fly()"), "no action `fly`"),
    "relative drag": (code("pyautogui.drag(10, 10)"), "no action `drag`"),
    "pixels": (code("pyautogui.click(640, 360)"), "fractions of the screen"),
    "half a place": (code("pyautogui.click(x=0.5)"), "not a number"),
    "complex": (code("pyautogui.click(1j, 0)"), "not a number"),
    "huge": (code("pyautogui.click(1e999, 0)"), "not a number"),
    "boolean": (code("pyautogui.click(True, 0)"), "not a number"),
    "four clicks": (code("pyautogui.click(clicks=4)"), "1 to 3"),
    "no such button": (code("pyautogui.click(button='thumb')"), "no mouse button"),
    "key stays down": (code("pyautogui.keyDown('ctrl')"), "let go"),
    "bytes": (code("pyautogui.write(b'x')"), "text is missing"),
    "bad sibling": (code("pyautogui.click(0.5, 0.5)", "exit()"), "no action `exit`"),
    "neither done nor failed": (code("computer.terminate()"), "success if the task is done"),
    "very long": (code("pyautogui.click()\n" * 800), "too long"),
}


@pytest.mark.parametrize(("reply", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(reply: str, words: str) -> None:
    check_refused("kimi", reply, words)


def test_function_calls_are_refused() -> None:
    check_refused("kimi", "prose", "no code")
    with pytest.raises(Exception, match="not used here"):
        parse("kimi", code("time.sleep(1)"), calls=[ToolCall("click", {"x": 1, "y": 1})])


SENT = (1932, 1092)
OPENCUA: Table = {
    "click": (code("pyautogui.click(x=966, y=546)"), [Click(at=at(0.5, 0.5))]),
    "last pixel": (code("pyautogui.click(x=1932, y=1092)"), [Click(at=at(1, 1))]),
    "scroll": (code("pyautogui.scroll(-500, 966, 546)"), [Scroll(at=at(0.5, 0.5), dy=5)]),
    "step heading": (f"# Step: 3\n{code('computer.wait()')}", [Wait(seconds=20)]),
}


@pytest.mark.parametrize(("reply", "expected"), OPENCUA.values(), ids=OPENCUA.keys())
def test_opencua(reply: str, expected: list[Action]) -> None:
    check("opencua", reply, expected, SENT)


def test_opencua_refuses_what_is_outside() -> None:
    check_refused("opencua", code("pyautogui.click(2000, 5)"), "1932 x 1092", SENT)


def test_the_headings_are_not_its_words() -> None:
    assert parse("kimi", code("time.sleep(1)")).thought == "It is open.\n\nGo on."
