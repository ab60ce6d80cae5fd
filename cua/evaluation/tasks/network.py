"""The settings of the network adapters."""

from __future__ import annotations

from ..solution import Move, click, double, press, write
from ..task import Checker, EvalTask, has_window


def dns(adapter: str, preferred: str, alternate: str = "") -> Checker:
    wanted = {"automatic": False, "preferred": preferred, "alternate": alternate}
    return lambda state: bool(state["network"][adapter]["dns"] == wanted)


def edited(preferred: str, *more: Move) -> tuple[Move, ...]:
    """From the adapter's page to the saved address."""
    return (
        click("Edit DNS", "Button"),
        click("Use the following DNS server addresses", "Check"),
        write(preferred, "Network"),
        *more,
        click("Save", "Button"),
    )


OPENED = {"open": [{"program": "Network"}]}

TASKS = (
    EvalTask(
        "network/wifi",
        'click "Wi-Fi"',
        has_window("Network", adapter="Wi-Fi"),
        (click("Wi-Fi", "Row"),),
        OPENED,
    ),
    EvalTask(
        "network/dns",
        "set dns server to 8.8.8.8",
        dns("Ethernet", "8.8.8.8"),
        (double("Network", "Icon"), *edited("8.8.8.8")),
    ),
    EvalTask(
        "network/dns-two",
        "set dns server to 9.9.9.9 and 1.1.1.1",
        dns("Ethernet", "9.9.9.9", "1.1.1.1"),
        edited("9.9.9.9", *press("TAB", on="Network"), write("1.1.1.1", "Network")),
        OPENED,
    ),
    EvalTask(
        "network/wifi-dns",
        "Set the DNS server of the Wi-Fi, not that of the Ethernet, to 192.168.1.1.",
        dns("Wi-Fi", "192.168.1.1"),
        (double("Network", "Icon"), click("Wi-Fi", "Row"), *edited("192.168.1.1")),
    ),
)
