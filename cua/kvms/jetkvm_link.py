"""A WebRTC session with a JetKVM: JSON-RPC over a data channel, and H.264 video."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import queue
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..messages import Message
from ..timeouts import wait_for_answer, wait_for_event, within
from ..types import DeviceError, as_object, parse_object
from .hid_link import HidLink
from .websocket_link import WebSocketLink

if TYPE_CHECKING:
    from aiortc import MediaStreamTrack, RTCPeerConnection
    from av import VideoFrame

SIGNALING_PATH = "/webrtc/signaling/client"
CLOSE_TIMEOUT_S = 3.0
CALL_TIMEOUT_S = 10.0
"""Time limit of a request; pressing the power button long takes 5 s."""
DRAIN_TIMEOUT_S, FLUSH_S = 0.5, 0.1
"""Time limits when a session closes; one that was taken over can still send for 1 s."""
PICTURE_TIMEOUT_S = 3.0
"""Time limit for a picture; a key frame comes every 2 s at the latest."""


def make_request(method: str, **params: Any) -> bytes:
    """Return a JSON-RPC request; its id is added when it is sent."""
    return json.dumps({"method": method, "params": params}).encode()


USB_STATE = make_request("getUSBState")
CONFIGURED = "configured"
"""The USB state while the computer accepts input."""
IDR = 5
DECODER_QUEUE = "_RTCRtpReceiver__decoder_queue"
"""Attribute of aiortc's receiver, which has no API to decode only some frames."""


class DecoderGate(queue.Queue[Any]):
    """The queue of aiortc's decoder; while it is closed, frames are dropped.

    After opening, it drops frames until the next key frame: the firmware sends none on request.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_open = self._has_begun = False

    def set_open(self, is_open: bool) -> None:
        self._is_open, self._has_begun = is_open, False

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """`item`: codec and encoded frame; None ends the decoder."""
        if item is not None:
            self._has_begun = self._is_open and (self._has_begun or _is_key_frame(item[1].data))
        if item is None or self._has_begun:
            super().put(item, block, timeout)


class Video:
    """The H.264 of one session, decoded only while it is watched."""

    def __init__(self, peer: RTCPeerConnection) -> None:
        from aiortc import RTCRtpReceiver

        transceiver = peer.addTransceiver("video", direction="recvonly")
        capabilities = RTCRtpReceiver.getCapabilities("video")
        assert capabilities
        codecs = [each for each in capabilities.codecs if each.mimeType == "video/H264"]
        transceiver.setCodecPreferences(codecs)
        self._gate = DecoderGate()
        assert hasattr(transceiver.receiver, DECODER_QUEUE)
        setattr(transceiver.receiver, DECODER_QUEUE, self._gate)
        self.newest: VideoFrame | None = None
        self._arrived = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        peer.on("track", self._start)

    @contextlib.contextmanager
    def watch(self) -> Iterator[None]:
        """Decode frames during the block."""
        self._arrived.clear()
        self._gate.set_open(True)
        try:
            yield
        finally:
            self._gate.set_open(False)

    async def next(self) -> VideoFrame:
        """Return the newest frame that was not returned yet. Raises `asyncio.TimeoutError`."""
        async with within(PICTURE_TIMEOUT_S):
            await self._arrived.wait()
        self._arrived.clear()
        assert self.newest
        return self.newest

    def _start(self, track: MediaStreamTrack) -> None:
        self._reading = asyncio.ensure_future(self._read(track))

    async def _read(self, track: MediaStreamTrack) -> None:
        """Keep the newest frame. After a damaged one, wait for the next key frame."""
        from aiortc.mediastreams import MediaStreamError

        whole = True
        with contextlib.suppress(MediaStreamError):
            while True:
                frame: Any = await track.recv()
                whole = not frame.is_corrupt and (whole or bool(frame.key_frame))
                if whole:
                    self.newest = frame
                    self._arrived.set()


class RpcLink(HidLink):
    """One WebRTC session.

    The firmware handles requests concurrently, so those of `send` are sent one by one. It reports
    success even if the computer did not receive them, so each is followed by a request for the USB
    state. `releases` returns the requests that release everything, sent before every close.
    """

    def __init__(
        self,
        releases: Callable[[], Sequence[bytes]],
        on_event: Callable[[RpcLink, str, Any], None],
        on_attached: Callable[[bool], None],
        on_lost: Callable[[], None],
    ) -> None:
        from aiortc import RTCConfiguration, RTCPeerConnection

        super().__init__(on_lost)
        self._releases, self._on_event, self._on_attached = releases, on_event, on_attached
        self._peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.video = Video(self._peer)
        self._channel = self._peer.createDataChannel("rpc")
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._channel.on("open", self._handle_open)
        self._channel.on("message", self._receive)
        self._channel.on("close", self.drop)
        self._has_opened = False
        self._socket: WebSocketLink | None = None
        self._candidates: list[Mapping[str, Any]] = []
        """Candidates that came before the answer."""
        self._signals: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        self._signaling = asyncio.ensure_future(self._handle_signals())
        self._id = 0
        self._calls: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._queue: deque[tuple[bytes, int]] = deque()
        """Requests of `send`, each with the number of the send that it completes, or 0."""
        self._asked: tuple[int, int] | None = None
        """Id and number of the unanswered request; None: all are answered."""
        self._fault = ""
        """Reason of a failed request of the current send; "": none."""
        self._drained = asyncio.Event()
        """Set once all requests sent before the close are answered."""
        self._closing: asyncio.Task[None] | None = None

    # --- opening and closing -----------------------------------------------------------------

    async def start(self, socket: WebSocketLink) -> None:
        """Offer a session over the signaling WebSocket, and wait until requests can be sent."""
        self._socket = socket
        await self._peer.setLocalDescription(await self._peer.createOffer())
        offer = {"type": "offer", "sdp": self._peer.localDescription.sdp}
        sd = base64.b64encode(json.dumps(offer).encode()).decode()
        socket.send_text(json.dumps({"type": "offer", "data": {"sd": sd}}))
        await self._opened
        self.open = self._has_opened = True

    def _handle_open(self) -> None:
        if not self._opened.done():
            self._opened.set_result(None)

    def receive_signal(self, message: str | bytes) -> None:
        self._signals.put_nowait(parse_object(message))

    async def _handle_signals(self) -> None:
        from aiortc import RTCSessionDescription

        while True:
            signal = await self._signals.get()
            if signal.get("error") and not self._opened.done():
                self._opened.set_exception(DeviceError(str(signal["error"])))
            elif signal.get("type") == "new-ice-candidate":
                self._candidates.append(as_object(signal.get("data")))
            elif signal.get("type") == "answer":
                sdp = parse_object(base64.b64decode(str(signal.get("data"))))["sdp"]
                await self._peer.setRemoteDescription(RTCSessionDescription(sdp, "answer"))
            while self._peer.remoteDescription and self._candidates:
                await self._add_candidate(self._candidates.pop(0))

    async def _add_candidate(self, data: Mapping[str, Any]) -> None:
        from aiortc.sdp import candidate_from_sdp

        text = str(data.get("candidate")).partition(":")[2]
        if text:  # empty: there are no more candidates
            candidate = candidate_from_sdp(text)
            candidate.sdpMid, candidate.sdpMLineIndex = data.get("sdpMid"), data["sdpMLineIndex"]
            await self._peer.addIceCandidate(candidate)

    def drop(self) -> None:
        if self._closing is None:
            self._queue.clear()
        self.close()

    def close(self) -> None:
        self.open = False
        if self._closing is None:
            self._queue += [(each, 0) for each in self._releases()]
            self._closing = asyncio.ensure_future(self._close())
            self._send_next()

    async def closed(self) -> None:
        """Wait until the session is closed; its release must precede the next session's reports."""
        if self._closing:
            await asyncio.wait([self._closing])

    async def _close(self) -> None:
        await wait_for_event(self._drained, DRAIN_TIMEOUT_S)
        if self._queue:  # unanswered, but perhaps still read
            for message, _ in self._queue:
                self._post(message)
            await asyncio.sleep(FLUSH_S)
        self._signaling.cancel()
        self._end()
        if self._has_opened:
            self._on_lost()
        if self._socket:
            self._socket.close()
        with contextlib.suppress(asyncio.TimeoutError):
            async with within(CLOSE_TIMEOUT_S):
                await self._peer.close()

    def _end(self) -> None:
        super()._end()
        for call in self._calls.values():
            if not call.done():
                call.set_exception(DeviceError(self.loss))

    # --- requests ----------------------------------------------------------------------------

    async def call(self, method: str, **params: Any) -> Any:
        """Send a request; return its result. Raises `DeviceError`."""
        if not self.open:
            raise DeviceError(self.loss)
        future: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        number = self._post(make_request(method, **params))
        self._calls[number] = future
        try:
            answer = await wait_for_answer(future, CALL_TIMEOUT_S)
        except asyncio.TimeoutError:  # of this request or of the session
            raise DeviceError(Message("kvm.no_reply", request=method)) from None
        finally:
            del self._calls[number]
        if "error" in answer:
            raise DeviceError(_describe(answer["error"]))
        return answer.get("result")

    def _transmit(self, messages: Sequence[bytes]) -> None:
        self._queue += [*((each, 0) for each in messages), (USB_STATE, self._number)]
        self._send_next()

    def _send_next(self) -> None:
        if self._queue and not self._asked and self._can_send():
            message, number = self._queue.popleft()
            self._asked = self._post(message), number
        elif self._closing and not (self._asked and self._can_send()):
            self._drained.set()

    def _can_send(self) -> bool:
        return bool(self._channel.readyState == "open")

    def _post(self, message: bytes) -> int:
        self._id += 1
        if self._can_send():
            self._channel.send(f'{{"jsonrpc": "2.0", "id": {self._id}, '.encode() + message[1:])
        return self._id

    def _receive(self, message: str | bytes) -> None:
        parsed = parse_object(message)
        number = parsed.get("id")
        if self._asked and number == self._asked[0]:
            ended, self._asked = self._asked[1], None
            self._settle(ended, parsed)
            self._send_next()
        elif number in self._calls:
            if not self._calls[number].done():
                self._calls[number].set_result(parsed)
        elif "method" in parsed and not self._closing:
            self._on_event(self, str(parsed["method"]), parsed.get("params"))

    def _settle(self, ended: int, answer: Mapping[str, Any]) -> None:
        """Handle an answer; `ended`: the number of the send that its request completes, or 0."""
        if "error" in answer:
            self._fault = self._fault or _describe(answer["error"])
        if not ended:
            return
        attached = answer.get("result") == CONFIGURED
        self._on_attached(attached)
        if not attached:
            self._fault = Message("hid.not_attached")
        fault, self._fault = self._fault, ""
        read = self._pending.pop(ended, None)
        if read and not read.done():
            if fault:
                read.set_exception(DeviceError(fault))
            else:
                read.set_result(None)


def _describe(error: Any) -> str:
    fields = as_object(error)
    return str(fields.get("data") or fields.get("message") or error)


def _is_key_frame(data: bytes) -> bool:
    """Whether an H.264 picture (Annex B) needs no earlier ones."""
    return any(unit[:1] and unit[0] & 0x1F == IDR for unit in data.split(b"\0\0\0\1"))
