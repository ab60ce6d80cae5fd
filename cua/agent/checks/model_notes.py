"""Keeps the model's notes when a server has no room for earlier steps."""

from __future__ import annotations

from ...types import Step
from .check import Check


class ModelNotes(Check):
    """Without it the model's notes are dropped together with their step."""

    def after_reply(self, step: Step) -> None:
        step.notes = step.parsed.notes
