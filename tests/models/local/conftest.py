from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from cua.events.log import EventLog
from cua.models.local.local_operator import LocalOperator


@pytest_asyncio.fixture(loop_scope="package", scope="package")
async def local_operator() -> AsyncIterator[LocalOperator]:
    """One for all tests: its reading process takes seconds to start."""
    operator = LocalOperator(EventLog())
    yield operator
    await operator.aclose()
