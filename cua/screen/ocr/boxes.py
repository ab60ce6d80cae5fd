"""Rectangles on a screen other than texts: fields, buttons, windows, icons.

Pictures are colours in rows, 0..255; rectangles are left, top, right and bottom in pixels.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

Image = Any
Rect = tuple[int, int, int, int]

_MIN_BOX_PIXELS = 10
"""Least width and height of a field, button or window."""
_EDGE_LEVELS = (12, 24)
"""Brightness steps at an edge: of faint borders, and of borders on gradients."""
_MAX_GAP_PIXELS = 24
"""Largest width of a letter or the pointer, which splits a field."""
_ICON_PIXELS = (20, 140)
"""Smallest and largest size of an icon."""


def find_boxes(image: Image) -> list[Rect]:
    """Return flat rectangular regions: fields, buttons, the insides of windows.

    Regions instead of outlines, so that text inside and round corners do not matter.
    """
    steep = _steepness(image)
    found = [
        (left, top, left + width, top + height)
        for edge in _EDGE_LEVELS
        for left, top, width, height, area in _regions(steep < edge, 4)
        if width >= _MIN_BOX_PIXELS and height >= _MIN_BOX_PIXELS and area > width * height / 2
    ]
    return _join(image, found)


def _join(image: Image, rects: list[Rect]) -> list[Rect]:
    """Join the parts of a field that a tall letter or the pointer splits."""
    joined: list[Rect] = []
    for rect in sorted(rects):
        part = next((other for other in joined if _belong_together(image, other, rect)), None)
        if part:
            joined.remove(part)
            rect = (part[0], min(part[1], rect[1]), max(part[2], rect[2]), max(part[3], rect[3]))
        joined.append(rect)
    return joined


def _belong_together(image: Image, one: Rect, other: Rect) -> bool:
    """Return whether the background and an edge of two boxes side by side are continuous."""
    gap = other[0] - one[2]
    if not 0 <= gap <= _MAX_GAP_PIXELS or max(abs(one[1] - other[1]), abs(one[3] - other[3])) > 3:
        return False
    top, bottom = max(one[1], other[1]), min(one[3], other[3])
    return any(
        _continues(image, one, other, inside) and _continues(image, one, other, edge)
        for inside, edge in (
            ((top, top + 2), (top - 2, top)),
            ((bottom - 2, bottom), (bottom, bottom + 2)),
        )
    )


def _continues(image: Image, one: Rect, other: Rect, rows: tuple[int, int]) -> bool:
    """Return whether these rows look the same between the boxes as in the first box."""
    band = image[max(0, rows[0]) : rows[1]].astype(np.int16)
    if not len(band):
        return False
    alike = np.median(band[:, one[0] : one[2]], axis=1, keepdims=True)
    between = band[:, one[2] : max(other[0], one[2] + 1)]
    return bool((np.abs(between - alike).max(axis=2) < _EDGE_LEVELS[0]).mean() > 0.5)


def find_icons(image: Image, texts: list[Rect]) -> list[Rect]:
    """Return regions with many edges and no text: icons."""
    busy = (_steepness(image) >= _EDGE_LEVELS[1]).astype(np.uint8)
    for left, top, right, bottom in texts:
        busy[top:bottom, left:right] = 0
    least, most = _ICON_PIXELS
    return [
        (left, top, left + width, top + height)
        for left, top, width, height, area in _regions(cv2.dilate(busy, np.ones((5, 5))), 8)
        if least <= width <= most and least <= height <= most and area > width * height / 3
    ]


def _steepness(image: Image) -> Image:
    return cv2.morphologyEx(image, cv2.MORPH_GRADIENT, np.ones((2, 2), np.uint8)).max(axis=2)


def _regions(mask: Image, connectivity: int) -> list[list[int]]:
    """Return left, top, width, height and area of each connected part of a mask."""
    _, _, regions, _ = cv2.connectedComponentsWithStats(
        mask.astype(np.uint8), None, None, None, connectivity
    )
    return regions[1:].tolist()  # type: ignore[no-any-return]
