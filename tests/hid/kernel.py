"""What the kernel tells about a KVM's USB side, in files that a test writes."""

from __future__ import annotations

from pathlib import Path


class Kernel:
    """The part of /sys that tells about a KVM's USB side."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "class/udc/8000000.dwc3").mkdir(parents=True)
        self.state = "configured"

    @property
    def state(self) -> str:
        return (self.root / "class/udc/8000000.dwc3/state").read_text().strip()

    @state.setter
    def state(self, word: str) -> None:
        (self.root / "class/udc/8000000.dwc3/state").write_text(f"{word}\n")

    def function(self, endpoint: int, length: int, descriptor: bytes = b"") -> None:
        folder = self.root / f"kernel/config/usb_gadget/g0/functions/hid.GS{endpoint}"
        folder.mkdir(parents=True)
        (folder / "report_length").write_text(f"{length}\n")
        (folder / "report_desc").write_bytes(descriptor)
