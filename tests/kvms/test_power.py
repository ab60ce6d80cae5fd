"""The buttons of the case: the agent may ask for them; pressing needs a person's yes."""

from __future__ import annotations

import asyncio

import pytest

from cua.hid.inputs import HidInputs
from cua.safety.approval import Policy
from cua.types import ActionError, Power
from tests.kvms.open_kvm import open_kvm
from tests.safety.test_approval import Gated
from tests.servers.pikvm_server import PiKvm
from tests.servers.site import running

PASSWORD = {"password": "correct:horse"}


@pytest.mark.parametrize("allow", [True, False])
async def test_a_case_button_needs_approval_even_if_the_policy_is_never(allow: bool) -> None:
    kvm = PiKvm()
    scripted = Gated("# It hangs.\npower hold", "Done", policy=Policy("never"))
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        scripted.inputs = there.inputs
        await scripted.session.send("restart it")
        question = await scripted.asked()
        assert question["words"] == "Hold the computer's power button, which cuts it off"
        assert kvm.posts == []
        scripted.say(question, allow=allow)
        await asyncio.wait_for(scripted.session.wait_ended(), 10)
        assert kvm.posts == (["/atx/click?button=power_long&wait=1"] if allow else [])


async def test_a_kvm_without_the_button_refuses_without_asking() -> None:
    scripted = Gated("power press", "Done")
    async with open_kvm("vnc://127.0.0.1:9") as there:
        scripted.inputs = there.inputs
        await scripted.session.send("switch it on")
        await asyncio.wait_for(scripted.session.wait_ended(), 10)
        assert scripted.facts("approval") == []
        assert "cannot press that button" in scripted.model.request_text()
        with pytest.raises(ActionError, match="keyboard and a mouse cannot"):
            HidInputs(there.kvm).check(Power(button="reset"))
