"""A VNC server that sends what it is told: logins, encodings and sizes that no server here has."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

APPLE = 33
COPY_RECT, RAW, DESKTOP_SIZE = 1, 0, -223
SHIFT, KEYSYMS = 0xFFE1, {0xFF0D: "\n"}
LENGTHS = {0: 19, 4: 7, 5: 5}
"""Type of a client's message -> the bytes after it, where these are always as many."""


def raw(x: int, y: int, width: int, height: int, pixels: bytes) -> bytes:
    return struct.pack(">HHHHi", x, y, width, height, RAW) + pixels


def copied(x: int, y: int, width: int, height: int, start: tuple[int, int]) -> bytes:
    return struct.pack(">HHHHiHH", x, y, width, height, COPY_RECT, *start)


def resized(width: int, height: int) -> bytes:
    return struct.pack(">HHHHi", 0, 0, width, height, DESKTOP_SIZE)


def update(*rectangles: bytes) -> bytes:
    return struct.pack(">BxH", 0, len(rectangles)) + b"".join(rectangles)


@dataclass
class RfbServer:
    """Answers each request for the screen with the next one of `answers`, then with a grey one."""

    size: tuple[int, int] = (160, 120)
    logins: tuple[int, ...] = (1,)
    hello: bytes = b"RFB 003.889\n"
    account: tuple[str, str] = ("maria", "a long password, longer than DES would take")
    answers: list[bytes] = field(default_factory=list)
    encodings: list[int] = field(default_factory=list)
    requests: list[tuple[int, ...]] = field(default_factory=list)
    """Incremental, x, y, width, height of each."""
    written: list[bytes] = field(default_factory=list)
    """Messages of keys and pointer."""
    tries: int = 0

    @property
    def keys(self) -> list[tuple[int, int]]:
        """Whether each key goes down, and its keysym."""
        return [struct.unpack(">xBxxI", each) for each in self.written if each[0] == 4]

    @property
    def text(self) -> str:
        """What the keys that were pressed print."""
        pressed = [key for down, key in self.keys if down and key != SHIFT]
        return "".join(KEYSYMS.get(key, chr(key)) for key in pressed)

    def down(self) -> bool:
        last = {key: down for down, key in self.keys}
        buttons = [each[1] for each in self.written if each[0] == 5]
        return any(last.values()) or any(buttons[-1:])

    def resize(self, width: int, height: int) -> None:
        self.size = width, height
        self.answers.append(update(resized(width, height)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(self.hello)
            assert await reader.readexactly(12) == b"RFB 003.008\n"
            writer.write(bytes([len(self.logins), *self.logins]))
            if await self._logged_in(reader, writer):
                await reader.readexactly(1)
                name = b"a name"
                writer.write(struct.pack(">HH16xI", *self.size, len(name)) + name)
                while True:
                    await self._take(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _logged_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if (await reader.readexactly(1))[0] == APPLE:
            self.tries += 1
            if await self._apple(reader, writer) != self.account:
                writer.write(struct.pack(">I", 1))
                return False
        writer.write(bytes(4))
        return True

    async def _apple(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[str, ...]:
        key = rsa.generate_private_key(65537, 2048)
        shown = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        assert await reader.readexactly(14) == b"\0\0\0\x0a\1\0RSA1\0\0\0\0"
        packet = b"\1\0" + struct.pack(">I", len(shown)) + shown + b"\0"
        writer.write(struct.pack(">I", len(packet)) + packet)
        (length,) = struct.unpack(">I", await reader.readexactly(4))
        said = await reader.readexactly(length)
        assert (said[:8], said[136:138], len(said)) == (b"\1\0RSA1\0\1", b"\0\1", 138 + 256)
        session_key = key.decrypt(said[138:], padding.PKCS1v15())
        decryptor = Cipher(algorithms.AES(session_key), modes.ECB()).decryptor()
        fields = decryptor.update(said[8:136])
        writer.write(bytes(4))
        return tuple(each.partition(b"\0")[0].decode() for each in (fields[:64], fields[64:]))

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kind = (await reader.readexactly(1))[0]
        if kind == 2:
            (count,) = struct.unpack(">xH", await reader.readexactly(3))
            self.encodings = [*struct.unpack(f">{count}i", await reader.readexactly(4 * count))]
        elif kind == 3:
            request = struct.unpack(">BHHHH", await reader.readexactly(9))
            self.requests.append(request)
            if request[1:] == (0, 0, 1, 1) or not request[0]:  # the last one of those that belong
                writer.write(self.answers.pop(0) if self.answers else self._grey())
        else:
            self.written.append(bytes([kind]) + await reader.readexactly(LENGTHS[kind]))

    def _grey(self) -> bytes:
        width, height = self.size
        return update(raw(0, 0, width, height, b"\x80\x80\x80\0" * (width * height)))


@asynccontextmanager
async def serving(server: RfbServer) -> AsyncIterator[str]:
    """`host:port`"""
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    finally:
        listener.close()


def pixels(colours: Sequence[tuple[int, int, int]]) -> bytes:
    return b"".join(bytes([blue, green, red, 0]) for red, green, blue in colours)
