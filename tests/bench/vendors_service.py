"""A service of the vendor's kind: Flask with Socket.IO, and a relay of the video for each viewer.

    python -m tests.bench.vendors_service PORT STREAM_URL
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import requests
from flask import Flask, Response, render_template, request
from flask_socketio import SocketIO
from PIL import Image

from tests.kvm_box import ROOT

CHUNK = 4096
TASK: list[object] = []
"""What a first task leaves in memory."""

app = Flask(__name__, template_folder=str(ROOT / "templates"))
socketio = SocketIO(app, async_mode="threading")


def page() -> str:
    return render_template("index.html", version="0")


def relay() -> Response:
    answer = requests.get(sys.argv[2], stream=True, verify=False)  # noqa: S113
    chunks: Iterator[bytes] = answer.iter_content(CHUNK)
    return Response(chunks, content_type=answer.headers["content-type"])


def task() -> str:
    """One screenshot, one answer of the model at `?model=`."""
    from openai import OpenAI

    from tests.bench.vendors_way import capture

    client = OpenAI(base_url=request.args["model"], api_key="none")
    TASK.extend([client, capture(sys.argv[2]), Image.MIME])
    message = {"role": "user", "content": "go"}
    answer = client.chat.completions.create(model="scripted", messages=[message])  # type: ignore[list-item]
    return answer.choices[0].message.content or ""


def modules() -> str:
    return str(len(sys.modules))


for view in (page, relay, task, modules):
    app.add_url_rule(f"/{'' if view is page else view.__name__}", view_func=view)

if __name__ == "__main__":
    import logging
    import warnings

    warnings.simplefilter("ignore")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    sys.stdout.write("Authentication: none\n")
    sys.stdout.flush()
    socketio.run(app, "127.0.0.1", int(sys.argv[1]), allow_unsafe_werkzeug=True)
