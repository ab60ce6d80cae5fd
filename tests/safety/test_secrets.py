"""Named secrets: who may know them, and who may not."""

from __future__ import annotations

import asyncio

import pytest

from cua.safety.approval import Policy
from cua.safety.redacted_screen import RedactedScreen
from cua.safety.secrets import SecretInputs, SecretStore
from cua.screen.image import jpeg_size
from cua.types import ActionError, Frame, Keypress, Type
from tests.safety.test_approval import Gated
from tests.support.devices import Recorder, interpret
from tests.support.fakes import PICTURE

SECRET = "Tr0ub4dor&3"


def secret_store() -> SecretStore:
    made = SecretStore({})
    made.keep("wifi", SECRET)
    return made


async def test_a_secret_is_typed_and_known_to_nothing_else() -> None:
    scripted = Gated("typestr {{secret:wifi}}", "hang", policy=Policy("never"))
    kept = secret_store()
    scripted.log.mask = kept.mask
    device = Recorder()
    scripted.inputs = SecretInputs(scripted.inputs, kept)
    await scripted.session.send("log in to the wifi")
    while len(scripted.model.requests) < 2:
        await asyncio.sleep(0.01)
    await scripted.session.pause()
    assert interpret(scripted.device.reports).text == SECRET
    assert SECRET not in str(scripted.model.requests)
    assert SECRET not in str(scripted.log.in_memory_since(0))
    assert device.reports == []


async def test_an_interruption_does_not_reveal_the_length_of_a_secret() -> None:
    scripted = Gated("typestr {{secret:wifi}}" * 20, "Done", policy=Policy("never"))
    inputs, kept = scripted.inputs, secret_store()
    scripted.inputs = SecretInputs(inputs, kept)
    await scripted.session.send("go")
    while len(scripted.device.reports) < 20:
        await asyncio.sleep(0.001)
    await scripted.session.pause()
    scripted.inputs = SecretInputs(inputs, kept)  # each run has its own
    await scripted.run("")
    assert "it was begun but not finished" in scripted.model.request_text()
    assert "characters" not in scripted.model.request_text()


async def test_typing_a_secret_needs_approval() -> None:
    scripted = Gated("typestr {{secret:wifi}}", "Done")
    await scripted.session.send("go")
    question = await scripted.asked()
    assert question["rule"] == "credentials"
    assert scripted.device.reports == []
    await scripted.session.pause()


async def test_an_unknown_name_is_reported_with_the_place_to_add_it() -> None:
    """Which a question about it leads to."""
    scripted = Gated("typestr {{secret:bank}}", "$ What is it?")
    scripted.inputs = inputs = SecretInputs(scripted.inputs, secret_store())
    assert await scripted.run() == "asking"
    assert [each["setting"] for each in scripted.facts("question")] == ["secrets:bank"]
    with pytest.raises(ActionError, match=r"no secret “bank”\. Add it on the page of this agent"):
        inputs.check(Type(text="{{secret:bank}}"))
    inputs.check(Type(text="{{ Secret: WiFi }}"))
    inputs.check(Keypress(keys=("A",)))


@pytest.mark.parametrize(("name", "value"), [("Wi Fi", SECRET), ("", SECRET), ("x", "abc")])
def test_an_invalid_secret_is_refused_with_a_message(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"Not a valid name|A secret has"):
        SecretStore({}).keep(name, value)


def test_deleting_a_secret_keeps_the_screen_withheld_for_another() -> None:
    kept = secret_store()
    kept.keep("pin", "1234567", withhold=True)
    kept.withheld = True
    kept.forget("wifi")
    assert kept.withheld


def test_secrets_are_masked_the_longest_first() -> None:
    kept = SecretStore({}, lambda: ["abcd"])
    kept.keep("long", "abcdefgh")
    assert kept.mask("x abcdefgh abcd y") == "x •••• •••• y"
    kept.forget("long")
    assert kept.names() == []


async def test_the_model_does_not_see_the_screen_from_typing_one_until_enter() -> None:
    kept = secret_store()
    kept.keep("pin", "8142-5577", withhold=True)
    scripted = Gated(
        "typestr {{secret:pin}}", "keyboard TAB", "keyboard ENTER", "Done", policy=Policy("never")
    )
    shown = scripted.screen
    scripted.screen = RedactedScreen(shown, lambda: kept.withheld)  # type: ignore[assignment]
    scripted.inputs = SecretInputs(scripted.inputs, kept)
    assert await scripted.run() == "done"
    seen = [
        next(part for part in reversed(request[-1].parts) if isinstance(part, Frame)).jpeg
        for request in scripted.model.requests
    ]
    assert [jpeg == PICTURE for jpeg in seen] == [True, False, False, True]
    assert jpeg_size(seen[1]) == jpeg_size(PICTURE)
    recorded = [event.picture for event in scripted.log.in_memory_since(0) if event.kind == "frame"]
    assert recorded == seen
