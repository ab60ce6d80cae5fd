"""Connect to a Ray cluster, whose nodes get this program's code.

Ray is an optional package and is imported only here, when `--ray` asks for it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .extras import missing_modules
from .messages import Message
from .types import CuaError, MissingExtra

LOCAL = "local"
HELP = "run on a Ray cluster: auto, its head's address, or local to start one here"
OBJECT_STORE_BYTES = 80_000_000
"""Near the least that Ray takes: results are small."""
NAMESPACE = "kvm-cua"


def connect(address: str, cpus: int | None = None) -> Any:
    """Return the module `ray`, connected; `local` starts Ray here, with `cpus`, until this process
    ends.

    Raises `CuaError`.
    """
    if missing_modules("cluster"):
        raise MissingExtra("cluster")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing leaves the machine
    import ray

    if ray.is_initialized():
        return ray
    started_here = {"num_cpus": cpus, "object_store_memory": OBJECT_STORE_BYTES}
    try:
        ray.init(
            address,
            namespace=NAMESPACE,
            include_dashboard=False if address == LOCAL else None,
            log_to_driver=False,
            logging_level="ERROR",
            runtime_env={"py_modules": [str(Path(__file__).parent)], "excludes": ["__pycache__"]},
            **(started_here if address == LOCAL else {}),
        )
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        reason = str(error).partition("\n")[0]
        raise CuaError(Message("cluster.unreachable", address=address, reason=reason)) from error
    return ray


@contextlib.contextmanager
def remote_errors(ray: Any) -> Iterator[None]:
    """Raise what a task or an actor has raised itself; `CuaError` if the cluster failed."""
    try:
        yield
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        reason = str(error).partition("\n")[0]
        raise CuaError(Message("cluster.lost", reason=reason)) from error
