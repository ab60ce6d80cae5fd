"""What a KVM has that other computers have not, as the kernel shows it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from .finding import Finding

NAMES = ("keyboard", "relative mouse", "absolute pointer")
CABLE = "Connect the KVM's USB to the computer, and wake the computer up."
HID_OFF = (
    "If this is a KVM, switch its USB keyboard and mouse on (Settings, HID mode normal) and "
    "restart it. If it is not, name one: --kvm nanokvm-pro://ADDRESS, or try --demo."
)


def look(hid_prefix: str = "/dev/hidg", root: Path = Path("/")) -> Iterator[Finding]:
    """`root` is where /sys, /proc and so on lie."""
    missing = [name for n, name in enumerate(NAMES) if not Path(f"{hid_prefix}{n}").exists()]
    if missing:
        yield Finding(
            "USB devices", "fault", f"no {', no '.join(missing)} at {hid_prefix}*", HID_OFF
        )
    else:
        yield from devices(hid_prefix)
        yield usb(root)
    yield hdmi(root)
    yield firmware(root)


def devices(prefix: str) -> Iterator[Finding]:
    for number, name in enumerate(NAMES):
        path = Path(f"{prefix}{number}")
        if stat.S_ISREG(path.stat().st_mode):
            cure = "Something wrote there before the device was made: delete it, restart the KVM."
            yield Finding(name, "fault", f"{path} is a file and no device", cure)
        elif not os.access(path, os.W_OK):
            yield Finding(name, "fault", f"{path} may not be written", "Start this as root.")
        else:
            yield Finding(name, "ok", str(path))


def usb(root: Path) -> Finding:
    states = {p.parent.name: _text(p) for p in sorted(root.glob("sys/class/udc/*/state"))}
    if not states:
        return Finding("USB", "unknown", "no device controller that tells")
    seen = ", ".join(f"{name}: {state or 'unknown'}" for name, state in states.items())
    if "configured" in states.values():
        return Finding("USB", "ok", seen)
    if "suspended" in states.values():
        return Finding("USB", "care", seen, "The computer is asleep: wake it up.")
    return Finding("USB", "fault", seen, CABLE)


def hdmi(root: Path) -> Finding:
    place = root / "proc" / "lt6911_info"
    rows = {name: _text(place / name) for name in ("width", "height", "fps")}
    if not any(rows.values()):
        return Finding("HDMI", "unknown", "no receiver that tells (only a NanoKVM-Pro's does)")
    if rows["fps"] == "0" or rows["width"] == "0":
        cure = "Wake the computer up, and look at the HDMI cable."
        return Finding("HDMI", "fault", "no signal", cure)
    return _size("HDMI", int(rows["width"] or 0), int(rows["height"] or 0), f"{rows['fps']} Hz")


def firmware(root: Path) -> Finding:
    version = _text(root / "kvmapp" / "version")
    if not version:
        return Finding("KVM firmware", "unknown", "no /kvmapp/version")
    return Finding("KVM firmware", "ok", version)


def _size(what: str, width: int, height: int, also: str) -> Finding:
    seen = f"{width}x{height}, {also}"
    if width > 1920 or height > 1080:
        cure = "1280x720 is cheaper and hits surer: set the computer's resolution, or the EDID."
        return Finding(what, "care", seen, cure)
    return Finding(what, "ok", seen)


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
