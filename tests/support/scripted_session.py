"""A session of the agent whose model, screen and device are scripted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from cua import types
from cua.agent.budget import Budget
from cua.agent.checks.options import CheckOptions, make_checks
from cua.agent.loop import Agent
from cua.agent.session import Session
from cua.dialects import registry
from cua.events.log import EventLog
from cua.hid.inputs import HidInputs
from cua.safety.approval import AllowAll
from cua.types import ApprovalGate, ChatMessage, Reply
from tests.support.devices import Recorder
from tests.support.fakes import ScriptedModel, StillScreen

BARE = CheckOptions(**{field.name: False for field in fields(CheckOptions)})
"""A loop without any check."""


class ScriptedSession:
    """A session with a still screen, a recording device, scripted replies and KVM lines."""

    def __init__(self, *replies: str, max_rounds: int = 10) -> None:
        self.screen, self.device, self.log = StillScreen(), Recorder(), EventLog()
        self.model: ScriptedModel = ScriptedModel(*replies)
        self.inputs: types.Inputs = HidInputs(self.device)
        self.budget = Budget(rounds=max_rounds)
        self.options = BARE
        self.gate: ApprovalGate = AllowAll()
        self.session = Session(self.log, self._agent)

    def _agent(self) -> Agent:
        return Agent(
            self.screen,
            self.model,
            registry.create("kvm"),
            self.inputs,
            self.log,
            gate=self.gate,
            prompt="You operate a computer.",
            keep=3,
            budget=self.budget,
            checks=make_checks(self.options, self.screen, self.inputs, self.model, self.log),
        )

    async def run(self, text: str = "do it") -> str:
        await self.session.send(text)
        await asyncio.wait_for(self.session.wait_ended(), 10)
        return self.session.status

    def status(self) -> str:
        """Return what the pages show, which is what the session is in."""
        shown = self.facts("status")[-1]["status"] if self.facts("status") else "idle"
        assert shown == self.session.status
        return shown

    def facts(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of each event of this kind."""
        return [event.data for event in self.log.in_memory_since(0) if event.kind == kind]

    async def kinds(self) -> list[str]:
        kinds = []
        async for _, event in self.log.subscribe():
            kinds.append(event.kind)
            if event.kind == "status" and event.data["status"] != "running":
                return kinds
        raise AssertionError


class SlowlyCancelled(ScriptedModel):
    """A model whose request ends some time after it is cancelled, when `may_go` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.going, self.may_go = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def complete(self, messages: Sequence[ChatMessage], schema: Any = None) -> Reply:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.going.set()
            await self.may_go.wait()
        raise AssertionError
