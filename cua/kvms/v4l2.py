"""Reads JPEGs from a V4L2 capture device; standard library only."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import struct

CAPTURE, MMAP, ANY_FIELD = 1, 1, 0
"""V4L2_BUF_TYPE_VIDEO_CAPTURE, V4L2_MEMORY_MMAP, V4L2_FIELD_ANY."""
NEEDED = 0x04000001
"""Capabilities: V4L2_CAP_STREAMING and V4L2_CAP_VIDEO_CAPTURE."""
DEVICE_CAPS = 0x80000000
FAULTY = 0x40
"""V4L2_BUF_FLAG_ERROR."""
MJPEG = b"MJPG"
BUFFERS = 4
WRITE, READ = 1, 2

_CAPABILITY = struct.Struct("16s32s32s3I12x")
_FORMAT = struct.Struct("@I0L2I4sI184x")
_REQUEST = struct.Struct("5I")
_BUFFER = struct.Struct("@5I2l16s2IL3I0L")
_TYPE = struct.Struct("i")


class NotMjpegError(OSError):
    """The device does not provide MJPEG; `format` is its format."""

    def __init__(self, form: str) -> None:
        super().__init__(errno.EINVAL, form)
        self.format = form


class Capture:
    """A streaming device, at its size in pixels that is nearest to `size`.

    All methods raise `OSError`; ENOTTY: not a capture device.
    """

    def __init__(self, path: str, size: tuple[int, int]) -> None:
        self._device = os.fdopen(os.open(path, os.O_RDWR | os.O_NONBLOCK), "r+b", buffering=0)
        self._buffers: list[mmap.mmap] = []
        try:
            self._check()
            self._set_format(*size)
            self._start()
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        return self._device.fileno()

    def read(self) -> list[bytes]:
        """Return all pictures since the last call, and return their buffers to the driver."""
        return [picture for picture in iter(self._dequeue, None) if picture]

    def close(self) -> None:
        for buffer in self._buffers:
            buffer.close()
        self._device.close()

    def _check(self) -> None:
        try:
            *_, all_, own = _CAPABILITY.unpack(self._ioctl(READ, 0, _CAPABILITY))
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ENOTTY):
                raise _not_a_capture() from error
            raise
        if (own if all_ & DEVICE_CAPS else all_) & NEEDED != NEEDED:
            raise _not_a_capture()

    def _set_format(self, width: int, height: int) -> None:
        set_ = self._ioctl(READ | WRITE, 5, _FORMAT, CAPTURE, width, height, MJPEG, ANY_FIELD)
        *_, form, _ = _FORMAT.unpack(set_)
        if form != MJPEG:
            raise NotMjpegError(form.decode("ascii", "replace"))

    def _start(self) -> None:
        asked = self._ioctl(READ | WRITE, 8, _REQUEST, BUFFERS, CAPTURE, MMAP, 0, 0)
        for index in range(_REQUEST.unpack(asked)[0]):
            fields = _BUFFER.unpack(self._buffer(9, index))
            *_, offset, length, _, _ = fields
            self._buffers.append(mmap.mmap(self.fileno(), length, offset=offset))
            self._buffer(15, index)
        self._ioctl(WRITE, 18, _TYPE, CAPTURE)

    def _dequeue(self) -> bytes | None:
        """Return a picture, empty if it is faulty; None if there is none."""
        try:
            index, _, used, flags, *_ = _BUFFER.unpack(self._buffer(17, 0))
        except BlockingIOError:
            return None
        picture = b"" if flags & FAULTY else self._buffers[index][:used]
        self._buffer(15, index)
        return picture

    def _buffer(self, number: int, index: int) -> bytearray:
        """Call QUERYBUF (9), QBUF (15) or DQBUF (17)."""
        fields = (index, CAPTURE, 0, 0, 0, 0, 0, bytes(16), 0, MMAP, 0, 0, 0, 0)
        return self._ioctl(READ | WRITE, number, _BUFFER, *fields)

    def _ioctl(
        self, direction: int, number: int, layout: struct.Struct, *fields: int | bytes
    ) -> bytearray:
        """Call _IOR, _IOW or _IOWR('V', number); return the structure that the kernel filled in."""
        data = bytearray(layout.pack(*fields) if fields else layout.size)
        request = direction << 30 | layout.size << 16 | ord("V") << 8 | number
        fcntl.ioctl(self._device, request, data)
        return data


def _not_a_capture() -> OSError:
    return OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))
