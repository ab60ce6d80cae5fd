"""What a request holds, and how one grows out of the one before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.dialects import registry
from cua.dialects.conversation import PLACEHOLDER, count_sent
from cua.dialects.registry import create
from cua.types import Area, ChatMessage, Frame, Reply, Step, Task

NAMES = [name for name, _, _ in registry.names()]
keeps = st.integers(1, 12)
counts = st.integers(1, 60)


def frame(number: int) -> Frame:
    return Frame(jpeg=b"jpeg %d" % number, width=1280, height=720, seq=number, at=0.0)


def growing(rounds: int) -> Iterator[Task]:
    """The task before each of its replies."""
    task = Task(goal="set the DNS server")
    for number in range(1, rounds + 1):
        if task.steps:
            task.steps[-1].reply = Reply(f"# step {number - 1}\nsleep 1", reasoning="hidden")
        told = "" if number == 1 else f"outcome of step {number - 1}"
        task.steps.append(Step(number, told, frame(number)))
        yield task


def flat(messages: list[ChatMessage]) -> list[object]:
    return [part for message in messages for part in (message.role, *message.parts)]


def frames(messages: list[ChatMessage]) -> list[int]:
    return [part.seq for message in messages for part in message.parts if isinstance(part, Frame)]


@given(counts, keeps)
def test_only_the_newest_screenshots_are_sent(rounds: int, keep: int) -> None:
    for task in growing(rounds):
        sent = frames(registry.create("kvm").messages("prompt", task, keep))
        last = len(task.steps)
        assert 1 <= len(sent) <= keep
        assert sent == list(range(last - len(sent) + 1, last + 1))


@given(st.integers(1, 200), keeps)
def test_about_half_of_them_stay_when_some_are_dropped(count: int, keep: int) -> None:
    chunk = keep // 2 + 1
    assert (
        count_sent(count, keep) == count
        if count <= keep
        else keep - chunk + 1 <= count_sent(count, keep)
    )
    assert count_sent(count + chunk, keep) == count_sent(count, keep) or count < keep - chunk + 1


@pytest.mark.parametrize(
    ("keep", "numbers"),
    [
        (1, [1, 1, 1, 1, 1]),
        (2, [1, 2, 1, 2, 1, 2]),
        (3, [1, 2, 3, 2, 3, 2, 3]),
        (10, [*range(1, 11), 5, 6, 7, 8, 9, 10, 5, 6]),
    ],
)
def test_how_many_are_sent(keep: int, numbers: list[int]) -> None:
    assert [count_sent(count, keep) for count in range(1, len(numbers) + 1)] == numbers


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("keep", [1, 3, 10])
def test_a_request_extends_the_one_before_unless_a_screenshot_was_dropped(
    name: str, keep: int
) -> None:
    before: list[object] = []
    dropped = 0
    for task in growing(20):
        sent = flat(registry.create(name).messages("prompt", task, keep))
        if sent[: len(before)] != before:
            dropped += 1
            assert sent.count(PLACEHOLDER) > before.count(PLACEHOLDER)
        before = sent
    assert dropped == -(-(20 - keep) // (keep // 2 + 1))


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_every_step_stays(name: str) -> None:
    *_, task = growing(20)
    messages = registry.create(name).messages("the prompt", task, 3)
    text = "\n".join(str(part) for part in flat(messages))
    assert messages[0].role == "system"
    assert text.index("the prompt") < text.index("set the DNS server") < text.index("# step 1")
    assert text.count("set the DNS server") == 1
    for number in range(1, 20):
        assert f"outcome of step {number}\n" in text
        assert f"# step {number}\n" in text
    assert "hidden" not in text
    assert [message.role for message in messages[1:]] == [*["user", "assistant"] * 19, "user"]


def test_the_prompt_and_changes_state_the_size_in_pixels() -> None:
    task, *_ = growing(1)
    wide = Frame(b"jpeg", 1932, 1092, 2, 0.0)
    task.steps[0].reply = Reply("x")
    task.steps += [Step(2, "", wide, Reply("y")), Step(3, "", wide)]
    system, _, _, changed, _, same = create("opencua").messages("{width} by {height}", task, 3)
    assert system.parts == ("1280 by 720",)
    assert changed.parts == ("From now on the screenshots are 1932 x 1092 pixels.", wide)
    assert same.parts == (wide,)
    assert create("kimi").messages("prompt", task, 3)[3].parts == (wide,)


def test_thinking_is_sent_back_to_families_that_show_it() -> None:
    task, *_ = growing(1)
    task.steps[0].reply = Reply("<thinking>\nhm\n</thinking>\nnothing")
    task.steps.append(Step(2, "", frame(2)))
    assert "hm" in str(create("mai_ui").messages("prompt", task, 3)[2].parts)
    assert "hm" not in str(create("qwen3_vl").messages("prompt", task, 3)[2].parts)


def test_inline_reasoning_is_not_sent_back() -> None:
    task, *_ = growing(1)
    task.steps[0].reply = Reply("<think>\nsecret\n</think>\nmouse 0.5 0.5 1")
    task.steps.append(Step(2, "Carried out.", frame(2)))
    text = str(registry.create("kvm").messages("prompt", task, 3)[2].parts)
    assert "secret" not in text
    assert "mouse 0.5 0.5 1" in text


def test_a_reply_of_reasoning_alone_is_not_an_empty_turn() -> None:
    task, *_ = growing(1)
    task.steps[0].reply = Reply("", reasoning="hm")
    task.steps.append(Step(2, "Not understood.", frame(2)))
    for name in NAMES:
        (said,) = registry.create(name).messages("prompt", task, 3)[2].parts
        assert isinstance(said, str)
        assert said.strip()


def long_task(told: dict[int, str], replies: dict[int, str], dialect: str) -> Task:
    *_, task = growing(12)
    for number, words in told.items():
        task.steps[number].user_words = (words,)
    for number, text in replies.items():
        step = task.steps[number]
        step.reply = Reply(text)
        step.parsed = create(dialect).parse(step.reply, (1280, 720))
        step.notes = step.parsed.notes
    return task


def test_notes_and_user_messages_survive_dropped_steps() -> None:
    note = "#! the code is 4711\nmouse 0.5 0.5 1"
    task = long_task({2: "never close the mail"}, {1: note, 3: "#! and 12\nsleep 1"}, "kvm")
    task.omitted_steps = 6
    messages = create("kvm").messages("the prompt", task, 3)
    first = [part for part in messages[1].parts if isinstance(part, str)]
    assert first[:4] == [
        "set the DNS server",
        "(6 earlier steps are left out here.)",
        "What you noted in them:\n- the code is 4711\n- and 12",
        "The person says: never close the mail",
    ]
    text = str(flat(messages))
    assert "outcome of step 5" not in text
    assert "outcome of step 6" in text
    assert [message.role for message in messages[1:]] == [*["user", "assistant"] * 5, "user"]


def test_images_of_the_person_stay_with_their_words() -> None:
    task = long_task({2: "like this", 8: "and this"}, {}, "kvm")
    task.references = [replace(frame(0), name="goal.png")]
    task.steps[2].references = (replace(frame(0), name="old.png"),)
    task.steps[8].references = (replace(frame(0), name="new.png"),)
    task.omitted_steps = 6
    messages = create("kvm").messages("the prompt", task, 1)
    images = [[part for part in turn.parts if isinstance(part, Frame)] for turn in messages]
    named = [[image.name for image in turn] for turn in images if turn]
    assert named == [["goal.png", "old.png"], ["new.png"], [""]]
    assert "The person says: like this" in messages[1].parts


def test_glm_memory_entries_are_kept_once() -> None:
    call = "<|begin_of_box|>left_click(start_box='[1,2]')<|end_of_box|>\nMemory:\n"
    first = call + '[{"code": 4711}]'
    task = long_task({}, {1: first, 2: call + '[{"code": 4711}, {"name": "张"}]'}, "glm_v")
    task.omitted_steps = 4
    words = create("glm_v").messages("the prompt", task, 3)[1].parts
    assert 'What you noted in them:\n- {"code": 4711}\n- {"name": "张"}' in words


@pytest.mark.parametrize("name", NAMES)
@given(forgotten=st.integers(0, 11), keep=keeps)
def test_any_history_that_is_cut_begins_with_the_goal_and_ends_with_the_screen(
    name: str, forgotten: int, keep: int
) -> None:
    *_, task = growing(12)
    task.omitted_steps = forgotten
    messages = registry.create(name).messages("the prompt", task, keep)
    assert messages[1].parts[0] == "set the DNS server"
    assert frames(messages)[-1] == 12
    assert len(messages) == 2 * (12 - forgotten)


PART = Area(left=0.25, top=0.1, right=0.5, bottom=0.3)


@given(st.lists(st.booleans(), min_size=1, max_size=30), keeps)
def test_zooms_count_as_screenshots_and_only_grow_between_drops(
    closer: list[bool], keep: int
) -> None:
    task, held = Task(goal="read it"), 0
    before: list[object] = []
    for number, wants in enumerate(closer, 1):
        if task.steps:
            task.steps[-1].reply = Reply("sleep 1")
        part = Frame(b"part", 640, 360, 1000 + number, 0.0, area=PART) if wants else None
        task.steps.append(Step(number, "", frame(number), zoomed=part))
        request = create("kvm").messages("prompt", task, keep)
        sent, now = frames(request), flat(request)
        assert 1 <= len(sent) <= keep
        assert sent[-1] == (1000 + number if wants else number)
        if len(sent) > held:
            assert now[: len(before)] == before
        before, held = now, len(sent)


def test_a_zoom_is_described_in_fractions_of_the_screen() -> None:
    task, *_ = growing(1)
    part = Frame(b"part", 640, 360, 7, 0.0, area=PART)
    task.steps[0].zoomed = part
    *_, words, last = create("opencua").messages("prompt", task, 3)[-1].parts
    assert last is part
    assert str(words).startswith("The part that you wanted to see, enlarged: from 25% to 50% of")
    assert [p for p in create("kvm").messages("prompt", task, 1)[-1].parts if p is PLACEHOLDER]
