"""Named secrets: who may know them, and who may not."""

from __future__ import annotations

import asyncio

import pytest

from cua.safety.approval import Policy
from cua.safety.redaction import RedactedScreen
from cua.safety.secrets import SecretInputs, SecretStore
from cua.screen.image import jpeg_size
from cua.types import ActionError, Frame, Keypress, Type
from tests.safety.test_approval import Gated
from tests.support.devices import Recorder, heard
from tests.support.fakes import PICTURE

SECRET = "Tr0ub4dor&3"


def secret_store() -> SecretStore:
    made = SecretStore({})
    made.keep("wifi", SECRET)
    return made


async def test_a_secret_is_typed_and_known_to_nothing_else() -> None:
    house = Gated("typestr {{secret:wifi}}", "hang", policy=Policy("never"))
    kept = secret_store()
    house.log.mask = kept.mask
    device = Recorder()
    house.inputs = SecretInputs(house.inputs, kept)
    await house.session.send("log in to the wifi")
    while len(house.model.requests) < 2:
        await asyncio.sleep(0.01)
    await house.session.pause()
    assert heard(house.device.reports).text == SECRET
    assert SECRET not in str(house.model.requests)
    assert SECRET not in str(house.log.in_memory_since(0))
    assert device.reports == []


async def test_an_interruption_does_not_reveal_the_length_of_a_secret() -> None:
    house = Gated("typestr {{secret:wifi}}" * 20, "Done", policy=Policy("never"))
    inputs, kept = house.inputs, secret_store()
    house.inputs = SecretInputs(inputs, kept)
    await house.session.send("go")
    while len(house.device.reports) < 20:
        await asyncio.sleep(0.001)
    await house.session.pause()
    house.inputs = SecretInputs(inputs, kept)  # each run has its own
    await house.run("")
    assert "it was begun but not finished" in house.model.heard()
    assert "characters" not in house.model.heard()


async def test_typing_a_secret_needs_approval() -> None:
    house = Gated("typestr {{secret:wifi}}", "Done")
    await house.session.send("go")
    question = await house.asked()
    assert question["rule"] == "credentials"
    assert house.device.reports == []
    await house.session.pause()


def test_an_unknown_name_is_reported_with_the_known_ones() -> None:
    inputs = SecretInputs(Gated().inputs, secret_store())
    with pytest.raises(ActionError, match=r"no secret named bank\. Given are: wifi"):
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
    house = Gated(
        "typestr {{secret:pin}}", "keyboard TAB", "keyboard ENTER", "Done", policy=Policy("never")
    )
    shown = house.screen
    house.screen = RedactedScreen(shown, lambda: kept.withheld)  # type: ignore[assignment]
    house.inputs = SecretInputs(house.inputs, kept)
    assert await house.run() == "done"
    seen = [
        next(part for part in reversed(request[-1].parts) if isinstance(part, Frame)).jpeg
        for request in house.model.requests
    ]
    assert [jpeg == PICTURE for jpeg in seen] == [True, False, False, True]
    assert jpeg_size(seen[1]) == jpeg_size(PICTURE)
    recorded = [event.picture for event in house.log.in_memory_since(0) if event.kind == "frame"]
    assert recorded == seen
