"""Routes of the procedures: tasks that are repeated without a model."""

from __future__ import annotations

import asyncio
import base64
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Body, Request, Response

from ..events.archive import list_data
from ..messages import Message, to_json
from ..safety.secrets import DOTS
from ..types import Area, Busy, ProcedureError
from ..types.describe import describe_briefly
from .client_connection import while_connected
from .history_routes import make_thumbnail

if TYPE_CHECKING:
    from ..app.machine import Machine
    from ..procedures.by_hand import HandRecording
    from ..procedures.folder import ProcedureFolder
    from ..procedures.procedure import Procedure, Step

PATH = "/api/procedures"
FILE_PATH = f"{PATH}/file"
FOUND_PX = (640, 400)
"""Width and height at most of the picture that shows where a sign was found."""
Name = Annotated[str, Body(max_length=60)]
OneName = Annotated[str, Body(embed=True, max_length=60)]
Index = Annotated[int, Body(ge=0)]
"""The index of a step."""
Text = Annotated[str, Body()]
"""A procedure as YAML or JSON."""
Values = Annotated[dict[str, Annotated[str, Body(max_length=10_000)]], Body()]
"""Name of a parameter -> its value."""


def add(app: APIRouter, machine: Machine) -> None:
    _add_files(app, machine)
    _add_tasks(app, machine)
    _add_recording(app, machine)


def _add_files(app: APIRouter, machine: Machine) -> None:
    @app.get(PATH)
    async def names() -> list[str]:
        return await asyncio.to_thread(machine.procedure_folder().names)

    @app.get(f"{PATH}/{{name}}")
    async def procedure(name: str) -> dict[str, Any]:
        """Return a procedure, and for each step words for each action."""
        found = await asyncio.to_thread(machine.procedure_folder().load, name)
        words = [to_json(_list_actions(each)) for each in found.steps]
        return {"procedure": found.model_dump(mode="json", exclude_defaults=True), "words": words}

    @app.get(f"{FILE_PATH}/{{name}}.yaml")
    async def file(name: str) -> Response:
        from ..procedures.procedure import write

        found = await asyncio.to_thread(machine.procedure_folder().load, name)
        return Response(write(found), media_type="application/yaml")

    @app.post(FILE_PATH)
    async def save_file(text: Text, replaces: Name = "") -> dict[str, str]:
        """Save a procedure in YAML or JSON; it replaces another one, or gets a free name."""
        found = await asyncio.to_thread(_read, machine.procedure_folder(), text, replaces)
        await _save(machine, found, replaces=replaces)
        return {"name": found.name}

    @app.post(f"{PATH}/find")
    async def find(text: Text, step: Index, part: Area | None = None) -> dict[str, Any]:
        """Find the sign of a step on the screen; return its place `at`: left, top, right, bottom,
        or what a `line` that contains its text says about it.

        With `part`, choose a unique sign there, and return it as `when`.
        """
        from ..procedures.choose_sign import choose_sign_in
        from ..procedures.procedure import read
        from ..procedures.signs import SignFinder, find_longer_line

        procedure = await asyncio.to_thread(read, text)
        finder = SignFinder(machine.ocr.read, procedure.screen)
        frame = await (machine.look_without_pointer(part) if part else machine.look())
        sign = next((each.when for each in procedure.steps[step:]), None)
        at = await finder.find(sign, frame) if sign else None
        text = sign.text if sign and not at else ""
        line = find_longer_line(text, await machine.ocr.read(frame)) if text else ""
        when = await choose_sign_in(finder, frame, part) if part else None
        jpeg = await asyncio.to_thread(make_thumbnail, frame.jpeg, FOUND_PX)
        place = part or at
        return {
            "at": place and [place.left, place.top, place.right, place.bottom],
            "line": to_json(Message("procedure.part_of_line", line=line)) if line else "",
            "jpeg": base64.b64encode(jpeg or b"").decode(),
            "when": when and when.model_dump(mode="json", exclude_defaults=True),
        }

    @app.post(f"{PATH}/remove")
    async def remove(name: OneName) -> None:
        await asyncio.to_thread(machine.procedure_folder().remove, name)
        machine.log.send_transient("procedures", replaced=name, name="")


def _add_tasks(app: APIRouter, machine: Machine) -> None:
    @app.post(f"{PATH}/suggest")
    async def suggest(task: OneName) -> dict[str, Any]:
        """Return the typed texts of a recorded task that may become parameters."""
        from ..procedures.from_record import suggest_values
        from ..procedures.recorded_steps import find_goal

        events = await asyncio.to_thread(machine.archive.events, task)
        goal = find_goal(events)
        by_hand = bool(list_data(events, "by_hand"))  # these are not in the procedure
        return {"goal": goal, "values": suggest_values(events), "by_hand": by_hand}

    @app.post(f"{PATH}/make")
    async def make(request: Request, name: Name, task: Name, values: Values) -> None:
        from ..procedures.from_record import make_procedure

        machine.procedure_folder().check_new(name)
        progress = partial(_send_progress, machine)
        with while_connected(request):
            found = await make_procedure(
                name, machine.archive, task, values, machine.ocr.read, progress
            )
            await _save(machine, found)

    @app.post(f"{PATH}/extend")
    async def extend(task: OneName) -> None:
        """Add the model's steps in a recorded task to the procedure that ran last."""
        from ..procedures.from_record import add_alternative
        from ..procedures.replay import Replay

        replay, folder = machine.session.replay, machine.procedure_folder()
        saved = await asyncio.to_thread(folder.load, replay.name) if replay else None
        if not isinstance(replay, Replay) or saved != replay.procedure:
            raise ProcedureError(Message("procedure.cannot_add"))
        events = await asyncio.to_thread(machine.archive.events, task)
        picture = partial(machine.archive.picture, task)
        found = await add_alternative(replay, events, picture, machine.ocr.read)
        await asyncio.to_thread(folder.save, found, replaces=found.name)

    @app.post(f"{PATH}/run")
    async def run(
        name: Name, values: Values, first: Index = 0, anew: Annotated[bool, Body()] = False
    ) -> None:
        """Add a procedure to the queue, from step `first` on; `anew`: begin it now, as `send`."""
        found = await asyncio.to_thread(machine.procedure_folder().load, name)
        task = machine.make_replay(found, values, first)
        await (machine.session.send(*task, anew=True) if anew else machine.queue.add(task))


def _add_recording(app: APIRouter, machine: Machine) -> None:
    """Add the routes that make a procedure of the person's manual actions."""

    @app.post(f"{PATH}/record")
    async def begin() -> None:
        machine.record_by_hand()

    @app.post(f"{PATH}/record/end")
    async def end() -> list[dict[str, str]]:
        """Return the typed texts, possible passwords as dots, each with a suggested name."""
        recording = _recording(machine)
        machine.manual_control.recording = None
        await recording.end()
        typed = recording.typed().items()
        return [{"text": DOTS if name else text, "name": name} for text, name in typed]

    @app.post(f"{PATH}/record/save")
    async def save(request: Request, name: Name, names: Annotated[list[str], Body()]) -> None:
        """`names`: parameter of each typed text, in order; "" for a fixed one."""
        machine.procedure_folder().check_new(name)
        progress = partial(_send_progress, machine)
        with while_connected(request):
            try:
                found = await _recording(machine).make(
                    name, names, machine.secret_store.keep, progress
                )
            except ValueError as error:
                raise ProcedureError(error.args[0]) from None
            await _save(machine, found)
            machine.hand_recording = None

    @app.post(f"{PATH}/record/discard")
    async def discard() -> None:
        machine.hand_recording = None


def _read(folder: ProcedureFolder, text: str, replaces: str) -> Procedure:
    from ..procedures.procedure import read

    found = read(text)
    name = found.name if replaces else folder.find_free_name(found.name)
    return found.model_copy(update={"name": name})


async def _save(machine: Machine, procedure: Procedure, *, replaces: str = "") -> None:
    await asyncio.to_thread(machine.procedure_folder().save, procedure, replaces=replaces)
    machine.log.send_transient("procedures", replaced=replaces, name=procedure.name)


def _send_progress(machine: Machine, number: int, count: int) -> None:
    """Send the number of the screenshot that is read to each page."""
    words = Message("procedure.reading", number=number, count=count)
    machine.log.send_transient("reading", text=words)


def _recording(machine: Machine) -> HandRecording:
    if machine.hand_recording is None:
        raise Busy(Message("procedure.not_recording"))
    return machine.hand_recording


def _list_actions(step: Step) -> list[str]:
    if step.steps:
        return [Message("procedure.nested", count=len(step.steps))]
    return [describe_briefly(each) for each in step.do] or [Message("procedure.waits")]
