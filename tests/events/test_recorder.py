"""The run log: what is in it, that it survives and stays small, and that no secret is in it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import math
import shutil
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from cua.events.archive import EVENTS_FILE, Archive, next_folder
from cua.events.log import Event, EventLog
from cua.events.recorder import Recorder
from cua.messages import Message
from cua.safety.secrets import SecretStore
from cua.timeouts import cancel_and_wait, within
from cua.web import history_export
from tests.support.fakes import PICTURE

FRAMES = "AB\u2028CD\u2029EF\x85GH\x1eIJ"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """One of 4 MB and 1000 files."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m,nr_inodes=1000", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk of its own wants root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def formatted(image: Path) -> Path:
    """Make `image` an empty ext4 file system of 8 MiB."""
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("mkfs.ext4 is missing")
    image.write_bytes(bytes(2**23))
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True)
    return image


@contextlib.contextmanager
def mounted(image: Path, place: Path) -> Iterator[Path]:
    """An ext4 file system in a file, which is written to only when a program asks for it."""
    place.mkdir()
    mount = ["mount", "-o", "loop,commit=300", str(image), str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a file needs root and a loop device")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def after_power_cut(image: Path, folder: Path) -> list[str]:
    """The kinds of events, and the screenshots, on a disk whose computer loses power now."""
    folder.mkdir()
    copy = folder / "copy"
    shutil.copy(image, copy)
    with mounted(copy, folder / "later") as disk:
        kinds = [each["kind"] for each in Archive(disk).events("000001")]
        return kinds + [path.name for path in disk.rglob("*.jpg")]


@contextlib.asynccontextmanager
async def recording(
    folder: Path, most: int = 10**8, kept: float = math.inf
) -> AsyncIterator[EventLog]:
    """A log that is recorded; all of it is on the disk afterwards."""
    warnings: list[str] = []
    log = EventLog(kept=kept)
    recorder = log.record = Recorder(folder, lambda: most, log.boot, warnings.append)
    log.listeners.append(recorder.queue_event)
    task = asyncio.create_task(recorder.run())
    yield log
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    log.append("warned", words=warnings)


def contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


def work(log: EventLog, goal: str, steps: int = 2, status: str = "done") -> None:
    log.append("task", text=goal)
    log.append("status", status="running")
    for number in range(1, steps + 1):
        log.append("frame", PICTURE, step=number)
        log.append("approval", id=number, words="Type 'x'")
        log.append("answered", id=number, answer="allowed")
    log.append("status", status=status)


def kept_pictures(folder: Path) -> list[bool]:
    """Of each frame of the only task: whether its screenshot can still be read."""
    archive = Archive(folder)
    (task,) = archive.tasks()
    frames = [each for each in archive.events(task.id) if each["kind"] == "frame"]
    return [archive.picture(task.id, each["picture"]) == PICTURE for each in frames]


def work_kinds(steps: int) -> list[str]:
    log = EventLog()
    work(log, "", steps)
    return [event.kind for event in log.in_memory_since(0)]


async def test_a_task_is_read_back_whole_with_its_pictures(tmp_path: Path) -> None:
    async with recording(tmp_path) as log:
        log.append("session_started", model="a model", demo=False)
        work(log, "set the clock")
        log.append("connection", who="192.168.1.9")
    archive = Archive(tmp_path)
    (task,) = archive.tasks()
    assert (task.goal, task.steps, task.ended, task.model) == (
        "set the clock",
        2,
        "done",
        "a model",
    )
    events = archive.events(task.id)
    assert [each["kind"] for each in events[:3]] == ["session_started", "task", "status"]
    assert [each["seq"] for each in events[1:]] == list(range(2, 2 + len(events) - 1))
    assert all(each["mono"] > 0 and each["at"] > 0 for each in events)
    named = [each["picture"] for each in events if "picture" in each]
    assert [archive.picture(task.id, name) for name in named] == [PICTURE, PICTURE]
    assert events[-1]["data"] == {"who": "192.168.1.9"}


async def test_what_the_person_attached_is_not_how_the_screen_looked(tmp_path: Path) -> None:
    async with recording(tmp_path) as log:
        log.append("task", text="look")
        log.append("file", PICTURE, name="cat.png")
        await all_written(log)
        (task,) = Archive(tmp_path).tasks()
        assert task.picture == ""
        log.append("frame", PICTURE, step=1)
        log.append("said", text="and this")
        log.append("file", PICTURE, name="dog.png")
    (task,) = Archive(tmp_path).tasks()
    assert task.picture == "3.jpg"


async def test_a_failure_before_a_plan_costs_once(tmp_path: Path) -> None:
    """The proposal of a plan names the cost of all before it."""
    async with recording(tmp_path) as log:
        log.append("task", text="look")
        log.append("failed", text="Empty.", tokens=400, cost=0.25)
        log.append("plan", items=["Look"], approved=False, tokens=1000, cost=0.75)
        log.append("plan", items=["Look"], approved=True)
        log.append("reply", step=1, cost=1.0)
        log.append("failed", text="Empty.", tokens=400, cost=0.25)
    (task,) = Archive(tmp_path).tasks()
    assert task.spent == 2.0


async def test_a_task_has_worked_for_the_time_in_which_it_was_running(tmp_path: Path) -> None:
    facts = [
        ("task", 10.0, {"text": "set the clock"}),
        ("status", 11.0, {"status": "running"}),
        ("status", 15.0, {"status": "paused"}),
        ("status", 100.0, {"status": "running"}),
        ("approval", 101.0, {}),
        ("answered", 161.0, {}),
        ("status", 162.5, {"status": "done"}),
        ("connection", 200.0, {}),
    ]
    recorder = Recorder(tmp_path, lambda: 10**8, "boot", print)
    for seq, (kind, mono, data) in enumerate(facts, 1):
        recorder.queue_event(Event(seq, 0.0, kind, data, mono=mono))
    task = asyncio.create_task(recorder.run())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    (recorded,) = Archive(tmp_path).tasks()
    assert (recorded.seconds, recorded.ended) == (7.5, "done")


async def followed(log: EventLog, after: int, last: int) -> list[Event]:
    """What a page is told that has seen the events up to `after`."""
    told = []
    async for _, event in log.subscribe(f"{log.boot}:{after}", transient=True):
        told.append(event)
        if event.seq == last:
            break
    return told


async def all_written(log: EventLog) -> None:
    async with within(30):
        assert log.record
        while log.record.reached < log.in_memory_since(0)[-1].seq:
            await asyncio.sleep(0.01)


async def test_events_that_left_memory_come_back_from_the_record(tmp_path: Path) -> None:
    """In order, each once, those of an earlier process not among them, with their screenshots."""
    async with recording(tmp_path) as log:
        work(log, "of an earlier process")
    async with recording(tmp_path, kept=4_000) as log:
        log.append("session_started", model="m")
        for goal in ("one", "two", "three"):
            work(log, goal, steps=10)
            told = await followed(
                log, 0, log.in_memory_since(0)[-1].seq
            )  # while it is still written
            assert [event.seq for event in told] == list(range(1, told[-1].seq + 1))
            await all_written(log)
        begun = next_folder(tmp_path)
        begun.mkdir()
        (begun / EVENTS_FILE).touch()  # it has no line yet
        log.append("connection", who="a page")
        last = log.in_memory_since(0)[-1].seq
        assert log.in_memory_since(0)[0].seq > last / 2
        for start in (0, 1, last // 3):
            told = await followed(log, start, last)
            assert [event.seq for event in told] == list(range(start + 1, last + 1))
        assert await log.picture(4) == PICTURE
        assert next(event.picture for event in told if event.kind == "frame") is not None
        log.clear()
        log.append("reset")
        assert [event.kind for event in await followed(log, 0, last + 1)] == ["reset"]
        assert await log.picture(4) is None


async def test_events_lost_by_the_record_too_are_reported(tmp_path: Path) -> None:
    async with recording(tmp_path, kept=4_000) as log:
        for goal in ("one", "two", "three"):
            work(log, goal, steps=10)
            await all_written(log)
        log.append("connection", who="a page")
        shutil.rmtree(tmp_path / "000001")
        told = await followed(log, 0, log.in_memory_since(0)[-1].seq)
    assert told[0].data["text"] == Message("events.lost", count=33)
    assert [event.seq for event in told[1:]] == list(range(34, told[-1].seq + 1))


async def test_less_room_for_the_record_is_made_with_the_next_event(tmp_path: Path) -> None:
    log, room = EventLog(), [10**8]
    recorder = log.record = Recorder(tmp_path, lambda: room[0], log.boot, print)
    log.listeners.append(recorder.queue_event)
    task = asyncio.create_task(recorder.run())
    for goal in ("one", "two"):
        work(log, goal, steps=5)
    await all_written(log)
    room[0] = len(PICTURE) * 7
    log.append("settings", changed=["record_mb"])
    await all_written(log)
    assert [each.goal for each in Archive(tmp_path).tasks()] == ["two"]
    room[0] = 0
    log.append("settings", changed=["record_mb"])
    await all_written(log)
    assert kept_pictures(tmp_path) == [False] * 4 + [True]
    task.cancel()
    await asyncio.wait([task])


async def test_tasks_of_earlier_processes_stay_and_are_numbered_on(tmp_path: Path) -> None:
    for goal in ("one", "two"):
        async with recording(tmp_path) as log:
            log.append("session_started", model="m", demo=True)
            work(log, goal, status="failed")
    assert [each.goal for each in Archive(tmp_path).tasks()] == ["two", "one"]


async def test_a_line_that_a_crash_cut_off_is_left_out(tmp_path: Path) -> None:
    async with recording(tmp_path) as log:
        work(log, "one")
    archive = Archive(tmp_path)
    (task,) = archive.tasks()
    file = tmp_path / task.id / EVENTS_FILE
    whole = archive.events(task.id)
    file.write_bytes(file.read_bytes()[:-5])
    assert archive.events(task.id) == whole[:-1]
    assert archive.tasks()[0].ended == "running"


async def test_an_old_record_with_a_number_that_is_none_is_exported_as_json(tmp_path: Path) -> None:
    async with recording(tmp_path) as log:
        work(log, "one")
    archive = Archive(tmp_path)
    (task,) = archive.tasks()
    with (tmp_path / task.id / EVENTS_FILE).open("a") as file:
        file.write('{"seq": 99, "kind": "reply", "data": {"time": NaN}}\n')
    whole = json.loads(
        history_export.as_json(archive.events(task.id), archive, task.id), parse_constant=int
    )
    assert whole["events"][-1]["data"] == {"time": "NaN"}


async def test_no_character_splits_a_line(tmp_path: Path) -> None:
    async with recording(tmp_path) as log:
        work(log, FRAMES)
        log.append("reply", text=FRAMES)
    archive = Archive(tmp_path)
    (task,) = archive.tasks()
    assert task.goal == FRAMES
    assert archive.events(task.id)[-1]["data"]["text"] == FRAMES


async def test_a_full_disk_costs_the_oldest_tasks_and_leaves_room_for_the_settings(
    small_disk: Path,
) -> None:
    async with recording(small_disk / "record") as log:
        for number in range(60):
            work(log, f"task {number}", steps=3)
            log.append("reply", text="y" * 60_000)
    assert log.in_memory_since(0)[-1].data["words"] == []
    assert shutil.disk_usage(small_disk).free > 1_000_000
    archive = Archive(small_disk / "record")
    goals = [each.goal for each in archive.tasks()]
    assert goals[0] == "task 59"
    assert "task 0" not in goals
    assert len(archive.events(archive.tasks()[0].id)) == len(work_kinds(3)) + 1


async def test_an_event_that_does_not_fit_loses_no_other(small_disk: Path) -> None:
    async with recording(small_disk / "record") as log:
        work(log, "one")
        await all_written(log)
        others = small_disk / "others"
        others.write_bytes(bytes(shutil.disk_usage(small_disk).free - 30_000))
        log.append("reply", text="y" * 60_000)
        await all_written(log)
        others.unlink()
        log.append("reply", text="after it")
    (words,) = log.in_memory_since(0)[-1].data["words"]
    assert "No space left" in words
    (task,) = Archive(small_disk / "record").tasks()
    assert Archive(small_disk / "record").events(task.id)[-1]["data"]["text"] == "after it"


def fill(disk: Path) -> Path:
    """A foreign file of the greatest size."""
    others = disk / "others"
    with others.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    return others


async def test_a_disk_that_others_fill_costs_the_oldest_tasks_and_no_line(small_disk: Path) -> None:
    async with recording(small_disk / "record") as log:
        for goal in ("one", "two", "three"):
            log.append("task", text=goal)
            log.append("frame", bytes(200_000), step=1)
        await all_written(log)
        fill(small_disk)
        for number in range(5):
            log.append("approval", id=number, words="y" * 20_000)
    assert log.in_memory_since(0)[-1].data["words"] == []
    archive = Archive(small_disk / "record")
    (task,) = archive.tasks()
    assert task.goal == "three"
    assert [each["kind"] for each in archive.events(task.id)] == [
        "task",
        "frame",
        *["approval"] * 5,
    ]


async def test_a_line_is_kept_without_a_picture_that_does_not_fit(small_disk: Path) -> None:
    async with recording(small_disk / "record") as log:
        log.append("task", text="one")
        await all_written(log)
        with fill(small_disk).open("r+b") as others:
            others.truncate(others.seek(0, 2) - 40_000)
        for number in range(3):
            log.append("frame", bytes(100_000), step=number)
    (words,) = log.in_memory_since(0)[-1].data["words"]
    assert "No space left" in words
    archive = Archive(small_disk / "record")
    events = archive.events(archive.tasks()[0].id)
    assert [each["data"]["step"] for each in events if each["kind"] == "frame"] == [0, 1, 2]
    assert not any("picture" in each for each in events)
    assert archive.tasks()[0].incomplete


async def test_a_task_whose_folder_could_not_be_made_is_recorded_later(small_disk: Path) -> None:
    async with recording(small_disk / "record") as log:
        log.append("session_started", model="m")
        work(log, "one")
        await all_written(log)
        others = small_disk / "others"
        others.mkdir()
        with contextlib.suppress(OSError):  # as many as the disk takes
            for number in range(2000):
                (others / str(number)).touch()
        log.append("task", text="two")
        log.append("log", text="lost")
        await all_written(log)
        shutil.rmtree(others)
        log.append("status", status="done")
    archive = Archive(small_disk / "record")
    two, one = archive.tasks()
    assert (two.goal, two.ended, two.model, one.goal) == ("two", "done", "m", "one")
    kinds = [each["kind"] for each in archive.events(two.id)]
    assert kinds == ["session_started", "task", "status"]
    assert (two.incomplete, one.incomplete) == (True, False)
    assert len(archive.events(one.id)) == 1 + len(work_kinds(2))


async def test_foreign_files_among_the_pictures_do_no_harm(tmp_path: Path) -> None:
    async with recording(tmp_path, len(PICTURE) * 6) as log:
        log.append("task", text="long")
        await all_written(log)
        (tmp_path / "000001" / "3 (copy).jpg").write_bytes(b"theirs")
        (tmp_path / "000001" / "0.jpg").mkdir()
        for step in range(30):
            log.append("frame", PICTURE, step=step)
    assert log.in_memory_since(0)[-1].data["words"] == []
    assert len(Archive(tmp_path).events("000001")) == 31
    assert (tmp_path / "000001" / "3 (copy).jpg").read_bytes() == b"theirs"


async def test_an_event_that_cannot_be_recorded_is_reported_and_loses_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with recording(tmp_path) as log:
        log.append("task", text="one")
        log.append("log", text={1, 2})
        await all_written(log)
        log.append("status", status="done")
        log.append("task", text="two")
    (words,) = log.in_memory_since(0)[-1].data["words"]
    assert "TypeError" in words
    assert "an event could not be recorded" in caplog.text
    assert [each.incomplete for each in Archive(tmp_path).tasks()] == [False, True]
    assert [each["kind"] for each in Archive(tmp_path).events("000001")] == ["task", "status"]


async def test_the_oldest_tasks_make_room_and_the_newest_stay(tmp_path: Path) -> None:
    most = len(PICTURE) * 10
    async with recording(tmp_path, most) as log:
        for number in range(13):  # room is made for every one from the fourth on
            work(log, f"task {number}", steps=3)
    assert sum(map(len, contents(tmp_path))) <= most
    goals = [each.goal for each in Archive(tmp_path).tasks()]
    assert goals == ["task 12", "task 11", "task 10"]


async def test_questions_answers_and_endings_survive_a_power_cut(tmp_path: Path) -> None:
    image = formatted(tmp_path / "image")
    kinds = ["task", "said", "approval", "answered", "question", "status", "done", "failed"]
    with mounted(image, tmp_path / "disk") as disk:
        async with recording(disk) as log:
            for count, kind in enumerate(kinds, 1):
                log.append(kind, text="x")
                await all_written(log)
                assert after_power_cut(image, tmp_path / kind) == kinds[:count]
            log.append("frame", PICTURE, step=1)  # not synced, to spare flash memory
            await all_written(log)
            assert after_power_cut(image, tmp_path / "frame") == kinds


async def test_one_long_task_loses_its_oldest_pictures_and_no_line(tmp_path: Path) -> None:
    most = len(PICTURE) * 6
    async with recording(tmp_path, most) as log:
        log.append("task", text="long")
        for step in range(30):
            log.append("frame", PICTURE, step=step)
            await all_written(log)
            assert sum(map(len, contents(tmp_path))) < most + len(PICTURE) + 500
    kept = kept_pictures(tmp_path)
    assert len(kept) == 30
    assert kept == sorted(kept)
    assert 4 <= sum(kept) <= 7


async def test_records_of_earlier_processes_count_and_make_room(tmp_path: Path) -> None:
    for goal in ("one", "two"):
        async with recording(tmp_path) as log:
            work(log, goal, steps=8)
    most = len(PICTURE) * 6
    async with recording(tmp_path, most) as log:
        work(log, "three")
    assert [each.goal for each in Archive(tmp_path).tasks()] == ["three"]
    assert sum(map(len, contents(tmp_path))) <= most


async def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    for theirs in ("2023", "20231101", "000001", "photos"):
        (tmp_path / theirs).mkdir()
        (tmp_path / theirs / "1.jpg").write_bytes(b"dear" * len(PICTURE))
    (tmp_path / "2023" / EVENTS_FILE).write_text('{"kind": "theirs"}')
    before = contents(tmp_path)
    for _ in range(2):
        async with recording(tmp_path, len(PICTURE) * 4) as log:
            work(log, "one")
            work(log, "two")
    assert sorted(before) == sorted(each for each in contents(tmp_path) if each in before)
    archive = Archive(tmp_path)
    assert [each.goal for each in archive.tasks()] == ["two"]
    assert archive.picture("2023", "1.jpg") is None
    assert archive.events("2023") == []
    assert archive.events("000099") == []


async def test_records_are_readable_by_the_owner_only(tmp_path: Path) -> None:
    async with recording(tmp_path / "record") as log:
        work(log, "one")
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "record").rglob("*")}
    assert modes == {0o700, 0o600}


async def test_an_unwritable_folder_is_reported_once(
    tmp_path: Path,
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    async with recording(blocked / "record") as log:
        for number in range(3):
            log.append("log", text=str(number))
            await all_written(log)
    (words,) = log.in_memory_since(0)[-1].data["words"]
    assert words.startswith("What happens cannot be recorded in ")


@pytest.mark.parametrize("name", ["../1.jpg", "1.png", "events.jsonl", "1.jpg/..", "", "x.jpg"])
async def test_only_pictures_can_be_requested(tmp_path: Path, name: str) -> None:
    async with recording(tmp_path / "record") as log:
        work(log, "one")
    (tmp_path / "1.jpg").write_bytes(b"no")
    archive = Archive(tmp_path / "record")
    assert archive.picture("000001", name) is None
    for wrong in ("..", "../record/000001", "", "abc"):
        assert archive.events(wrong) == []
        assert archive.picture(wrong, "1.jpg") is None


async def test_no_secret_reaches_the_log_or_the_record(tmp_path: Path) -> None:
    secret_store = SecretStore(
        {"CUA_SECRET_WIFI": "hunter-2-canary"}, lambda: ["sk-key-canary", ""]
    )
    async with recording(tmp_path) as log:
        log.mask = secret_store.mask
        work(log, "type hunter-2-canary and sk-key-canary")
        log.append("reply", actions=[{"text": "hunter-2-canary", "keys": ("sk-key-canary",)}])
        log.send_transient("reply", text="half of hunter-2-canary")
    written = contents(tmp_path)
    assert written
    assert b"canary" not in b"".join(written)
    assert "canary" not in str(log.in_memory_since(0))
    assert "canary" not in str(log._transient)


@pytest.mark.parametrize("stall_s", [0.0, 0.5], ids=["soon", "late"])
async def test_a_fault_while_the_recorder_is_cancelled_is_reported(
    tmp_path: Path, stall_s: float
) -> None:
    writing, may_fail = threading.Event(), threading.Event()
    warnings: list[str] = []

    def max_bytes() -> int:
        writing.set()
        may_fail.wait(10)
        raise OSError(errno.EIO, "Input/output error")

    recorder = Recorder(tmp_path, max_bytes, "boot", warnings.append)
    task = asyncio.create_task(recorder.run())
    recorder.queue_event(Event(1, 0.0, "task", {"text": "set the clock"}))
    await asyncio.to_thread(writing.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_later(stall_s, may_fail.set)
    await cancel_and_wait(task)
    assert may_fail.is_set()
    assert task.cancelled()
    assert len(warnings) == 1
