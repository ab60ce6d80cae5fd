"""Pages, links, addresses, searching and downloads."""

from __future__ import annotations

from ..solution import click, double, press, scroll, write
from ..task import EvalTask, State, has_file, has_window, window

BROWSER = {"open": [{"program": "Browser"}]}


def _at_the_end(state: State) -> bool:
    there = window(state, "Browser")
    return there.get("address") == "news.home" and there["scroll"] > 150


def _only_found(state: State) -> bool:
    return "robot" in str(window(state, "Browser").get("address", "")).lower()


TASKS = (
    EvalTask(
        "browser/link",
        'click "Weather"',
        has_window("Browser", address="weather.home"),
        (click("Weather", "Link"),),
        BROWSER,
    ),
    EvalTask(
        "browser/news",
        'open Browser, click "Daily News"',
        has_window("Browser", address="news.home"),
        (double("Browser", "Icon"), click("Daily News", "Link")),
    ),
    EvalTask(
        "browser/address",
        "go to weather.home",
        has_window("Browser", address="weather.home"),
        (
            *press("CTRL+L", on="Browser"),
            write("weather.home", "Browser"),
            *press("ENTER", on="Browser"),
        ),
        BROWSER,
    ),
    EvalTask(
        "browser/search",
        "Search the web for the word robot.",
        _only_found,
        (click("", "SearchBox"), write("robot", "Browser"), *press("ENTER", on="Browser")),
        BROWSER,
    ),
    EvalTask(
        "browser/end",
        'click "Daily News", scroll until "end of the page"',
        _at_the_end,
        (
            click("Daily News", "Link"),
            scroll("Library opens on Sundays", "Label"),
            scroll("Browser"),
        ),
        BROWSER,
    ),
    EvalTask(
        "browser/home",
        'click "Weather", click "Home", click "Daily News"',
        has_window("Browser", address="news.home"),
        (click("Weather", "Link"), click("Home", "Link"), click("Daily News", "Link")),
        BROWSER,
    ),
    EvalTask(
        "browser/download",
        "download the esp32 datasheet",
        has_file("Downloads/esp32_datasheet.pdf"),
        (
            double("Browser", "Icon"),
            click("Espressif products", "Link"),
            click("ESP32 Datasheet", "Link"),
            click("Download PDF", "Button"),
        ),
    ),
    EvalTask(
        "browser/far-down",
        "Get the datasheet of the ESP32-C6 from Espressif's products as a PDF.",
        has_file("Downloads/esp32c6_datasheet.pdf"),
        (
            click("Espressif products", "Link"),
            scroll("ESP32 Datasheet", "Link"),
            click("ESP32-C6 Datasheet", "Link"),
            click("Download PDF", "Button"),
        ),
        BROWSER,
    ),
    EvalTask(
        "browser/to-folder",
        "Get the datasheet of the ESP32 as a PDF and show it in its folder.",
        lambda state: (
            has_file("Downloads/esp32_datasheet.pdf")(state)
            and has_window("Files", folder="Downloads")(state)
        ),
        (
            click("Espressif products", "Link"),
            click("ESP32 Datasheet", "Link"),
            click("Download PDF", "Button"),
            click("Show in folder", "Button"),
        ),
        BROWSER,
    ),
)
