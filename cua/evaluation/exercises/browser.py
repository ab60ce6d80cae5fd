"""Pages, links, addresses, searching and downloads."""

from __future__ import annotations

from ..exercise import Exercise, State, has, shows, window
from ..moves import click, double, press, scroll, write

BROWSER = {"open": [{"program": "Browser"}]}


def _at_the_end(state: State) -> bool:
    there = window(state, "Browser")
    return there.get("address") == "news.home" and there["scroll"] > 150


def _only_found(state: State) -> bool:
    return "robot" in str(window(state, "Browser").get("address", "")).lower()


EXERCISES = (
    Exercise(
        "browser/link",
        'click "Weather"',
        shows("Browser", address="weather.home"),
        (click("Weather", "Link"),),
        BROWSER,
    ),
    Exercise(
        "browser/news",
        'open Browser, click "Daily News"',
        shows("Browser", address="news.home"),
        (double("Browser", "Icon"), click("Daily News", "Link")),
    ),
    Exercise(
        "browser/address",
        "go to weather.home",
        shows("Browser", address="weather.home"),
        (
            *press("CTRL+L", on="Browser"),
            write("weather.home", "Browser"),
            *press("ENTER", on="Browser"),
        ),
        BROWSER,
    ),
    Exercise(
        "browser/search",
        "Search the web for the word robot.",
        _only_found,
        (click("", "SearchBox"), write("robot", "Browser"), *press("ENTER", on="Browser")),
        BROWSER,
    ),
    Exercise(
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
    Exercise(
        "browser/home",
        'click "Weather", click "Home", click "Daily News"',
        shows("Browser", address="news.home"),
        (click("Weather", "Link"), click("Home", "Link"), click("Daily News", "Link")),
        BROWSER,
    ),
    Exercise(
        "browser/download",
        "download the esp32 datasheet",
        has("Downloads/esp32_datasheet.pdf"),
        (
            double("Browser", "Icon"),
            click("Espressif products", "Link"),
            click("ESP32 Datasheet", "Link"),
            click("Download PDF", "Button"),
        ),
    ),
    Exercise(
        "browser/far-down",
        "Get the datasheet of the ESP32-C6 from Espressif's products as a PDF.",
        has("Downloads/esp32c6_datasheet.pdf"),
        (
            click("Espressif products", "Link"),
            scroll("ESP32 Datasheet", "Link"),
            click("ESP32-C6 Datasheet", "Link"),
            click("Download PDF", "Button"),
        ),
        BROWSER,
    ),
    Exercise(
        "browser/to-folder",
        "Get the datasheet of the ESP32 as a PDF and show it in its folder.",
        lambda state: (
            has("Downloads/esp32_datasheet.pdf")(state)
            and shows("Files", folder="Downloads")(state)
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
