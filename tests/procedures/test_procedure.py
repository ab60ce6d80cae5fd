"""The file format: what is written is read again, and what cannot be done is refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.messages import Message
from cua.procedures.procedure import (
    Procedure,
    Sign,
    Step,
    count_steps,
    describe_run,
    fill_text,
    read,
    unroll,
    write,
)
from cua.types import Area, Click, CuaError, Keypress, Point, Type
from cua.types.actions import Wait

FRACTIONS = st.integers(0, 10_000).map(lambda value: value / 10_000)
TEXTS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff\u2028\u2029"),
    min_size=1,
    max_size=20,
).filter(str.strip)
PLACES = st.integers(0, 50).map(lambda value: value / 100)
AREAS = st.builds(
    lambda left, top: Area(left=left, top=top, right=0.75, bottom=0.625), PLACES, PLACES
)
SIGNS = st.builds(
    Sign, text=TEXTS, picture=st.binary(max_size=9), at=st.none() | AREAS, field=st.booleans()
)
ACTIONS = st.one_of(
    st.builds(Type, text=TEXTS),
    st.builds(Keypress, keys=st.just(("CTRL", "S")), count=st.integers(1, 9)),
    st.builds(Click, at=st.builds(Point, x=FRACTIONS, y=FRACTIONS), count=st.integers(1, 3)),
)
STEPS = st.builds(
    Step,
    when=st.none() | SIGNS,
    do=st.lists(ACTIONS, max_size=3).map(tuple),
    expect=st.none() | SIGNS,
    retry=st.integers(0, 3),
    otherwise=st.sampled_from(["ask", "stop", "model"]),
)
ENTRIES = st.recursive(
    STEPS,
    lambda inner: st.one_of(
        st.builds(Step, if_shown=SIGNS, steps=st.lists(inner, min_size=1, max_size=2)),
        st.builds(
            Step,
            for_each=st.just({"each": ["one", "two"]}),
            steps=st.lists(inner, min_size=1, max_size=2),
        ),
    ),
    max_leaves=4,
)
PROCEDURES = st.builds(
    Procedure,
    name=st.just("boot order"),
    goal=TEXTS,
    parameters=st.dictionaries(st.sampled_from(["server", "name"]), TEXTS),
    steps=st.lists(ENTRIES, min_size=1, max_size=3),
)


@given(PROCEDURES)
def test_what_is_written_is_read_again(procedure: Procedure) -> None:
    assert read(write(procedure)) == procedure
    assert len(unroll(procedure, {})) == count_steps(procedure.steps)


def test_loops_and_conditions_become_one_row() -> None:
    rows = unroll(
        read("""
            name: users
            parameters: {domain: lan}
            steps:
            - for_each: {user: [ann, bob]}
              steps:
              - do: {kind: type, text: "{user}@{domain} {{secret:root}} {other}"}
            - if_shown: {text: "Press any key"}
              steps:
              - do: [{kind: keypress, keys: [ENTER]}, {kind: type, text: x}]
            - do: {kind: keypress, keys: [F10]}
        """),
        {"domain": "home"},
    )
    typed = [each.do[0].text for each in rows[:2] if each]  # type: ignore[union-attr]
    assert typed == [f"{user}@home {{{{secret:root}}}} {{other}}" for user in ("ann", "bob")]
    assert rows[2]
    assert rows[2].if_shown == Sign(text="Press any key")
    assert [len(each.do) for each in rows[3:] if each] == [2, 1]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("- when: {text: A", "line 4, column 1 is not valid YAML"),
        ("- when: {}", "steps.1.when: needs a text"),
        ("- when: {picture: abc}", "steps.1.when.picture: is not valid"),
        ("- 5", "steps.1: must be a mapping of names to values"),
        ("- {do: {kind: click, button: up}}", "one of 'left', 'right', 'middle'"),
        ("- {do: {kind: keypress}}", "steps.1.do.1.keypress.keys: is missing"),
        ("- {do: {kind: keypress, keys: []}}", "steps.1.do.1.keypress.keys: must not be empty"),
        ("- {do: {knd: click}}", "steps.1.do.1: needs a kind of action"),
        ("- {for_each: {a: [b], c: [d]}, steps: [press ENTER]}", "for_each: has too many entries"),
        ("- {wen: {text: A}}", "wen"),
        ("- {when: {text: A, at: [0.1, 0.2, 0.3]}}", "steps.1.when.at.bottom"),
        ("- {when: {text: A, at: [0.1, 0.2, 0.3, 0.4, 0.5]}}", "steps.1.when.at.more"),
        ("- press ENTER\nalternatives: {a: [press TAB]}", "alternatives: must be a list"),
        ("- press ENTER\nalternatives: [press TAB]", "alternatives.1: must be a list"),
        ("- {do: press}", "steps.1.do: must be a list"),
        ("- {do: {kind: fly}}", "fly"),
        ("- {timeout_s: 4000}", "steps.1.timeout_s: must be 3600 or less"),
        ("- {otherwise: home}", "home"),
        ("- click {a: b}", "steps.1"),
        ("- {for_each: {a: [b]}, steps: []}", "needs steps"),
        ("- {if_shown: {text: A}, do: {kind: click}, steps: [press ENTER]}", "nothing else"),
        ("  []", "steps"),
        ("- {for_each: {a: ['']}, steps: [{do: {kind: type, text: '{a}'}}]}", "do.1.type.text"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(steps: str, said: str) -> None:
    with pytest.raises(CuaError, match=said) as error:
        read(f"name: x\nsteps:\n{steps}\n")
    assert isinstance(error.value.message, Message)
    reason = error.value.message.values.get("reason")
    assert reason is None or isinstance(reason, Message), "in the reader's language"


@pytest.mark.parametrize(
    "text",
    ["", "null", "- steps", "[1, 2", "services: {web: {}}", "\0PNG steps", "steps: 2020-13-45"],
)
def test_another_file_is_none_in_one_sentence(text: str) -> None:
    with pytest.raises(CuaError) as error:
        read(text)
    assert str(error.value) == "This is not a procedure (YAML)."


def test_a_step_may_be_an_instruction() -> None:
    lines = """
        name: x
        parameters: {device: USB}
        steps:
        - wait for "Boot"
        - double-click "{device}"
        - type "a.b" into "Host name"
        - press CTRL+S
        - wait 2 s
        - for_each: {user: [ann]}
          steps: ['type "{user}"']
    """
    field = Sign(text="Host name", field=True)
    assert unroll(read(lines), {}) == [
        Step(when=Sign(text="Boot")),
        Step(when=Sign(text="USB"), do=(Click(count=2),)),
        Step(when=field, do=(Click(), Keypress(keys=("CTRL", "A")), Type(text="a.b"))),
        Step(do=(Keypress(keys=("CTRL", "S")),)),
        Step(do=(Wait(seconds=2),)),
        Step(do=(Type(text="ann"),)),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "frobnicate",
        'click "a", click "b"',
        'open "X"',
        'click "a" next to "b"',
        'click "a" unless "b" is shown',
        "scroll up",
    ],
)
def test_an_instruction_that_is_no_step_is_refused(line: str) -> None:
    with pytest.raises(CuaError, match=f"steps.1: “{re.escape(line)}”"):
        read(f"name: x\nsteps: ['{line}']")


def test_a_run_is_told_by_the_values_that_its_goal_does_not_name() -> None:
    values = {"user": "anna", "name": "Anna Smith"}
    made = Procedure(name="make user", steps=(Step(do=(Wait(seconds=1),)),))
    assert describe_run(made, values) == "make user (anna, Anna Smith)"
    named = made.model_copy(update={"goal": "Create {user} for {name}"})
    assert describe_run(named, values) == "Create anna for Anna Smith"


def test_unknown_parameters_and_endless_loops_are_refused() -> None:
    with pytest.raises(CuaError, match="port"):
        unroll(read("name: x\nsteps: [{name: a}]"), {"port": "1"})
    values = [str(each) for each in range(100)]
    inner = Step(name="a")
    for name in "abc":
        inner = Step(for_each={name: values}, steps=[inner])
    with pytest.raises(CuaError, match="2000"):
        unroll(Procedure(name="x", steps=[inner]), {})


@given(TEXTS, TEXTS)
def test_a_value_is_put_in_as_it_is(before: str, value: str) -> None:
    plain = before.replace("{", "").replace("}", "")
    assert fill_text(f"{plain}{{server}}", {"server": value}) == plain + value
