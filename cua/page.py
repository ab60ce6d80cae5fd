"""The page's files: the same for everybody, no data in them, and the headers they go out with."""

from __future__ import annotations

import gzip
import json
import mimetypes
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from . import __version__

if TYPE_CHECKING:
    from jinja2 import Template

HERE = Path(__file__).parent
ROOT = HERE.parent
HTML = "text/html; charset=utf-8"
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


class File(NamedTuple):
    """`packed` is the body as gzip, a third of the bytes on a slow line; every browser takes it."""

    media_type: str
    body: bytes
    packed: bytes = b""

    def answer(self, accepted: str) -> tuple[dict[str, str], bytes]:
        """Headers and body for who accepts these encodings."""
        kind = {"content-type": self.media_type}
        if self.packed and "gzip" in accepted:
            return {**kind, "content-encoding": "gzip"}, self.packed
        return kind, self.body


def template(name: str) -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )
    return templates.get_template(name)


def files() -> dict[str, File]:
    """Path -> file, `/` among them."""
    words = json.loads((HERE / "static/en.json").read_text("utf-8"))["words"]
    index = template("index.html").render(version=__version__, en=words)
    return {"/": _file(HTML, index.encode()), **_static()}


def first_start() -> dict[str, File]:
    """The same for the page of the installer, from the standard library only."""
    return {"/": _file(HTML, (HERE / "templates" / "install.html").read_bytes()), **_static()}


def _static() -> dict[str, File]:
    found = {}
    for path in (HERE / "static").iterdir():
        kind = KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
        found[f"/static/{path.name}"] = _file(kind, path.read_bytes())
    return found


def _file(kind: str, body: bytes) -> File:
    return File(kind, body, gzip.compress(body, 6, mtime=0))
