"""A question to the person at an MCP client, in the middle of one of its calls (elicitation).

Older clients are asked and answer while the call waits. Newer ones get the question as the result
of the call, and make the call again with the answer; so it is known by what was asked.
"""

from __future__ import annotations

import hashlib
from contextvars import ContextVar
from typing import Any

from pydantic import BaseModel, Field

CALL: ContextVar[Any] = ContextVar("call")
"""The call that is being carried out (`mcp.server.mcpserver.Context`)."""


class Permission(BaseModel):
    """What the person answers."""

    allow: bool = Field(description="Allow exactly this, once.")


class Unanswered(Exception):
    """The call has to be made again with the answer; `result` says so to the client."""

    def __init__(self, result: Any) -> None:
        super().__init__("asked")
        self.result = result


async def ask(question: str) -> bool | None:
    """Their answer; None where the client cannot ask them. May raise `Unanswered`."""
    from mcp.shared.exceptions import NoBackChannelError

    call = CALL.get()
    able = call.client_capabilities
    if not able or able.elicitation is None:
        return None
    try:
        answer = await call.elicit(question, Permission)
    except NoBackChannelError:
        return _brought(call, question)
    return answer.action == "accept" and bool(answer.data.allow)


def _brought(call: Any, question: str) -> bool:
    """The answer that came with the call."""
    from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

    name = hashlib.sha256(question.encode()).hexdigest()
    answer = (call.input_responses or {}).get(name)
    if not isinstance(answer, ElicitResult):
        schema = Permission.model_json_schema()
        params = ElicitRequestFormParams(message=question, requested_schema=schema)
        raise Unanswered(InputRequiredResult(input_requests={name: ElicitRequest(params=params)}))
    return answer.action == "accept" and (answer.content or {}).get("allow") is True
