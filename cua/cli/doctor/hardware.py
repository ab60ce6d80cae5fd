"""Check the KVM's own hardware, as the kernel reports it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ...extras import PROGRAM
from .finding import Finding, check_size, read_text

NAMES = ("keyboard", "relative mouse", "absolute pointer")
MAX_SIZE = (1920, 1080)
CABLE = "Connect the KVM's USB to the computer, and wake the computer up."
HID_OFF = (
    "If this is a KVM, switch its USB keyboard and mouse on (Settings, HID mode normal) and "
    "restart it. If it is not, name one: --kvm nanokvm-pro://ADDRESS, or try the demo:  "
    f"{PROGRAM} --demo"
)


def examine(hid_prefix: str = "/dev/hidg", root: Path = Path("/")) -> Iterator[Finding]:
    """Check all of it; `root` is the folder with /sys and /proc."""
    lacking = missing(hid_prefix)
    if lacking:
        yield Finding(
            "USB devices", "fault", f"no {', no '.join(lacking)} at {hid_prefix}*", HID_OFF
        )
    else:
        yield from devices(hid_prefix)
        yield usb(root)
    yield hdmi(root)
    yield firmware(root)


def missing(hid_prefix: str) -> list[str]:
    return [name for n, name in enumerate(NAMES) if not os.access(f"{hid_prefix}{n}", os.F_OK)]


def devices(prefix: str) -> Iterator[Finding]:
    for number, name in enumerate(NAMES):
        path = Path(f"{prefix}{number}")
        if stat.S_ISREG(path.stat().st_mode):
            fix = "A program wrote there before the device existed: delete it, restart the KVM."
            yield Finding(name, "fault", f"{path} is a file, not a device", fix)
        elif not os.access(path, os.W_OK):
            fix = f"Run: sudo chown {os.geteuid()} {prefix}*  (or start this as root)"
            yield Finding(name, "fault", f"{path} is not writable", fix)
        else:
            yield Finding(name, "ok", str(path))


def usb(root: Path) -> Finding:
    states = {p.parent.name: read_text(p) for p in sorted(root.glob("sys/class/udc/*/state"))}
    if not states:
        return Finding("USB", "unknown", "no device controller that reports its state")
    seen = ", ".join(f"{name}: {state or 'unknown'}" for name, state in states.items())
    if "configured" in states.values():
        return Finding("USB", "ok", seen)
    if "suspended" in states.values():
        return Finding("USB", "care", seen, "The computer is asleep: wake it up.")
    return Finding("USB", "fault", seen, CABLE)


def hdmi(root: Path) -> Finding:
    place = root / "proc" / "lt6911_info"
    rows = {name: read_text(place / name) for name in ("width", "height", "fps")}
    if not any(rows.values()):
        return Finding(
            "HDMI", "unknown", "no receiver that reports its signal (only a NanoKVM-Pro's does)"
        )
    if rows["fps"] == "0" or rows["width"] == "0":
        fix = "Wake the computer up, and check the HDMI cable."
        return Finding("HDMI", "fault", "no signal", fix)
    size = int(rows["width"] or 0), int(rows["height"] or 0)
    return check_size("HDMI", size, f"{rows['fps']} Hz", MAX_SIZE)


def firmware(root: Path) -> Finding:
    version = read_text(root / "kvmapp" / "version")
    if not version:
        return Finding("KVM firmware", "unknown", "no /kvmapp/version")
    return Finding("KVM firmware", "ok", version)
