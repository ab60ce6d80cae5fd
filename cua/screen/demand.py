"""Decides when the KVM's video stream is open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class VideoDemand:
    """Conditions on which the video stream stays open while no caller waits for a picture.

    By default it always does. A service with pages calls `limit`, so that the KVM does not encode
    video that no page shows.
    """

    needs_every_frame: Callable[[], bool] = lambda: True
    is_attended: Callable[[], bool] = lambda: False
    """Whether a page is open, which shows the state of the video."""

    def limit(self, needs_every_frame: Callable[[], bool], is_attended: Callable[[], bool]) -> None:
        self.needs_every_frame, self.is_attended = needs_every_frame, is_attended
