"""A service of the vendor's kind: Flask with Socket.IO, and a relay of the video for each viewer.

    python -m tests.bench.vendors_service PORT STREAM_URL

Imports nothing of ours but the screenshot, so that its start and its memory are its own.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import requests
from flask import Flask, Response, render_template, request
from flask_socketio import SocketIO

from tests.bench.vendors_eyes import capture

CHUNK = 1024
"""Bytes that are passed on at a time: so many that it costs what the vendor's was measured to."""
KEPT: list[object] = []
"""What a first task leaves in memory."""

app = Flask(__name__, template_folder=str(Path(__file__).parents[2] / "templates"))
socketio = SocketIO(app, async_mode="threading")


def page() -> str:
    return str(
        render_template("index.html", version="0", language="en", t=str, label=str, text=str)
    )


def relay() -> Response:
    answer = requests.get(sys.argv[2], stream=True, verify=False)
    chunks: Iterator[bytes] = answer.iter_content(CHUNK)
    return Response(chunks, content_type=answer.headers["content-type"])


def task() -> str:
    """One screenshot, one answer of the model at `?model=`."""
    from openai import OpenAI

    client = OpenAI(base_url=request.args["model"], api_key="none")
    KEPT.extend([client, capture(sys.argv[2])])
    answer = client.chat.completions.create(
        model="scripted", messages=[{"role": "user", "content": "go"}]
    )
    return answer.choices[0].message.content or ""


def modules() -> str:
    return str(len(sys.modules))


app.add_url_rule("/", view_func=page)
for view in (relay, task, modules):
    app.add_url_rule(f"/{view.__name__}", view_func=view)

if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    sys.stdout.write("Authentication: none\n")
    sys.stdout.flush()
    socketio.run(app, "127.0.0.1", int(sys.argv[1]), allow_unsafe_werkzeug=True)
