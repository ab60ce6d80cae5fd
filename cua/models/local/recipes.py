"""The goals that are known as such: the rules by which each is reached, as data."""

from __future__ import annotations

import re
from collections.abc import Callable

from .instructions import Click, Goal, Press, Rest, Scroll, Target, Visit, Write
from .rules import (
    Ask,
    Proof,
    Recipe,
    Rule,
    contains,
    did,
    editable,
    either,
    matches,
    no,
    nothing_to_read,
    now,
    says,
    sees,
    titled,
)

def recipe(wanted: Goal) -> Recipe:
    return _RECIPES[wanted.name](*wanted.values)


def _open(*names: str) -> Click:
    return Click(Target(names), count=0)


def _click(*names: str) -> Click:
    return Click(Target(names))


_MENU = Rule("open the start menu", _click("Start", "Activities", "Applications", "Menu"), limit=2)


def _dns(first: str, second: str) -> Recipe:
    labels = [
        Target(("Preferred DNS server", "Preferred DNS", "Primary DNS server", "Primary DNS",
                "DNS server 1", "DNS 1", "Nameserver 1", "DNS servers", "DNS server", "DNS")),
        Target(("Alternate DNS server", "Alternate DNS", "Secondary DNS server", "Secondary DNS",
                "DNS server 2", "DNS 2", "Nameserver 2")),
    ]  # fmt: skip
    wanted = [(label, value) for label, value in zip(labels, (first, second), strict=True) if value]
    full = tuple(contains(label, value) for label, value in wanted)
    listed = tuple(matches(rf"DNS.*{re.escape(value)}") for _, value in wanted)
    by_hand = ("Use the following DNS server addresses", "Use the following DNS", "Manual")
    saved = did("save the settings")
    words = " and ".join(value for _, value in wanted)
    return (
        Proof(f"The saved settings show DNS server {words}.",
              (saved, no(editable(labels[0])), *listed)),
        Proof(f"The settings are saved and DNS server is {words}.",
              (saved, *full, says("saved", "applied", "success"))),
        Proof(f"Opened again, the settings show DNS server {words}.",
              (did("open the network settings", since="save the settings"), *full)),
        Rule("save the settings", _click("Save", "Apply", "Apply changes", "OK"), full),
        Rule("set the servers by hand", _click(*by_hand), (sees(*by_hand),), limit=1),
        *(
            Rule(f"enter {value}", Write(value, label), (editable(label), no(contains(label, value))))
            for label, value in wanted
        ),
        Rule("edit the DNS servers", _click("Edit DNS", "Edit", "Change", "Properties"),
             (either(matches("DNS"), says("IPv4")),)),
        Rule("choose the adapter", _click("Ethernet", "Wi-Fi", "Wired"),
             (did("open the network settings"),), limit=1),
        Rule("open the network settings",
             _open("Network settings", "Network", "Network & Internet", "Network Connections")),
        Rule("open the settings", _open("Settings", "System Settings", "Control Panel"), limit=1),
        _MENU,
    )  # fmt: skip


def _note(text: str, name: str) -> Recipe:
    asked = Target(("File name", "Name", "Save as"))
    path = name or "Untitled"
    dialog = editable(asked)
    written = says(text)
    editors = ("Notepad", "Text Editor", "Mousepad", "TextEdit", "gedit", "Editor")
    return (
        Proof(f'The title says "{path}" and the text is there.',
              (did("save the text"), titled(path), no(titled("*" + path)), no(dialog), written)),
        Ask(f'There is a file "{path}" already. Say: click "Replace", or: click "Cancel".',
            (either(says("exists already", "already exists", "replace it"),),)),
        Rule("confirm the name", _click("Save", "OK"), (dialog, contains(asked, name))),
        Rule(f'give it the name "{path}"', Write(name, asked), (dialog,)),
        Rule("save the text", Press("CTRL+S"), (titled(*editors), written)),
        Rule("write the text", Write(text, Target(("Untitled", "Unnamed", *editors)), below=True), (titled(*editors),)),
        Rule("open the notepad", _open(*editors)),
        _MENU,
    )  # fmt: skip


def _command(line: str) -> Recipe:
    prompt = matches(r"[$#%>]\s*$|[$#%>] ")
    typed = now("type the command")
    return (
        Proof(f'"{line}" was run; its answer is on the screen.', (did("run it"), prompt)),
        Rule("wait for the answer", Rest(2), (did("run it"),), limit=10),
        Rule("run it", Press("ENTER"), (typed, says(line)), limit=1),
        Rule("type the command", Write(line), (prompt, did("open the terminal")), limit=2),
        Rule("open the terminal",
             _open("Terminal", "Console", "Command Prompt", "xterm", "PowerShell", "Konsole")),
        _MENU,
    )  # fmt: skip


def _delete(name: str, folder: str) -> Recipe:
    there = sees(name)
    asked = says("will be deleted", "are you sure", "want to delete", "permanently", "for ever")
    places = (folder,) if folder else ("Documents", "Desktop", "Downloads", "Home")
    opened = did("open the files")
    return (
        Proof(f'"{name}" was there and is gone.', (did("choose to delete it"), no(there))),
        Rule("confirm it", _click("Delete", "Yes", "Move to Trash", "OK"),
             (did("choose to delete it"), asked)),
        Rule("choose to delete it", _click("Delete", "Move to Trash", "Move to the Recycle Bin"),
             (now("open its menu"),)),
        Rule("open its menu", Click(Target((name,)), button="right"), (there,)),
        *(
            Rule(f"look in {place}", _open(place), (opened,), limit=1)
            for place in places
        ),
        Rule("open the files", _open("Files", "File Explorer", "File Manager", "Explorer", "Home")),
        _MENU,
    )  # fmt: skip


def _download(what: str) -> Recipe:
    browsers = ("Browser", "Web Browser", "Chromium", "Google Chrome", "Chrome", "Firefox", "Edge")
    clicked = did("click the download")
    open_ = either(titled(*browsers), did("open the browser"))
    found = (open_, did("search for it"))
    return (
        Proof("The browser says that the download is complete.",
              (clicked, matches(r"\bdownloaded\b|download(ing)? complete|^completed"))),
        Rule("keep the file", _click("Save", "Keep", "Save file"), (clicked, sees("Save", "Keep"))),
        Rule("wait for the download", Rest(2), (clicked, matches(r"downloading|\d ?%")), limit=15),
        Rule("click the download",
             _click(f"Download {what}", "Download PDF", "Download datasheet", "Download"),
             (open_, says(what))),
        Rule("open its page", _click(what), found, limit=2),
        Rule("look further down", Scroll(), found, limit=8),
        Rule("search for it", Visit(what), (open_,), limit=2),
        Rule("open the browser", _open(*browsers)),
        _MENU,
    )  # fmt: skip


def _power(off: str) -> Recipe:
    verb = ("Shut down", "Shutdown", "Power off", "Turn off") if off else ("Restart", "Reboot")
    asked = says("Do you want to", "Are you sure", "really")
    away = either(nothing_to_read, says("shutting down", "restarting", "powered off", "no signal"))
    boot = either(away, matches(r"BIOS|firmware|POST|memory|boot|setup|loading|starting"))
    gone = did("confirm it")
    off_proof = Proof("The screen shows that the computer is off.",
                      (gone, either(nothing_to_read, says("powered off", "no signal", "is off"))))  # fmt: skip
    back = Proof("It went through its start and the desktop is back.",
                 (did("watch it start"), sees("Start", "Activities", "login"), no(boot)))  # fmt: skip
    return (
        off_proof if off else back,
        Rule(
            "watch it end" if off else "watch it start", Rest(3), (gone, away if off else boot), 30
        ),
        Rule("confirm it", _click(*verb, "Yes", "OK"), (asked,)),
        Rule("choose it", _click(*verb), (no(gone),)),
        Rule("open the power menu", _click("Power"), (no(gone),), limit=2),
        _MENU,
    )


_RECIPES: dict[str, Callable[..., Recipe]] = {
    "dns": _dns, "download": _download, "note": _note, "command": _command, "delete": _delete,
    "power": _power,
}  # fmt: skip
