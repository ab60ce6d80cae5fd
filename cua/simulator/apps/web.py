"""The pages of the little web, one per address, written as lines of "KIND TEXT | TARGET".

"banner", "heading", "text" and "note" are words, "link" goes to the address TARGET, "search" is the
search box, "download" a button that fetches the file TARGET.
"""

from __future__ import annotations

import re
from typing import NamedTuple

HOME = "start.home"
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


CHIPS = {
    "ESP32": "Dual core, Wi-Fi and Bluetooth",
    "ESP32-S3": "Dual core with vector instructions",
    "ESP32-C3": "Single RISC-V core, low cost",
    "ESP32-C6": "Wi-Fi 6 and Thread",
    "ESP32-H2": "Bluetooth and Thread, no Wi-Fi",
    "ESP8266": "The small one that started it",
}
DATASHEET = """\
banner {chip} Datasheet | {about}
text {file}, 64 pages, 1.2 MB
download Download PDF | {file}
heading Processor
text The {chip} has a 32-bit processor that runs at up to 240 MHz.
heading Memory
text 520 KB of SRAM and 448 KB of ROM are on the chip.
heading Wireless
text 2.4 GHz Wi-Fi and Bluetooth share one antenna.
heading Pins
text 34 pins can be used for input and output; some only for input.
heading Power
text Deep sleep takes 10 uA. The supply is 3.0 to 3.6 V.
heading Temperature
text It works from -40 to 105 degrees.
heading Package
text It comes as QFN with 48 pins, 5 by 5 mm or 6 by 6 mm.
link All products | espressif.com/products
"""
PRODUCTS = """\
banner Espressif products | Chips for connected things
text Choose a chip to read about it and to get its datasheet.
"""
PRODUCT = """\
heading {chip} series
text {about}
link {chip} Datasheet | espressif.com/{address}
"""
NEWS = """\
banner Daily News | What happened in town
heading Library opens on Sundays
text From next month the city library is open seven days a week.
text
heading New bridge is ready
text The bridge over the river opens after two years of work.
text
heading Robot waters the park
text A small robot takes care of the flowers, and asks when in doubt.
text
heading Rain helps the farmers
text After a dry spring the fields are green again.
text
heading School builds a radio
text Pupils built a weather station with a microcontroller.
text
heading Trains run later
text The last train now leaves at half past midnight.
text
note You have reached the end of the page.
link Home | start.home
"""
START = """\
banner Good day! | Where would you like to go?
search Search the web
heading Favourites
link Espressif products | espressif.com/products
link Daily News | news.home
link Weather | weather.home
"""
WEATHER = """\
banner Weather | Today and tomorrow
text Today: sunny, 21 degrees
text Tomorrow: rain, 16 degrees
link Home | start.home
"""


def _read_pages() -> dict[str, Page]:
    products, datasheets = PRODUCTS, {}
    for chip, about in CHIPS.items():
        address = chip.lower()
        products += PRODUCT.format(chip=chip, about=about, address=address)
        file = f"{address.replace('-', '')}_datasheet.pdf"
        lines = DATASHEET.format(chip=chip, about=about, file=file)
        datasheets[f"espressif.com/{address}"] = _read_page(f"{chip} Datasheet", lines)
    return {
        HOME: _read_page("Start page", START),
        "espressif.com/products": _read_page("Espressif products", products),
        "news.home": _read_page("Daily News", NEWS),
        "weather.home": _read_page("Weather", WEATHER),
        **datasheets,
    }


PAGES = _read_pages()


def find_page(address: str) -> Page:
    """Return the page at this address, or a search for the words."""
    address = re.sub(r"^(https?://)?(www\.)?", "", address).rstrip("/")
    return PAGES.get(address) or _search(address.removeprefix(SEARCH))


def _search(words: str) -> Page:
    found = []
    for address, page in PAGES.items():
        text = " ".join([page.title, *(block.text for block in page.blocks)]).lower()
        if all(word in text for word in words.lower().split()):
            found += [Block("link", page.title, address), Block("note", address, "")]
    count = f"{len(found) // 2} results for {words}"
    head = [Block("search", words, ""), Block("heading", count, "")]
    return Page("Search", [*head, *found, Block("link", "Home", HOME)])
