"""Limit the rate of reports to what a host can fetch."""

from __future__ import annotations

import time
from collections.abc import Callable

from .packets import ENDPOINTS

SPACING_S = 0.001
"""Least time between reports of one endpoint: what a high-speed host can take."""


class RateLimiter:
    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], object] = time.sleep,
    ) -> None:
        self._clock, self._rest = clock, rest
        self._next = [0.0] * len(ENDPOINTS)

    def keep(self, endpoint: int) -> None:
        """Wait until the next report of this endpoint may go out."""
        early = self._next[endpoint] - self._clock()
        if early > 0:
            self._rest(early)
        self._next[endpoint] = self._clock() + SPACING_S
