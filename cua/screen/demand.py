"""Who needs the KVM's video stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class VideoDemand:
    """Decides when the video stream is open although no caller waits for a picture.

    By default always; a service with pages limits it, so that the KVM need not encode.
    """

    needs_every_frame: Callable[[], bool] = lambda: True
    is_attended: Callable[[], bool] = lambda: False
    """Whether a page is open, which shows when there is no picture."""

    def limit(self, needs_every_frame: Callable[[], bool], is_attended: Callable[[], bool]) -> None:
        self.needs_every_frame, self.is_attended = needs_every_frame, is_attended
