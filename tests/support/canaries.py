"""The keys, cookies and secrets that tests use, and the search for them in all that is left behind.

Each stands for something that must be nowhere: not in a log, a record, an export or a trace. They
are looked for in every file below a folder, as they are and in the usual disguises; the settings'
own files are where keys belong.
"""

from __future__ import annotations

import base64
import re
from pathlib import Path
from urllib.parse import quote

from tests.servers.kvm_web_server import PIKVM_TOKEN, TOKEN

CANARIES = (
    *("sk-canary", "canary-key", "canary-Tr0ub4dor", "hunter-2-canary", "sk-key-canary"),
    *(TOKEN, PIKVM_TOKEN),
)
SETTINGS = re.compile(
    r".*(?:cfg|config|settings)[\w.-]*\.json[\w.-]*|\.\w*cfg.*|.*\.env|server\.yaml"
)
"""Names of files in which a key is kept on purpose, with mode 0600."""
LARGEST = 64 * 2**20


def found(folder: Path) -> list[str]:
    """Each file with the first canary in it."""
    disguised = {canary: _disguises(canary) for canary in CANARIES}
    return [
        f"{path.relative_to(folder)}: {canary}"
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and not SETTINGS.fullmatch(path.name)
        for canary in _first(path, disguised)
    ]


def _first(path: Path, disguised: dict[str, set[bytes]]) -> list[str]:
    if path.stat().st_size > LARGEST:
        return ["too large to be searched"]
    data = path.read_bytes()
    return [canary for canary, forms in disguised.items() if any(form in data for form in forms)][
        :1
    ]


def _disguises(canary: str) -> set[bytes]:
    plain = canary.encode()
    shifted = {base64.b64encode(b"x" * n + plain)[4 if n else 0 : -4] for n in range(3)}
    return {plain, quote(canary, safe="").encode(), plain.hex().encode(), *shifted}
