"""What a check-up says of models that are fine, that are not, and of servers that do not answer."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from cua.app.factory import make_sent_size
from cua.evaluation.checkup.model_under_test import ModelUnderTest, RequestSettings
from cua.evaluation.checkup.run import Checkup
from cua.evaluation.checkup.targets import place_targets
from cua.events.log import EventLog
from cua.kvms.simulated_computer import SimulatedComputer
from cua.messages import catalogue, translate
from cua.models import retry
from cua.models.endpoint import ModelEndpoint
from cua.models.openai_chat import OpenAIChat
from cua.types import CuaError, Point
from tests.evaluation.checkup.run_checkup import run_checkup
from tests.evaluation.checkup.scripted_models import (
    SCREEN,
    SEED,
    Seer,
    fractions,
    picture,
    pixels,
    size,
    thousandths,
)
from tests.support.kvm_hardware import any_free_port


async def test_a_perfect_model_is_ready() -> None:
    report = await run_checkup(Seer(fractions), "kvm", boot=SimulatedComputer)
    assert [skill.trouble for skill in report.skills if not skill.worked] == []
    assert report.verdict() == "ready"
    assert len(report.skills) == 6
    assert report.reasons()[0].startswith("12 of 12 targets hit")


@pytest.mark.parametrize(("dialect", "counting"), [("json", thousandths), ("ui_tars_15", pixels)])
async def test_skills_in_other_languages(dialect: str, counting: Any) -> None:
    report = await run_checkup(Seer(counting), dialect, boot=SimulatedComputer)
    assert [skill.trouble for skill in report.skills if not skill.worked] == []


async def test_a_skill_that_fails_is_named() -> None:
    seer = Seer(fractions)

    def never_types(body: dict[str, Any]) -> dict[str, Any]:
        reply = seer(body)
        return {"text": "Done"} if "typestr" in reply["text"] else reply

    report = await run_checkup(never_types, "kvm", boot=SimulatedComputer)
    assert report.verdict() == "care"
    assert "Cannot type a sentence: It ended with `done` instead." in report.reasons()


async def test_a_model_that_only_talks_is_not_usable() -> None:
    said = "I see a desktop with a small orange button. How can I help you today?"
    report = await run_checkup([{"text": said, "repeat": True}], "kvm", boot=SimulatedComputer)
    assert report.verdict() == "unusable"
    assert (
        "12 of 12 replies contain no click in the action format KVM lines (kvm)"
        in report.reasons()[0]
    )
    assert "I see a desktop" in report.reasons()[0]
    assert report.reasons()[0].endswith("There was no command in the reply.")
    assert report.reasons()[1:] == ["Choose another action format."]
    assert "12 次回复中有 12 次没有给出点击位置" in translate(report.reasons()[0], catalogue("zh"))
    assert report.setting == "dialect"
    assert report.skills == []


class Unsteady(Seer):
    """Points beside everything, in another direction each time."""

    def __init__(self) -> None:
        super().__init__(fractions)
        self.beside = itertools.cycle([(0.07, 0.06), (-0.06, 0.1), (0.05, -0.12), (-0.08, -0.07)])

    def see(self, jpeg: bytes) -> Point:
        at, (dx, dy) = super().see(jpeg), next(self.beside)
        return Point(x=min(max(at.x + dx, 0), 1), y=min(max(at.y + dy, 0), 1))


async def test_a_model_that_points_badly_is_told_from_one_that_counts_otherwise() -> None:
    report = await run_checkup(Unsteady(), "kvm")
    assert report.verdict() == "unusable"
    assert report.fit is None
    assert "the model's clicks are inaccurate" in report.reasons()[1]


async def test_a_model_without_eyes() -> None:
    body = {"error": {"message": "tiny-qwen3-text is not a multimodal model", "code": 400}}
    report = await run_checkup([{"status": 400, "body": body, "repeat": True}], "kvm")
    assert report.verdict() == "unusable"
    assert "cannot see images: choose a vision model" in report.trouble
    assert report.reasons() == [report.trouble]


@pytest.mark.parametrize(
    ("key", "words"), [("wrong", "the API key is wrong"), ("", "requires an API key")]
)
async def test_a_wrong_key(key: str, words: str) -> None:
    report = await run_checkup([], "kvm", server_key="right", key=key)
    assert words in report.trouble
    assert report.verdict() == "unusable"


async def test_a_server_that_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "RETRY_DELAYS_S", ())
    endpoint = ModelEndpoint(f"http://127.0.0.1:{any_free_port()}/v1", "some-model")
    subject = ModelUnderTest(
        "m",
        "some-model",
        RequestSettings("kvm"),
        SCREEN,
        lambda _: retry.RetryingModel(OpenAIChat(endpoint), endpoint),
        make_sent_size,
    )
    report = await Checkup(subject, EventLog(), SEED).run()
    assert f"Cannot connect to {endpoint.url}" in report.trouble
    assert report.verdict() == "unusable"


async def test_an_unknown_dialect() -> None:
    with pytest.raises(CuaError, match="There is no action format `klingon`"):
        await run_checkup(Seer(fractions), "klingon")


async def test_what_is_measured() -> None:
    """A server that computes 880 tokens for 1280x720 pixels, and remembers the last prompt."""
    seer, seen = Seer(fractions), set()

    def counting(body: dict[str, Any]) -> dict[str, Any]:
        prompt = json.dumps(body["messages"])
        width, height = size(picture(body))
        tokens = 400 + width * height * 880 // (1280 * 720)
        cached = tokens - 16 if prompt in seen else 0
        seen.add(prompt)
        usage = {
            "prompt_tokens": tokens,
            "completion_tokens": 20,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        return {**seer(body), "usage": usage, "delay": 0.03, "pieces": 3, "pace": 0.03}

    report = await run_checkup(counting, "kvm")
    speed = report.speed
    assert speed
    assert speed.image_tokens == 880
    assert speed.cache == "1264 of 1280 tokens"
    assert 0.03 <= speed.first < speed.whole
    assert 1 < speed.tokens_per_second < 400


async def test_a_cache_that_is_not_told_shows_in_the_time() -> None:
    seer, seen = Seer(fractions), set()

    def remembering(body: dict[str, Any]) -> dict[str, Any]:
        prompt = json.dumps(body["messages"])
        new = prompt not in seen
        seen.add(prompt)
        return {**seer(body), "delay": 0.2 if new else 0}

    report = await run_checkup(remembering, "kvm")
    assert report.speed
    assert report.speed.cache.startswith("likely")


async def test_the_report_is_plain_json() -> None:
    report = await run_checkup(Seer(thousandths), "kvm")
    data = json.loads(json.dumps(report.as_json()))
    assert data["verdict"] == "unusable"
    assert data["fix"]["changes"] == {"dialect": "json"}
    assert len(data["clicks"]) == 12


@pytest.mark.parametrize("screen", [(1280, 720), (1920, 1080), (1024, 768), (800, 600)])
@pytest.mark.parametrize("seed", range(5))
def test_targets_are_on_the_screen_and_apart(screen: tuple[int, int], seed: int) -> None:
    found = place_targets(seed, screen)
    assert found == place_targets(seed, screen)
    assert len({target.word for target in found}) == 12
    for one, other in itertools.combinations(found, 2):
        across = one.x + one.w <= other.x or other.x + other.w <= one.x
        assert across or one.y + one.h <= other.y or other.y + other.h <= one.y
    for each in found:
        assert Point(x=(each.x + each.w) / screen[0], y=(each.y + each.h) / screen[1])
