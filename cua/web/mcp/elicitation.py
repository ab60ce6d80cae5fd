"""Ask the user of an MCP client for approval during one of its calls (elicitation).

Older clients answer while the call waits. Newer ones get the question as the call's result, and
repeat the call with the answer, which is found by a hash of the question.
"""

from __future__ import annotations

import hashlib
from contextvars import ContextVar
from typing import Any

from pydantic import BaseModel, Field

CALL: ContextVar[Any] = ContextVar("call")
"""The current call (`mcp.server.mcpserver.Context`)."""
REPEATABLE: ContextVar[bool] = ContextVar("repeatable", default=True)
"""Whether the client can repeat the current call with an answer; not if it runs a whole task."""


class Permission(BaseModel):
    """The user's answer."""

    allow: bool = Field(description="Allow exactly this, once.")


class AnswerPending(Exception):
    """The client has to repeat the call with the answer; `result` requests that."""

    def __init__(self, result: Any) -> None:
        super().__init__("asked")
        self.result = result


async def ask(question: str) -> bool | None:
    """Ask the user; return None if this call cannot ask. Raises `AnswerPending`."""
    from mcp.shared.exceptions import NoBackChannelError

    call = CALL.get()
    capabilities = call.client_capabilities
    if not capabilities or capabilities.elicitation is None:
        return None
    try:
        answer = await call.elicit(question, Permission)
    except NoBackChannelError:
        if not REPEATABLE.get():
            return None
        return _find_answer(call, question)
    return answer.action == "accept" and bool(answer.data.allow)


def _find_answer(call: Any, question: str) -> bool:
    from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

    name = hashlib.sha256(question.encode()).hexdigest()
    answer = (call.input_responses or {}).get(name)
    if not isinstance(answer, ElicitResult):
        schema = Permission.model_json_schema()
        params = ElicitRequestFormParams(message=question, requested_schema=schema)
        raise AnswerPending(
            InputRequiredResult(input_requests={name: ElicitRequest(params=params)})
        )
    return answer.action == "accept" and (answer.content or {}).get("allow") is True
