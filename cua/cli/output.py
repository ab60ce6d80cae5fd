"""Output to the terminal, and signals."""

from __future__ import annotations

import atexit
import contextlib
import errno
import io
import os
import signal
import sys
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, NoReturn, TypeVar

from ..exit_codes import CANNOT_START, FAILED, INTERRUPTED

T = TypeVar("T")
_SET_MODEL = "Here, set CUA_API_TYPE, CUA_BASE_URL, CUA_MODEL_NAME and CUA_API_KEY."
"""Remedy in a terminal, in addition to the page."""


def prepare_terminal() -> None:
    """Prepare the standard streams and the signals.

    Replace characters that the terminal cannot show, open closed streams on /dev/null, and treat
    a hangup as a termination.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))
    for channel in (sys.stdout, sys.stderr):
        if isinstance(channel, io.TextIOWrapper):
            channel.reconfigure(errors="backslashreplace")
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, _end_at_once)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def _end_at_once(*_: object) -> NoReturn:
    """Exit on Ctrl-C during imports, where an exception would look like a fault of a package."""
    os.write(2, b"Interrupted.\n")
    atexit._run_exitfuncs()
    os._exit(INTERRUPTED)


@contextlib.contextmanager
def allow_interrupt() -> Iterator[None]:
    """Raise `KeyboardInterrupt` on Ctrl-C in the block."""
    before = signal.getsignal(signal.SIGINT)
    if before is _end_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def run_job(job: Coroutine[Any, Any, T]) -> T:
    """Run `job`. Raises `KeyboardInterrupt` if a signal cancels it."""
    return _run_until_signal(job, (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1))


def run_server(server: Coroutine[Any, Any, T]) -> T:
    """Run a job that handles signals itself, but may be cancelled by SIGINT."""
    return _run_until_signal(server, (signal.SIGINT,))


def _run_until_signal(job: Coroutine[Any, Any, T], signals: Sequence[signal.Signals]) -> T:
    import asyncio

    async def cancel_on_signals() -> T:
        task = asyncio.current_task()
        assert task is not None
        for number in signals:
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        return await job

    # Before the job begins, Ctrl-C exits at once: an exception would leave an unfinished loop.
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)
    try:
        return asyncio.run(cancel_on_signals())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, before)


def report_interrupt() -> int:
    sys.stderr.write("Interrupted.\n")
    return INTERRUPTED


def flush_output() -> None:
    """Flush the output, or drop it if it cannot be written; let Ctrl-C end the process."""
    if signal.getsignal(signal.SIGINT) is _end_at_once:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    for channel in (sys.stdout, sys.stderr):
        try:
            channel.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), channel.fileno())


def report_unwritable(error: OSError) -> int:
    """Report that the disk is full or the reader closed the pipe; return the exit code.

    Raises any other error.
    """
    if error.errno not in (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EIO):
        raise error
    with contextlib.suppress(OSError):
        sys.stderr.write(f"The output cannot be written: {error.strerror}.\n")
    return FAILED


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def format_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line for each row, in columns; a row's last cell may be wider than its column."""
    columns = range(max(map(len, rows)) - 1)
    widths = [max(len(row[at]) for row in rows if at < len(row) - 1) for at in columns]
    return ["  ".join([*map(str.ljust, row[:-1], widths), row[-1]]).rstrip() for row in rows]


def refuse(words: str) -> NoReturn:
    sys.stderr.write(f"{words}\n")
    sys.exit(CANNOT_START)


def refuse_sentence(error: Exception) -> None:
    """Exit with the text of a `CuaError`; return for any other error."""
    if is_sentence(error):
        refuse(f"{error} {find_remedy(error)}".rstrip())


def find_remedy(error: Exception) -> str:
    """Return what to do in a terminal about a missing model or key; "" for any other error."""
    key = getattr(getattr(error, "message", ""), "key", "")
    return _SET_MODEL if key in ("model.not_chosen", "model.key_missing") else ""


def is_sentence(error: Exception) -> bool:
    """Return True for a `CuaError`, whose text is meant for people."""
    types = sys.modules.get("cua.types")  # not imported here: the import may have failed
    return types is not None and isinstance(error, types.CuaError)
