"""Retry requests that failed with a `TransientError`.

No action is executed while a reply is awaited, so repeating the request is harmless. A note tells
the person of each pause, which can be cancelled.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from cua.messages import Message, sentences
from cua.settings import ssrf
from cua.timeouts import within
from cua.types import ChatMessage, ModelError, Reply, Schema, Task

from . import errors
from .endpoint import ModelEndpoint
from .error_bodies import redact
from .provider import Provider

RETRY_DELAYS_S = (0.5, 2.0, 8.0)
"""Pause before each retry, with 25 % jitter."""
MAX_RETRY_AFTER_S = 60.0
"""Longest pause that a server can request; with a longer one the request fails."""
MAX_NAMES = 12
"""Model names listed in an error."""


class RetryingModel:
    """A `types.Model` that checks the address, limits the time and retries."""

    def __init__(self, provider: Provider, endpoint: ModelEndpoint) -> None:
        self._provider = provider
        self._endpoint = endpoint

    async def begin(self, task: Task) -> None:  # noqa: ARG002
        """Import the provider's packages; if that fails, `complete` raises the error."""
        with suppress(ImportError):
            await self._provider.prepare()

    async def complete(self, messages: Sequence[ChatMessage], schema: Schema = None) -> Reply:
        """`schema`: JSON schema of the reply, if the server supports one."""
        failed: list[errors.TransientError] = []
        while True:
            try:
                reply = await self._request_once(messages, schema)
                tokens_in, tokens_out = _sum_tokens([*failed, reply])
                return replace(reply, tokens_in=tokens_in, tokens_out=tokens_out)
            except errors.TransientError as error:
                failed.append(error)
                if len(failed) > len(RETRY_DELAYS_S):
                    again = Message("model.failed_repeatedly", count=len(failed))
                    last = ModelError(sentences(error.message, again), setting=error.setting)
                    last.tokens_in, last.tokens_out = _sum_tokens(failed)
                    raise last from None
                await self._wait(error, len(failed))

    async def list_models(self) -> list[str]:
        await self._check()
        return await self._provider.list_models()

    async def aclose(self) -> None:
        """Close the connections; the model cannot be used after that."""
        await self._provider.aclose()

    async def _request_once(self, messages: Sequence[ChatMessage], schema: Schema) -> Reply:
        watching = asyncio.create_task(_report_silence(self._endpoint))
        try:
            async with within(self._endpoint.total_s):
                await self._check()
                with suppress(errors.HungUpError):  # a kept connection was closed just now
                    return await self._provider.complete(messages, schema)
                return await self._provider.complete(messages, schema)
        except asyncio.TimeoutError:
            seconds = f"{self._endpoint.total_s:.0f}"
            raise ModelError(Message("model.too_slow", seconds=seconds)) from None
        except ImportError as error:
            package = (error.name or "").partition(".")[0]  # incomplete or too old
            text = Message("model.cannot_import", reason=str(error), package=package)
            raise ModelError(text) from error
        except errors.UnknownModelError:
            offered = await self._offered()
            if offered and self._endpoint.model not in offered:  # else a gateway has no server
                raise _unknown_model_error(self._endpoint, offered) from None
            raise
        finally:
            watching.cancel()

    async def _check(self) -> None:
        objection, _ = await ssrf.check(self._endpoint.url, self._endpoint.kvm_ports)
        if objection:
            text = sentences(objection, Message("model.check_url"))
            raise ModelError(text, setting="base_url")

    async def _offered(self) -> list[str]:
        try:
            async with within(self._endpoint.connect_s):
                return await self._provider.list_models()
        except (ModelError, asyncio.TimeoutError):
            return []  # the error is useful without them

    async def _wait(self, error: errors.TransientError, number: int) -> None:
        """Wait before retry `number`, from 1."""
        pause = RETRY_DELAYS_S[number - 1] * random.uniform(0.75, 1.25)
        seconds = pause if error.after is None else error.after
        if seconds > MAX_RETRY_AFTER_S:
            long = Message("model.retry_after", seconds=f"{seconds:.0f}")
            raise ModelError(sentences(error.message, long), setting="model_name") from None
        many = len(RETRY_DELAYS_S)
        retry = Message("model.retry", seconds=f"{seconds:.1f}", number=number, many=many)
        log = self._endpoint.log
        log.note("warning", sentences(error.message, retry))
        log.append("retry", seconds=round(seconds, 1), phase=error.phase)
        try:
            await asyncio.sleep(seconds)
        finally:
            log.append("retry", seconds=0, phase=error.phase)


def _sum_tokens(answers: Sequence[Reply | ModelError]) -> tuple[int, int]:
    return sum(each.tokens_in for each in answers), sum(each.tokens_out for each in answers)


def _unknown_model_error(endpoint: ModelEndpoint, offered: list[str]) -> ModelError:
    """Return the error for a server without this model; `offered`: the models it has."""
    names = [redact(name, endpoint.key) for name in offered[:MAX_NAMES]]
    if more := len(offered) - len(names):
        names.append(Message("model.more_names", count=more))
    text = Message("model.unknown_of", model=endpoint.model, names=names)
    return errors.UnknownModelError(text, setting="model_name")


async def _report_silence(endpoint: ModelEndpoint) -> None:
    """Send the seconds of a silence, and those until the timeout, until cancelled."""
    endpoint.activity.update()
    end = endpoint.activity.at + endpoint.total_s
    while True:
        await asyncio.sleep(endpoint.silent_s)
        now = time.monotonic()
        if now - endpoint.activity.at >= endpoint.silent_s:
            left = round(min(endpoint.activity.at + endpoint.idle_s, end) - now, 1)
            seconds = round(now - endpoint.activity.at, 1)
            endpoint.log.send_transient("silence", seconds=seconds, left=left)
