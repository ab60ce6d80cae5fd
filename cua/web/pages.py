"""The page's files, which contain no data, and the response headers.

Each document exists in every language with its texts filled in, so that no other language is shown
first. Needs only the standard library, as the installer's page uses it too.
"""

from __future__ import annotations

import gzip
import json
import mimetypes
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from .. import __version__
from ..messages import FOLDER

HERE = Path(__file__).parents[1]
ROOT = HERE.parent
TEMPLATES = HERE / "templates"
HTML = "text/html; charset=utf-8"
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
"""`html.escape` would load the names of 2,231 characters at every start."""
LANGUAGES = ("en", "zh")
"""The first is the default."""
TAGS = {"zh": "zh-CN"}
LANGUAGE_COOKIE = re.compile(r"\bcua-language=(\w+)")
PLACEHOLDER = re.compile(r"""\{\{ (\w+)(?:\("([a-z0-9_.]+)"\))? \}\}""")
INCLUDE = re.compile(r"\{\{ (head|access) \}\}\n")
MEDIA_TYPES = {".webmanifest": "application/manifest+json"}
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        "media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


@dataclass
class File:
    """A file, sent as gzip to clients that accept it."""

    media_type: str
    body: bytes

    @cached_property
    def compressed(self) -> bytes:
        return gzip.compress(self.body, 9, mtime=0)

    def answer(self, accept_encoding: str) -> tuple[dict[str, str], bytes]:
        headers = {"content-type": self.media_type}
        if "gzip" in accept_encoding:
            return {**headers, "content-encoding": "gzip"}, self.compressed
        return headers, self.body


class Headers(Protocol):
    """Headers of a request, by names in lower case."""

    def get(self, name: str, default: str, /) -> str: ...


class Files:
    """The files for every client; `document` is the template of `/`."""

    def __init__(self, document: str) -> None:
        self._documents = {each: File(HTML, _render(document, each)) for each in LANGUAGES}
        self._static = _load_static()

    def find(self, path: str, headers: Headers) -> File | None:
        return self._documents[choose_language(headers)] if path == "/" else self._static.get(path)


def choose_language(headers: Headers) -> str:
    """Return the language of the page's cookie, or the browser's first known one."""
    chosen = LANGUAGE_COOKIE.findall(headers.get("cookie", ""))
    wanted = [*chosen, *headers.get("accept-language", "").split(",")]
    known = (name.strip()[:2].lower() for name in wanted)
    return next((name for name in known if name in LANGUAGES), LANGUAGES[0])


def page_texts(language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((FOLDER / language / "page.json").read_text("utf-8"))
    return found


def _render(document: str, language: str) -> bytes:
    """Fill in `{{ t("key") }}`, a text that the page can translate, `label` for an attribute,
    `tooltip` for a button that is an icon, and `text`, the text alone.
    """
    known = page_texts(language)
    fixed = {"version": __version__, "language": TAGS.get(language, language)}

    def fill(found: re.Match[str]) -> str:
        name, key = found.groups()
        if not key:
            return fixed[name]
        text = known[key].translate(ESCAPES)
        shapes = {
            "t": f'data-t="{key}">{text}',
            "label": f'data-t-label="{key}" aria-label="{text}"',
            "tooltip": f'data-t-label="{key}" aria-label="{text}" title="{text}"',
            "text": text,
        }
        return shapes[name]

    whole = (TEMPLATES / document).read_text("utf-8")
    whole = INCLUDE.sub(lambda part: (TEMPLATES / f"{part[1]}.html").read_text("utf-8"), whole)
    return PLACEHOLDER.sub(fill, whole).encode()


def _load_static() -> dict[str, File]:
    found = {}
    for path in filter(Path.is_file, (HERE / "static").rglob("*")):
        kind = MEDIA_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
        name = path.relative_to(HERE).as_posix()
        found[f"/{name}"] = File(kind, path.read_bytes())
    return found
