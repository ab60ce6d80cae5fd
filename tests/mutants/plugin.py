"""Hypothesis need not look for the smallest example: that a test fails is enough."""

from __future__ import annotations

from hypothesis import Phase, settings

settings.register_profile(
    "mutants", phases=[Phase.explicit, Phase.generate], database=None, deadline=None
)
settings.load_profile("mutants")
