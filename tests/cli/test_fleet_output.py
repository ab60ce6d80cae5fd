"""The live table of a fleet, as lines of text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.cli.fleet_output import draw, print_reasons
from cua.fleet.row import NOT_BEGUN, RUNNING, STATES, WAITING, Row, count_states


def test_what_it_shows() -> None:
    rows = [
        Row("web1", state=RUNNING, step=3, sentence="Click\n“OK”", cost=0.0123),
        Row("db", state="done", step=12, took_s=75.4, sentence="打开了设置"),
    ]
    rows[0].began = 0.0
    lines = draw(rows[1:], 60, 10)
    assert lines == [
        "computer  state  step  time  cost  last sentence",
        "db        done   12    1:15        打开了设置",
        "1 done",
    ]
    assert draw(rows, 80, 10)[1].endswith("0.0123  Click “OK”")
    assert count_states(rows) == "1 running, 1 done"
    assert rows[1].as_line() == "db: done, step 12. 打开了设置"


def test_why_a_computer_is_not_done_is_said_whole(capsys: pytest.CaptureFixture[str]) -> None:
    why = "The KVM refused the login. " * 9
    states = {"web1": 1, "db": 0, "pc1": None}
    print_reasons([Row(name, state="x", code=code, sentence=why) for name, code in states.items()])
    assert capsys.readouterr().out == f"web1: x, step 0. {why.strip()}\n"


def test_what_does_not_fit_is_what_waits() -> None:
    rows = [Row(f"pc{n}", state=WAITING) for n in range(9)] + [Row("bad", state="failed")]
    lines = draw(rows, 60, 5)
    assert [line.split()[0] for line in lines[1:-1]] == ["pc0", "pc1", "bad"]
    assert lines[-1] == "9 waiting, 1 failed, 7 not shown"


ROWS = st.lists(
    st.builds(
        Row,
        st.text("abc", min_size=1),
        state=st.sampled_from([WAITING, NOT_BEGUN, *STATES.values()]),
        sentence=st.text(),
    ),
    unique_by=lambda row: row.name,
)


@given(ROWS, st.integers(1, 120), st.integers(3, 30))
def test_it_never_leaves_its_place(rows: list[Row], width: int, height: int) -> None:
    lines = draw(rows, width, height)
    assert len(lines) <= height
    assert all(line.isprintable() and len(line) <= width for line in lines)
