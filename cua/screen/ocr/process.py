"""OCR process: reads JPEGs, writes the text and boxes found.

It is a separate process because loading the OCR takes 500 MB and blocks the interpreter, and so the
event loop, for 0.2 s at a time. It has a low priority, so that the stream reader keeps up.
Run as `python -m cua.screen.ocr.process`: on stdin for each picture the JPEG's length (4 bytes,
big-endian), left, top, right and bottom in pixels of the part to be read (2 bytes each; all 0: the
whole), and the JPEG; on stdout a line of JSON, until stdin ends.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
from functools import lru_cache
from typing import Any, BinaryIO

import cv2
import numpy as np

from .boxes import Image, Rect, find_boxes, find_icons

HEAD = struct.Struct(">I4H")

_MIN_SCORE = 0.5
"""Least score of a text; lower ones are noise, such as icons and borders."""
_GRID_PIXELS = 4
"""Grid to which text positions are rounded, so that the same text is cropped equally."""


class Reader:
    """Recognises pictures; unchanged text is read from a cache."""

    def __init__(self, threads: int) -> None:
        params = {
            "Global.log_level": "error",
            "Global.use_cls": False,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
        ocr = import_ocr()
        self._ocr = ocr(params=params)
        as_it_is = {"Det.limit_type": "max", "Det.limit_side_len": 4096}
        self._ocr_of_parts = ocr(params=params | as_it_is)
        self._known = lru_cache(maxsize=2000)(self._recognise)

    def read(self, jpeg: bytes, part: Rect = (0, 0, 0, 0)) -> dict[str, Any]:
        """Return `lines` (text, rectangle, x of each character), `boxes` and `icons`.

        Positions are in pixels of the part, which is not enlarged: that is five times as fast.
        """
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            raise ValueError("not a picture")
        left, top, right, bottom = part
        image = image[top : bottom or None, left : right or None]
        found = self._detect(image, is_part=right > 0)
        lines = [line for rect in found if (line := self._line(image, rect))]
        texts = [rect for _, rect, _ in lines]
        return {"lines": lines, "boxes": find_boxes(image), "icons": find_icons(image, texts)}

    def _detect(self, image: Image, *, is_part: bool) -> list[Rect]:
        ocr = self._ocr_of_parts if is_part else self._ocr
        found: Any = ocr(image, use_det=True, use_cls=False, use_rec=False)
        if found.boxes is None:
            return []
        height, width = image.shape[:2]
        return [_round(corners, width, height) for corners in found.boxes]

    def _line(self, image: Image, rect: Rect) -> tuple[str, Rect, list[int]] | None:
        left, top, right, bottom = rect
        cut = image[top:bottom, left:right]
        text, places = self._known(cut.tobytes(), cut.shape)
        if not text.strip():
            return None
        return text, rect, [round(left + place * (right - left)) for place in places]

    def _recognise(self, pixels: bytes, shape: tuple[int, ...]) -> tuple[str, list[float]]:
        cut = np.frombuffer(pixels, np.uint8).reshape(shape)
        result: Any = self._ocr(
            cut, use_det=False, use_cls=False, use_rec=True, return_word_box=True
        )
        if not result.txts or result.scores[0] < _MIN_SCORE:
            return "", []
        info = result.word_results[0]
        columns = [column for word in info.word_cols for column in word]
        return result.txts[0], [(column + 0.5) / info.line_txt_len for column in columns]


def import_ocr() -> Any:
    """Return the class of RapidOCR, with the telemetry of ONNX Runtime disabled."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read once, when onnxruntime is imported
    import onnxruntime  # noqa: F401 - RapidOCR imports it late
    from rapidocr import RapidOCR

    return RapidOCR


def _round(corners: Image, width: int, height: int) -> Rect:
    left, top = (int(value) // _GRID_PIXELS * _GRID_PIXELS for value in corners.min(axis=0))
    right, bottom = (
        -int(-value) // _GRID_PIXELS * _GRID_PIXELS + _GRID_PIXELS for value in corners.max(axis=0)
    )
    return max(0, left), max(0, top), min(width, right), min(height, bottom)


def serve(source: BinaryIO, answers: BinaryIO) -> None:
    """Answer each picture of `source` until it ends."""
    # Two threads of ONNX Runtime spin, which doubles the CPU time: too much for two cores.
    reader = Reader(2 if (os.cpu_count() or 1) > 2 else 1)
    while len(head := source.read(HEAD.size)) == HEAD.size:
        length, *part = HEAD.unpack(head)
        jpeg = source.read(length)
        try:
            answer: dict[str, Any] = reader.read(jpeg, tuple(part))
        except ValueError as error:
            answer = {"error": str(error)}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ends in silence when the service was killed
    os.nice(5)
    serve(sys.stdin.buffer, sys.stdout.buffer)
