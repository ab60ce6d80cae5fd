"""The images that a KVM stores, behind the web APIs of NanoKVM, NanoKVM-Pro and PiKVM."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

Allowed = Callable[[HTTPConnection], bool]


@dataclass
class DiskImages:
    """Change the fields while it runs. `files`: name or path -> content."""

    files: dict[str, bytes] = field(default_factory=dict)
    web: dict[str, bytes] = field(default_factory=dict)
    """What the KVM can download, by URL."""
    mounted: str = ""
    cdrom: bool = False
    changes: list[str] = field(default_factory=list)
    fetching: int = 0
    """Requests for the state of a download until it has come."""
    cancelled: int = 0
    """Downloads."""

    def nanokvm_routes(self, allowed: Allowed, *, pro: bool = False) -> list[Route]:
        """The firmware's own; a NanoKVM-Pro takes an upload in parts."""

        def route(path: str, answer: Callable[[Request], Any], *methods: str) -> Route:
            async def guarded(request: Request) -> Response:
                if not allowed(request):
                    return PlainTextResponse("unauthorized", 401)
                data = await answer(request)
                if isinstance(data, str):
                    return JSONResponse({"code": -2, "msg": data})
                return JSONResponse({"code": 0, "msg": "success", "data": data})

            return Route(path, guarded, methods=methods or ["GET"])

        download = "/api/storage/download/image" if pro else "/api/download/image"
        return [
            route("/api/storage/image", self._list),
            route("/api/storage/image/mounted", self._pro_mounted if pro else self._mounted),
            route("/api/storage/cdrom", self._is_cdrom),
            route("/api/storage/image/mount", self._mount, "POST"),
            route("/api/download/file", self._take_form, "POST"),
            route("/api/storage/image/upload", self._take_part, "POST"),
            route(download, self._download, "POST"),
            route(f"{download}/status", self._download_state),
            route(f"{download}/cancel", self._cancel_download, "POST"),
        ]

    async def _list(self, _: Request) -> Any:
        return {"files": list(self.files)}

    async def _mounted(self, _: Request) -> Any:
        return {"file": self.mounted}

    async def _pro_mounted(self, _: Request) -> Any:
        return {"file": self.mounted, "cdrom": self.cdrom, "readOnly": True}

    async def _is_cdrom(self, _: Request) -> Any:
        return {"cdrom": int(self.cdrom)}

    async def _mount(self, request: Request) -> Any:
        body = await request.json()
        if body["file"] and body["file"] not in self.files:
            return "invalid arguments"
        if body["cdrom"] or not body["file"]:  # else the firmware keeps the kind
            self.cdrom = body["cdrom"]
        self.mounted = body["file"]
        self.changes.append(f"mount {self.mounted} {'cdrom' if self.cdrom else 'disk'}")
        return {}

    async def _take_form(self, request: Request) -> Any:
        async with request.form() as form:
            file = form["file"]
            assert isinstance(file, UploadFile)
            if not (file.filename or "").endswith(".iso"):
                return "only .iso files allowed"
            self.files[f"/data/{file.filename}"] = await file.read()
        return {"status": "idle"}

    async def _take_part(self, request: Request) -> Any:
        async with request.form() as form:
            file = form["file"]
            assert isinstance(file, UploadFile)
            index, total = int(str(form["chunkIndex"])), int(str(form["totalChunks"]))
            name = f"/data/{file.filename}"
            part = await file.read()
        if index == total:
            self.files[name] = self.files.pop(f"{name}.part")
        else:
            assert index == len(self.files.get(f"{name}.part", b"")) // int(str(form["chunkSize"]))
            self.files[f"{name}.part"] = self.files.get(f"{name}.part", b"") + part
        return {}

    async def _download(self, request: Request) -> Any:
        url = (await request.json())["file"]
        if url not in self.web:
            return "failed when checking the url"
        self.fetching = 2
        self.files[f"/data/{url.rpartition('/')[2]}"] = self.web[url]
        return {"status": "in_progress", "file": url, "percentage": ""}

    async def _download_state(self, _: Request) -> Any:
        self.fetching -= 1
        if self.fetching < 0:
            return {"status": "idle", "file": "", "percentage": ""}
        return {"status": "in_progress", "percentage": f"{100 - 25 * self.fetching:.2f}%"}

    async def _cancel_download(self, _: Request) -> Any:
        self.cancelled += 1
        return {}

    def pikvm_routes(self, allowed: Allowed) -> list[Route]:
        def route(path: str, answer: Callable[[Request], Any], method: str = "POST") -> Route:
            async def guarded(request: Request) -> Response:
                if not allowed(request):
                    return JSONResponse({"ok": False, "result": {}}, 401)
                result = await answer(request)
                if isinstance(result, Response):
                    return result
                if isinstance(result, str):
                    return JSONResponse({"ok": False, "result": {"error_msg": result}}, 400)
                return JSONResponse({"ok": True, "result": result})

            return Route(f"/api/msd{path}", guarded, methods=[method])

        return [
            route("", self._msd, "GET"),
            route("/set_params", self._set_params),
            route("/set_connected", self._set_connected),
            route("/write", self._write),
            route("/write_remote", self._write_remote),
        ]

    _image = ""
    """Chosen in the drive, connected or not."""

    async def _msd(self, _: Request) -> Any:
        images = {
            name: {"name": name, "size": len(file), "complete": True}
            for name, file in self.files.items()
        }
        chosen = images.get(self._image)
        drive = {"image": chosen, "connected": bool(self.mounted), "cdrom": self.cdrom, "rw": False}
        return {"enabled": True, "online": True, "storage": {"images": images}, "drive": drive}

    async def _set_params(self, request: Request) -> Any:
        if self.mounted:
            return "Can't change params: the drive is connected"
        self._image = request.query_params["image"]
        self.cdrom = request.query_params["cdrom"] == "1"
        return {}

    async def _set_connected(self, request: Request) -> Any:
        connected = request.query_params["connected"] == "1"
        if connected and self.mounted:
            return "The drive is connected already"
        self.mounted = self._image if connected else ""
        self.changes.append(f"mount {self.mounted} {'cdrom' if self.cdrom else 'disk'}")
        return {}

    async def _write(self, request: Request) -> Any:
        body = await request.body()
        assert len(body) == int(request.headers["content-length"])
        self.files[request.query_params["image"]] = body
        return {"image": {"written": len(body)}}

    async def _write_remote(self, request: Request) -> Any:
        url = request.query_params["url"]
        name, file = url.rpartition("/")[2], self.web.get(url)
        if file is None:
            return "404 Not Found"

        async def lines() -> AsyncIterator[str]:
            for part in (0, 1, 2):
                written = len(file) * part // 2
                image = {"name": name, "size": len(file), "written": written}
                yield json.dumps({"ok": True, "result": {"image": image}}) + "\r\n"
                await asyncio.sleep(0.05)
            self.files[name] = file

        return StreamingResponse(lines(), media_type="application/x-ndjson")
