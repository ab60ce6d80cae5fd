"""The real OCR on drawn screens, in its own process, and how a call of it ends early."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time

import pytest
from PIL import ImageDraw

from cua.models.local.local_operator import LocalOperator
from cua.screen.ocr.client import READER, OcrClient
from cua.screen.ocr.labels import is_icon
from cua.screen.ocr.matching import find, find_field
from cua.screen.ocr.process import HEAD
from cua.types import Frame, MissingExtra, ModelError, Outcome, Reply, Step, Task
from tests.models.local.drawn import font, form, frame

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_texts_and_fields_of_a_form(local_operator: LocalOperator) -> None:
    look = await local_operator._ocr.read(frame(form()))
    texts = [seen.text for seen in look.lines]
    wanted = ["Browser", "Network settings", "Preferred DNS", "192.168.1.1", "Cancel", "Save"]
    assert [text for text in wanted if text in texts] == wanted
    [label] = find(look, ["Alternate DNS"])
    field = find_field(look, label)
    assert field
    assert abs(field.left - 520) < 6
    assert abs(field.bottom - 288) < 6
    [save], [browser] = find(look, ["Save"]), find(look, ["Browser"])
    assert look.frame_of(save)
    assert abs(save.box.middle[0] - 770) < 12
    assert is_icon(look, browser)
    assert not is_icon(look, save)


async def test_a_low_field_is_one_however_it_is_filled(local_operator: LocalOperator) -> None:
    """Tall letters reach from edge to edge; they must not cut it into pieces."""
    image = form()
    draw = ImageDraw.Draw(image)
    draw.text((320, 380), "Name", "black", font())
    draw.rectangle((380, 379, 600, 400), "white", "#777777")
    draw.text((384, 379), "Bill Hill {llama}", "black", font())
    look = await local_operator._ocr.read(frame(image))
    [label] = find(look, ["Name"])
    field = find_field(look, label)
    assert field
    assert (abs(field.left - 380) < 8, abs(field.right - 600) < 8) == (True, True), field


async def ask(operator: LocalOperator, goal: str, picture: Frame) -> Reply:
    """Return its first reply to a new task."""
    await operator.begin(Task(goal, [Step(1, "", picture)]))
    return await operator.complete([])


async def test_a_reply_to_a_real_picture(local_operator: LocalOperator) -> None:
    task = Task('type "8.8.8.8" into "Preferred DNS", click Save', [Step(1, "", frame(form()))])
    await local_operator.begin(task)
    reply = await local_operator.complete([])
    click, select, typing = reply.text.splitlines()[-3:]
    x, y = (float(word) for word in click.split()[1:3])
    assert 520 < x * 1280 < 760
    assert 190 < y * 720 < 230
    assert (select, typing) == ("keyboard CTRL+A", "typestr 8.8.8.8")
    assert (reply.tokens_in, reply.tokens_out, reply.calls) == (0, 0, ())
    task.steps[0].reply, task.steps[0].outcome = reply, Outcome("executed", "")
    task.steps.append(Step(2, "", frame(form("8.8.8.8"), 2)))
    after = await local_operator.complete([])
    assert after.text.startswith("# [2/2] click “Save”: ")


async def test_a_window_that_moved_is_clicked_where_it_is(local_operator: LocalOperator) -> None:
    places = []
    for number, left in enumerate((100, 500)):
        reply = await ask(local_operator, "click Save", frame(form(left=left), number))
        places.append(float(reply.text.splitlines()[-1].split()[1]) * 1280)
    assert abs(places[1] - places[0] - 400) < 12


async def test_cancelling_returns_at_once_and_reading_goes_on(
    local_operator: LocalOperator,
) -> None:
    picture = frame(form("10.1.2.3"))
    call = asyncio.create_task(ask(local_operator, "click Save", picture))
    await asyncio.sleep(0.05)
    began = time.monotonic()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert time.monotonic() - began < 1
    reply = await ask(local_operator, "click Save", picture)
    assert "“Save” is " in reply.text


async def test_the_event_loop_is_free_meanwhile(local_operator: LocalOperator) -> None:
    """The OCR takes about a second of computing; not one in ten pauses may be long."""
    call = asyncio.create_task(ask(local_operator, "click Save", frame(form("10.9.8.7"))))
    pauses = []
    while not call.done():
        began = time.monotonic()
        await asyncio.sleep(0.001)
        pauses.append(time.monotonic() - began)
    assert len(pauses) > 10
    assert sorted(pauses)[len(pauses) * 9 // 10] < 0.05


async def test_a_broken_picture(local_operator: LocalOperator) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        await local_operator._ocr.read(Frame(b"no picture", 10, 10, 1, 0.0))
    assert await local_operator._ocr.read(frame(form()))


async def test_the_end_of_the_process_is_reported() -> None:
    own = OcrClient(command=("sh", "-c", "exit 3"))
    for _ in range(2):  # it is started again for the next look
        with pytest.raises(ModelError, match=r"ended \(exit code 3\)"):
            await own.read(frame(form()))


async def test_missing_packages_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)  # as if it were not installed
    with pytest.raises(MissingExtra, match="install --with local"):
        await OcrClient().read(frame(form()))


async def test_closing_ends_the_process() -> None:
    own = OcrClient()
    await own.read(frame(form()))
    assert own._process
    pid = own._process.pid
    await own.aclose()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_the_process_ends_in_silence_when_the_service_was_killed() -> None:
    unread, answers = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *READER, stdin=asyncio.subprocess.PIPE, stdout=answers, stderr=asyncio.subprocess.PIPE
    )
    os.close(answers)
    os.close(unread)
    picture = frame(form()).jpeg
    _, said = await process.communicate(HEAD.pack(len(picture), 0, 0, 0, 0) + picture)
    assert (said.decode(), process.returncode) == ("", -signal.SIGPIPE)
