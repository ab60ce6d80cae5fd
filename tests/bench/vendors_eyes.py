"""A screenshot as the vendor's assistant takes it, in a few lines of our own.

A new TLS connection each time, read up to the boundary of the next frame; the picture decoded and
encoded again.
"""

from __future__ import annotations

import io

import requests
import urllib3
from PIL import Image

CHUNK = 4096
urllib3.disable_warnings()


def capture(url: str) -> bytes:
    return encoded_again(fetched(url))


def fetched(url: str) -> bytes:
    data = b""
    with requests.get(url, stream=True, verify=False) as answer:
        for chunk in answer.iter_content(CHUNK):
            data += chunk
            if data.count(b"--frame") == 2:
                break
    return data[data.index(b"\xff\xd8") : data.rindex(b"\r\n--frame")]


def encoded_again(jpeg: bytes) -> bytes:
    out = io.BytesIO()
    Image.open(io.BytesIO(jpeg)).convert("RGB").save(out, "JPEG", quality=75)
    return out.getvalue()
