"""The summary of a run: one JSON file, and one page with a picture of each end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from .folders import RunFolder
from .row import Row, count_states

HTML_FILE, JSON_FILE = "summary.html", "summary.json"
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 24px 16px; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 16px; }
article { border: 1px solid #8886; border-left: 4px solid #b8242c; border-radius: 8px; }
article.done { border-left-color: #17744a; }
article > * { margin: 8px 12px; }
h2 { font-size: 1rem; }
img { width: calc(100% - 24px); }
"""


def write_summary(folder: RunFolder, rows: Sequence[Row]) -> str:
    """Write the files; return the path of the page. Raises `OSError`."""
    task = folder.read_plan().task
    found: dict[str, Any] = {"task": task, "computers": [row.as_json() for row in rows]}
    (folder.path / JSON_FILE).write_text(json.dumps(found, indent=2, ensure_ascii=False), "utf-8")
    page = folder.path / HTML_FILE
    page.write_text(as_page(task, count_states(rows), [_article(row) for row in rows]), "utf-8")
    return str(page)


def as_page(title: str, heading: str, articles: Sequence[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>\n"
        f"<h1>{escape(title)}</h1><p>{escape(heading)}</p>\n"
        f"<main>\n{''.join(articles)}</main></html>\n"
    )


def article(name: str, state: str, text: str, picture: str) -> str:
    """`picture`: its address relative to the page, or ""."""
    address = f'<a href="{quote(picture)}"><img src="{quote(picture)}" alt=""></a>'
    return (
        f'<article class="{escape(state.split()[0])}"><h2>{escape(name)}: {escape(state)}</h2>'
        f"<p>{escape(text)}</p>{address if picture else ''}</article>\n"
    )


def _article(row: Row) -> str:
    figures = f"step {row.step}, {row.seconds:.0f} s" + (f", {row.cost:.4f}" if row.cost else "")
    return article(row.name, row.state, f"{row.sentence} ({figures})", row.picture)
