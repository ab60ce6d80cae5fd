"""A check-up of a scripted model over a real socket."""

from __future__ import annotations

from typing import NoReturn

from cua.app.factory import make_sent_size
from cua.evaluation.checkup.model_under_test import ModelUnderTest, RequestSettings
from cua.evaluation.checkup.report import Report
from cua.evaluation.checkup.run import Checkup
from cua.evaluation.testbed import Boot
from cua.events.log import EventLog
from cua.models import registry
from cua.types import CuaError, Model
from tests.evaluation.checkup.scripted_models import SCREEN, SEED, Seer
from tests.servers.openai_server import OpenAIServer, Script

MODEL_NAME = "vendor/some-model"


def no_computer(*_: str) -> NoReturn:
    """For check-ups that need no simulated computer."""
    raise CuaError("There is none here.")


def connect_model(server: OpenAIServer, model_name: str = MODEL_NAME, key: str = "") -> Model:
    return registry.create(
        "openai", base_url=server.base_url, api_key=key, model_name=model_name, log=EventLog()
    )


async def run_checkup(
    script: Script,
    dialect: str,
    width: int = 0,
    *,
    model_name: str = MODEL_NAME,
    boot: Boot = no_computer,
    key: str = "",
    server_key: str = "",
) -> Report:
    screen = script.screen if isinstance(script, Seer) else SCREEN
    async with OpenAIServer(script, models=[model_name], key=server_key) as there:
        subject = ModelUnderTest(
            "some model",
            model_name,
            RequestSettings(dialect, width),
            screen,
            lambda _: connect_model(there, model_name, key),
            make_sent_size,
        )
        return await Checkup(subject, EventLog(), SEED, boot).run()
