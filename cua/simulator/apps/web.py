"""The pages of the simulated web, one per address; `web.yaml` has lines "KIND TEXT | TARGET".

"banner", "heading", "text" and "note" are words, "link" goes to the address TARGET, "search" is the
search box, "download" a button that fetches the file TARGET.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

HOME = "start.home"
PRODUCTS = "espressif.com/products"
SEARCH = "search.home/?q="


class Block(NamedTuple):
    kind: str
    text: str
    target: str


class Page(NamedTuple):
    title: str
    blocks: list[Block]


def _read_page(title: str, lines: str) -> Page:
    blocks = []
    for line in lines.splitlines():
        kind, _, rest = line.partition(" ")
        text, _, target = rest.partition(" | ")
        blocks.append(Block(kind, text, target))
    return Page(title, blocks)


@cache
def read_pages() -> dict[str, Page]:
    pages = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
    chips, product, sheet = (pages.pop(name) for name in ("chips", "product", "datasheet"))
    for chip, about in chips.items():
        address = chip.lower()
        file = f"{address.replace('-', '')}_datasheet.pdf"
        words = {"chip": chip, "about": about, "address": address, "file": file}
        pages[PRODUCTS]["lines"] += product.format(**words)
        pages[f"espressif.com/{address}"] = {
            key: text.format(**words) for key, text in sheet.items()
        }
    return {address: _read_page(**page) for address, page in pages.items()}


def find_page(address: str) -> Page:
    """Return the page at this address, or a search for the words."""
    address = re.sub(r"^(https?://)?(www\.)?", "", address).rstrip("/")
    return read_pages().get(address) or _search(address.removeprefix(SEARCH))


def _search(words: str) -> Page:
    found = []
    for address, page in read_pages().items():
        text = " ".join([page.title, *(block.text for block in page.blocks)]).lower()
        if all(word in text for word in words.lower().split()):
            found += [Block("link", page.title, address), Block("note", address, "")]
    count = f"{len(found) // 2} results for {words}"
    head = [Block("search", words, ""), Block("heading", count, "")]
    return Page("Search", [*head, *found, Block("link", "Home", HOME)])
