"""Go through the page as users do: `python -m tests.proofs.flows [FLOW ...]`.

Every flow at each of the four sizes, on the demo, and on a stage where that cannot bring it about:
with touch where the size has it, in two languages, light and dark. A picture of each stage is left
in DIR/SIZE, and all of them in DIR/index.html. Ends with 1 if anything went wrong.
"""

from __future__ import annotations

import argparse
import html
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser
from playwright.sync_api import Error as BrowserError

from tests.page.test_first_run import state_address
from tests.servers.http import in_a_thread
from tests.servers.openai_server import OpenAIServer
from tests.support.browser import ARTIFACTS, DESKTOP, SIZES, agree, chromium, opened
from tests.support.page_views import Light, service

from . import (
    by_hand,
    elsewhere,
    first,
    past,
    procedures,
    settings,
    steering,
    tasks,
    watching,
)
from .model import replies
from .scene import LOOKS, Demo, Scene

Flow = Callable[[Scene], None]
Found = dict[tuple[str, str], list[str]]
PANELS = (first, by_hand, watching, steering, tasks, procedures, past, settings, elsewhere)
FLOWS: dict[str, Flow] = {flow.__name__: flow for panel in PANELS for flow in panel.FLOWS}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.proofs.flows")
    parser.add_argument("--out", type=Path, default=ARTIFACTS / "flows", metavar="DIR")
    parser.add_argument("--size", choices=SIZES, action="append")
    parser.add_argument("--turn", type=int, default=0, help="give each flow its next look, N times")
    parser.add_argument("flow", nargs="*", choices=[*FLOWS, []], metavar="FLOW")
    options = parser.parse_args()
    names, sizes = options.flow or list(FLOWS), options.size or list(SIZES)
    found = run_flows(options.out, names, sizes, options.turn)
    print(format_table(found, names, sizes))
    sys.exit(any(found.values()))


def run_flows(folder: Path, names: Sequence[str], sizes: Sequence[str], turn: int = 0) -> Found:
    """Return what went wrong in each flow at each size."""
    found: Found = {}
    for size in sizes:
        with ExitStack() as stack:
            browser = stack.enter_context(chromium())
            demo = stack.enter_context(_demo(browser))
            for name in names:
                scene = Scene(browser, demo, folder, name, size, *_look(name, size, turn))
                found[name, size] = _run_flow(scene)
                said = [_verdict(found[name, size]), *found[name, size]]
                print(f"{size:8} {name:34} " + "\n    ".join(said), flush=True)
    (folder / "index.html").write_text(format_index(folder, names, sizes, turn), "utf-8")
    return found


@contextmanager
def _demo(browser: Browser) -> Iterator[Demo]:
    """The simulated computer, and a model that needs no second to read its screen."""
    with (
        in_a_thread(OpenAIServer(replies)) as model,
        service(
            *("--model", "settings"),
            CUA_API_TYPE="openai",
            CUA_BASE_URL=f"{model}/v1",
            CUA_MODEL_NAME="scripted",
            CUA_DIALECT="kvm",
            CUA_GATE_READS="false",
        ) as url,
    ):
        page = opened(browser, url, DESKTOP, [])
        agree(page)
        state = state_address(page)
        page.context.close()
        yield Demo(url, state)


def _look(name: str, size: str, turn: int) -> tuple[str, Light]:
    return LOOKS[(list(FLOWS).index(name) + list(SIZES).index(size) + turn) % len(LOOKS)]


def _run_flow(scene: Scene) -> list[str]:
    try:
        FLOWS[scene.flow](scene)
        scene.finish()
    except (AssertionError, BrowserError, OSError) as error:
        scene.faults.append(_shorten(error))
        scene.keep_failure()
    return scene.faults


def _shorten(error: Exception) -> str:
    """Without the tree of the page that comes with it."""
    return str(error).partition("Aria snapshot")[0].strip() or repr(error)


def _verdict(faults: list[str]) -> str:
    return "ok" if not faults else f"{len(faults)} wrong"


def format_table(found: Found, names: Sequence[str], sizes: Sequence[str]) -> str:
    head = "".join(f"{' x '.join(map(str, SIZES[size])):>12}" for size in sizes)
    rows = [
        f"{name:34}" + "".join(f"{_verdict(found[name, size]):>12}" for size in sizes)
        for name in names
    ]
    return "\n".join([f"{'':34}{head}", *rows])


def format_index(folder: Path, names: Sequence[str], sizes: Sequence[str], turn: int) -> str:
    """Return a page with all screenshots, a row for each flow and size."""
    rows = []
    for name in names:
        for size in sizes:
            language, light = _look(name, size, turn)
            files = sorted(
                (folder / size).glob(f"{name}-*.webp"), key=lambda it: it.stat().st_mtime
            )
            shown = "".join(
                f'<a href="{size}/{each.name}"><img loading="lazy" src="{size}/{each.name}" '
                f'alt="{html.escape(each.stem)}" title="{html.escape(each.stem)}"></a>'
                for each in files
            )
            rows.append(f"<h2>{name} · {size} · {language} · {light}</h2><p>{shown}</p>")
    style = "img{height:300px;margin:4px;border:1px solid #888}body{font-family:sans-serif}"
    return f"<!doctype html><meta charset=utf-8><style>{style}</style>{''.join(rows)}"


if __name__ == "__main__":
    main()
