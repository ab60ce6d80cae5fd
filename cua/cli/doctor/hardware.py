"""Check the KVM's own hardware, as the kernel reports it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ...extras import PROGRAM
from .finding import Finding

NAMES = ("keyboard", "relative mouse", "absolute pointer")
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
            cure = "A program wrote there before the device existed: delete it, restart the KVM."
            yield Finding(name, "fault", f"{path} is a file, not a device", cure)
        elif not os.access(path, os.W_OK):
            yield Finding(name, "fault", f"{path} is not writable", "Start this as root.")
        else:
            yield Finding(name, "ok", str(path))


def usb(root: Path) -> Finding:
    states = {p.parent.name: _read(p) for p in sorted(root.glob("sys/class/udc/*/state"))}
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
    rows = {name: _read(place / name) for name in ("width", "height", "fps")}
    if not any(rows.values()):
        return Finding(
            "HDMI", "unknown", "no receiver that reports its signal (only a NanoKVM-Pro's does)"
        )
    if rows["fps"] == "0" or rows["width"] == "0":
        cure = "Wake the computer up, and check the HDMI cable."
        return Finding("HDMI", "fault", "no signal", cure)
    return _size("HDMI", int(rows["width"] or 0), int(rows["height"] or 0), f"{rows['fps']} Hz")


def firmware(root: Path) -> Finding:
    version = _read(root / "kvmapp" / "version")
    if not version:
        return Finding("KVM firmware", "unknown", "no /kvmapp/version")
    return Finding("KVM firmware", "ok", version)


def _size(what: str, width: int, height: int, also: str) -> Finding:
    seen = f"{width}x{height}, {also}"
    if width > 1920 or height > 1080:
        cure = "Use 1280x720, which is cheaper and more accurate: set the resolution or the EDID."
        return Finding(what, "care", seen, cure)
    return Finding(what, "ok", seen)


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
