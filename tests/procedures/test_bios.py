"""A BIOS setup with keys alone: by the procedure in the README, and by one made from a task."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from cua.evaluation.environments import SIMULATED
from cua.evaluation.task import select_tasks
from cua.procedures.procedure import Procedure, read, write
from cua.screen.ocr.client import OcrClient
from tests.evaluation import replays

README = Path(__file__).parents[2] / "cua" / "procedures" / "README.md"
[SHORT] = select_tasks("bios/usb", SIMULATED.tasks)
TASK = replace(SHORT, start={"boot": True, "post": 120})
"""Long enough for the OCR of a busy machine: its first reading takes seconds."""

pytest.importorskip("rapidocr")
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def ocr() -> AsyncIterator[OcrClient]:
    client = OcrClient()
    yield client
    await client.aclose()


def example() -> Procedure:
    found = re.search(r"```yaml\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert found
    return read(found[1])


async def test_the_example_sets_the_boot_device_and_sees_it_after_the_restart(
    ocr: OcrClient,
) -> None:
    run = await replays.do_again(example(), TASK, 1, ocr.read)
    assert (run.ending, run.is_done, run.tokens) == ("done", True, 0), run.reason


@pytest.mark.slow
async def test_what_was_done_once_is_done_again(ocr: OcrClient) -> None:
    once = await replays.do_once(TASK, 1)
    made = read(write(await replays.make("boot from USB", once, ocr.read)))
    again = await replays.do_again(made, TASK, 2, ocr.read)
    assert (again.ending, again.is_done, again.tokens) == ("done", True, 0), again.reason
    assert again.touched == once.touched
