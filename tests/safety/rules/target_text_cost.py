"""Cost of reading what is clicked: `python -m tests.safety.rules.target_text_cost`.

On the simulated computer, everything that can be clicked in a few of its windows is read once as
the gate does it; the process is loaded before.
"""

from __future__ import annotations

import asyncio
import statistics
import time

from cua.evaluation.testbed import open_computer
from cua.kvms.simulated_computer import SimulatedComputer
from cua.safety.rules import RiskRules
from cua.safety.target_text import TargetText
from cua.screen.ocr.client import OcrClient
from cua.types import Click

from .confirmation_dialog import SIZE, Asked

WINDOWS = ("Notepad", "Network", "Files", "Browser", "Terminal")


async def main() -> None:
    ocr = OcrClient()
    target_text = TargetText(ocr, lambda: True, timeout_s=60.0)
    took: list[float] = []
    labelled = 0
    questions: list[str] = []
    for name in WINDOWS:
        start = {"open": [{"program": name, "rect": [300, 80, 800, 540]}]}
        async with open_computer(SimulatedComputer, SIZE, start, lambda w, h: (w, h)) as there:
            await asyncio.sleep(1)
            frame = await there.screen.take_screenshot(there.inputs.last_report_at, 0.3, 3.0)
            for text, at in (await Asked(there).places()).items():
                click = Click(at=at)
                if not took:
                    await target_text.read(frame, click)
                begun = time.perf_counter()
                words = await target_text.read(frame, click)
                took.append(1000 * (time.perf_counter() - begun))
                labelled += text.lower() in words.label.lower()
                risk = RiskRules().find_risk(click, words)
                questions += [f"{name}: {text} ({risk.rule})"] if risk else []
    await ocr.aclose()
    took.sort()
    print(f"{len(took)} places to click, {labelled} of them read with their own words")
    print(
        f"a click: median {statistics.median(took):.0f} ms, 99 % {took[-len(took) // 100]:.0f} ms"
    )
    print(f"asked about: {len(questions)}", *questions, sep="\n  ")


if __name__ == "__main__":
    asyncio.run(main())
