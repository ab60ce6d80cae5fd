"""The pages of the little web: plain data, one page per address.

A block is (kind, text, target): "banner", "heading", "text" and "note" are words, "link" goes to
the address `target`, "search" is the search box, "download" a button that fetches a file `target`.
"""

from __future__ import annotations

from typing import NamedTuple

HOME = "start.home"
SEARCH = "search.home/?q="
SHOP = "espressif.com/products"


class Block(NamedTuple):
    kind: str
    text: str
    target: str = ""


class Page(NamedTuple):
    title: str
    blocks: list[Block]


def _datasheet(chip: str, about: str) -> Page:
    file = f"{chip.lower().replace('-', '')}_datasheet.pdf"
    facts = [
        ("Processor", f"The {chip} has a 32-bit processor that runs at up to 240 MHz."),
        ("Memory", "520 KB of SRAM and 448 KB of ROM are on the chip."),
        ("Wireless", "2.4 GHz Wi-Fi and Bluetooth share one antenna."),
        ("Pins", "34 pins can be used for input and output; some only for input."),
        ("Power", "Deep sleep takes 10 uA. The supply is 3.0 to 3.6 V."),
        ("Temperature", "It works from -40 to 105 degrees."),
        ("Package", "It comes as QFN with 48 pins, 5 by 5 mm or 6 by 6 mm."),
    ]
    blocks = [
        Block("banner", f"{chip} Datasheet", about),
        Block("text", f"{file}, 64 pages, 1.2 MB"),
        Block("download", "Download PDF", file),
    ]
    for head, text in facts:
        blocks += [Block("heading", head), Block("text", text)]
    return Page(f"{chip} Datasheet", [*blocks, Block("link", "All products", SHOP)])


CHIPS = {
    "ESP32": "Dual core, Wi-Fi and Bluetooth",
    "ESP32-S3": "Dual core with vector instructions",
    "ESP32-C3": "Single RISC-V core, low cost",
    "ESP32-C6": "Wi-Fi 6 and Thread",
    "ESP32-H2": "Bluetooth and Thread, no Wi-Fi",
    "ESP8266": "The small one that started it",
}


def _address(chip: str) -> str:
    return f"espressif.com/{chip.lower()}"


def _products() -> Page:
    blocks = [
        Block("banner", "Espressif products", "Chips for connected things"),
        Block("text", "Choose a chip to read about it and to get its datasheet."),
    ]
    for chip, about in CHIPS.items():
        blocks += [
            Block("heading", f"{chip} series"),
            Block("text", about),
            Block("link", f"{chip} Datasheet", _address(chip)),
        ]
    return Page("Espressif products", blocks)


STORIES = (
    ("Library opens on Sundays", "From next month the city library is open seven days a week."),
    ("New bridge is ready", "The bridge over the river opens after two years of work."),
    ("Robot waters the park", "A small robot takes care of the flowers, and asks when in doubt."),
    ("Rain helps the farmers", "After a dry spring the fields are green again."),
    ("School builds a radio", "Pupils built a weather station with a microcontroller."),
    ("Trains run later", "The last train now leaves at half past midnight."),
)


def _news() -> Page:
    blocks = [Block("banner", "Daily News", "What happened in town")]
    for head, text in STORIES:
        blocks += [Block("heading", head), Block("text", text), Block("text", "")]
    blocks += [Block("note", "You have reached the end of the page."), Block("link", "Home", HOME)]
    return Page("Daily News", blocks)


PAGES: dict[str, Page] = {
    HOME: Page(
        "Start page",
        [
            Block("banner", "Good day!", "Where would you like to go?"),
            Block("search", "Search the web"),
            Block("heading", "Favourites"),
            Block("link", "Espressif products", SHOP),
            Block("link", "Daily News", "news.home"),
            Block("link", "Weather", "weather.home"),
        ],
    ),
    SHOP: _products(),
    "news.home": _news(),
    "weather.home": Page(
        "Weather",
        [
            Block("banner", "Weather", "Today and tomorrow"),
            Block("text", "Today: sunny, 21 degrees"),
            Block("text", "Tomorrow: rain, 16 degrees"),
            Block("link", "Home", HOME),
        ],
    ),
    **{_address(chip): _datasheet(chip, about) for chip, about in CHIPS.items()},
}


def page(address: str) -> Page:
    """The page at this address; words that are no address are searched for."""
    clean = (
        address.removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
    )
    if clean in PAGES:
        return PAGES[clean]
    return _results(clean.removeprefix(SEARCH))


def _results(words: str) -> Page:
    found = [
        (where, found)
        for where, found in PAGES.items()
        if all(word in _text(found) for word in words.lower().split())
    ]
    blocks = [Block("search", words), Block("heading", f"{len(found)} results for {words}")]
    for where, one in found:
        blocks += [Block("link", one.title, where), Block("note", where)]
    return Page("Search", [*blocks, Block("link", "Home", HOME)])


def _text(one: Page) -> str:
    return " ".join([one.title, *(block.text for block in one.blocks)]).lower()
