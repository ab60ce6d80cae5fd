"""The page's files: the same for everybody, no data in them, and the headers they go out with.

A document is there once in every language, its texts already in it: who reads Chinese never sees a
flash of English. Needs only the standard library, since the installer's page is made here too.
"""

from __future__ import annotations

import gzip
import json
import mimetypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from .. import __version__
from ..messages import FOLDER, catalogue, translate
from .translation import Heard

if TYPE_CHECKING:
    from jinja2 import Template

HERE = Path(__file__).parents[1]
ROOT = HERE.parent
TEMPLATES = HERE / "templates"
HTML = "text/html; charset=utf-8"
LANGUAGES = ("en", "zh")
"""The first is that of who asks for none of them."""
TAGS = {"zh": "zh-CN"}
CHOSEN = re.compile(r"\bcua-language=(\w+)")
PLACE = re.compile(r"""\{\{ (\w+)(?:\("([a-z0-9_.]+)"\))? \}\}""")
KINDS = {".webmanifest": "application/manifest+json"}
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
    """`packs`: whether the body is worth sending as gzip, which every browser takes."""

    media_type: str
    body: bytes
    packs: bool = False

    @cached_property
    def packed(self) -> bytes:
        """A third of the bytes on a slow line; made when it is first asked for."""
        return gzip.compress(self.body, 9, mtime=0)

    def answer(self, accepted: str) -> tuple[dict[str, str], bytes]:
        """Headers and body for who accepts these encodings."""
        kind = {"content-type": self.media_type}
        if self.packs and "gzip" in accepted:
            return {**kind, "content-encoding": "gzip"}, self.packed
        return kind, self.body


def template(name: str) -> Template:
    """One that goes out as a file, with what somebody has said in it."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined
    )
    return templates.get_template(name)


class Headers(Protocol):
    """Those of a request, asked for by names in small letters."""

    def get(self, name: str, default: str, /) -> str: ...


class Files:
    """All that can be fetched without being let in; `document` is the template of `/`."""

    def __init__(self, document: str) -> None:
        self._documents = {each: File(HTML, _rendered(document, each), True) for each in LANGUAGES}
        self._static = _static()

    def find(self, path: str, asked: Headers) -> File | None:
        return self._documents[language(asked)] if path == "/" else self._static.get(path)


def language(asked: Headers) -> str:
    """The one that was chosen in the page, which keeps it in a cookie, or the browser's first."""
    chosen = CHOSEN.findall(asked.get("cookie", ""))
    wanted = [*chosen, *asked.get("accept-language", "").split(",")]
    known = (name.strip()[:2].lower() for name in wanted)
    return next((name for name in known if name in LANGUAGES), LANGUAGES[0])


def words(language: str) -> dict[str, str]:
    """The page's own texts, by key."""
    return _texts(language, "page")


def translator(language: str) -> Callable[..., str]:
    """What the service says, or has recorded, as text; as `translated` in static/core/i18n.js."""
    texts = catalogue(language)
    known = {} if language == LANGUAGES[0] else _sentences(language)
    heard = Heard(known)
    return lambda said, part=False: (
        heard(said, part) if type(said) is str else translate(said, texts)
    )


def _sentences(language: str) -> dict[str, str]:
    return {**_texts(language, "sentences"), **_texts(language, "sentences.later")}


def _texts(language: str, name: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((FOLDER / language / f"{name}.json").read_text("utf-8"))
    return found


def _rendered(document: str, language: str) -> bytes:
    """`{{ t("key") }}` becomes a text that the page can put into another language, `label` one of
    an attribute, `text` a text alone.
    """
    known = words(language)
    fixed = {"version": __version__, "language": TAGS.get(language, language)}

    def fill(found: re.Match[str]) -> str:
        name, key = found.groups()
        if not key:
            return fixed[name]
        text = escape(known[key])
        shapes = {
            "t": f'data-t="{key}">{text}',
            "label": f'data-t-label="{key}" aria-label="{text}"',
            "text": text,
        }
        return shapes[name]

    source = (TEMPLATES / document).read_text("utf-8")
    whole = source.replace("{{ head }}\n", (TEMPLATES / "head.html").read_text("utf-8"))
    return PLACE.sub(fill, whole).encode()


def _static() -> dict[str, File]:
    found = {}
    for path in filter(Path.is_file, (HERE / "static").rglob("*")):
        kind = KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
        name = path.relative_to(HERE).as_posix()
        found[f"/{name}"] = File(kind, path.read_bytes(), True)
    return found
