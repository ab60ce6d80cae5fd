"""The pictures under *Beside others*: this page as it is now beside three others as they were.

The others' screenshots lie in `.readme/beside/`, taken by hand on the day that `.readme/README.md`
names; they are not taken again with ours, since their programs are no part of this repository.
"""

from __future__ import annotations

import base64
import html
import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

NAMES = {
    "ours": "This program",
    "nanokvm": "NanoKVM-Pro's, November 2025",
    "magentic": "MagenticLite 0.2.2",
    "cua": "Cua 0.9.1",
}
STYLE = """
body { margin: 0; padding: 16px; background: #e8eaf0; font: 18px/1.3 "DejaVu Sans", sans-serif }
main { display: grid; gap: 18px 16px; grid-template-columns: repeat(COLUMNS, WIDTHpx) }
figure { margin: 0 }
figcaption { margin-bottom: 6px; color: #1c2233 }
figure:first-child figcaption { font-weight: bold }
img { display: block; width: 100%; border-radius: 6px; box-shadow: 0 1px 5px #0004 }
"""


def compose(browser: Browser, folder: Path) -> None:
    """`beside.webp` and `beside-phone.webp` in the folder, of ours that was just put there."""
    others = folder / "beside"
    desks = [folder / "desktop.webp", *(others / f"{name}-desk.webp" for name in list(NAMES)[1:])]
    phones = [folder / "phone.webp", *(others / f"{name}-phone.webp" for name in list(NAMES)[1:])]
    _sheet(browser, desks, 2, 800, folder / "beside.webp")
    _sheet(browser, phones, 4, 390, folder / "beside-phone.webp")


def _sheet(browser: Browser, shots: list[Path], columns: int, width: int, target: Path) -> None:
    style = STYLE.replace("COLUMNS", str(columns)).replace("WIDTH", str(width))
    figures = "".join(map(_figure, NAMES.values(), shots))
    side = columns * width + 16 * (columns + 1)
    page = browser.new_page(viewport={"width": side, "height": 400})
    page.set_content(f"<style>{style}</style><main>{figures}</main>")
    picture = Image.open(io.BytesIO(page.screenshot(full_page=True)))
    page.close()
    picture.convert("RGB").save(target, quality=80, method=6)


def _figure(name: str, shot: Path) -> str:
    kind = shot.suffix[1:]
    data = base64.b64encode(shot.read_bytes()).decode()
    source = f"data:image/{kind};base64,{data}"
    return f'<figure><figcaption>{html.escape(name)}</figcaption><img src="{source}"></figure>'
