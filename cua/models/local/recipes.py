"""The goals that are known as such: the rules by which each is reached, as data.

Names of rules are constant, without a full stop: replies begin with them, and the next look finds
there what was done (`OwnReply.rule`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .conditions import (
    contains,
    did,
    editable,
    either,
    ends_with,
    idle,
    links,
    matches,
    no,
    nothing_to_read,
    now,
    says,
    sees,
    titled,
)
from .instructions import Click, Goal, Press, Rest, Scroll, Target, Visit, Write
from .rules import Ask, Proof, Recipe, Rule


def recipe(wanted: Goal) -> Recipe:
    return _RECIPES[wanted.name](*wanted.values)


def _open(*names: str) -> Click:
    return Click(Target(names), count=0)


def _click(*names: str) -> Click:
    return Click(Target(names))


_MENU = Rule("open the start menu", _click("Start", "Activities", "Applications", "Menu"), limit=2)

_FIRST_DNS = Target((
    "Preferred DNS server", "Preferred DNS", "Primary DNS server", "Primary DNS", "DNS server 1",
    "DNS 1", "Nameserver 1", "DNS servers", "DNS server", "DNS",
))  # fmt: skip
_SECOND_DNS = Target((
    "Alternate DNS server", "Alternate DNS", "Secondary DNS server", "Secondary DNS",
    "DNS server 2", "DNS 2", "Nameserver 2",
))  # fmt: skip
_BY_HAND = ("Use the following DNS server addresses", "Use the following DNS", "Manual")


def _dns(first: str, second: str) -> Recipe:
    servers = [("first", _FIRST_DNS, first), ("second", _SECOND_DNS, second)]
    wanted = [server for server in servers if server[2]]
    entered = tuple(contains(label, value) for _, label, value in wanted)
    listed = tuple(matches(rf"DNS.*\b{re.escape(value)}(?!\d)") for _, _, value in wanted)
    told = " and ".join(value for _, _, value in wanted)
    saved = did("save the settings", since=[f"enter the {which} server" for which, *_ in wanted])
    again = did("open the network settings", since=("save the settings",))
    by_hand = did(
        "set the servers by hand", since=("open the network settings", "edit the servers")
    )
    return (
        Proof(f"The saved settings show {told}.", (saved, no(editable(_FIRST_DNS)), *listed)),
        Proof(f"The settings say that they are saved, with {told}.",
              (saved, *entered, says("saved", "applied"))),
        Proof(f"Opened again after saving, the settings show {told}.", (saved, again, *entered)),
        Rule("save the settings", _click("Save", "Apply", "Apply changes", "OK"), entered),
        Rule("set the servers by hand", _click(*_BY_HAND), (no(by_hand),)),
        *(  # what cannot be entered: the click before it missed, or somebody undid it
            Rule("set the servers by hand", _click(*_BY_HAND),
                 (now(f"enter the {which} server"), no(contains(label, value))))
            for which, label, value in wanted
        ),
        *(
            Rule(f"enter the {which} server", Write(value, label),
                 (editable(label), no(contains(label, value))))
            for which, label, value in wanted
        ),
        Rule("edit the servers", _click("Edit DNS", "Edit", "Change", "Properties"),
             (matches("DNS|IPv4"),)),
        Rule("choose the adapter", _click("Ethernet", "Wired", "Wi-Fi"),
             (did("open the network settings"),), limit=1),
        Rule("open the network settings",
             _open("Network settings", "Network", "Network & Internet", "Network Connections")),
        Rule("open the settings", _open("Settings", "System Settings", "Control Panel"), limit=1),
        _MENU,
    )  # fmt: skip


_EDITORS = ("Notepad", "Text Editor", "Mousepad", "TextEdit", "gedit", "Editor")
_NEW = ("Untitled", "Unnamed", "New Document")


def _note(text: str, save: str, name: str) -> Recipe:
    asked, path = Target(("File name", "Name", "Save as")), name or "Untitled"
    dialog, here, written = editable(asked), titled(*_EDITORS), says(text)
    fresh = either(titled(*_NEW), did("write the text"))
    changed = titled(*(f"*{title}" for title in (path, *_NEW)))
    proof = Proof(
        f'The window is titled "{path}", with no sign of changes, and the text is there.',
        (did("save the text"), titled(path), no(changed), no(dialog), written),
    )
    if not save:
        proof = Proof("The text is there.", (did("write the text"), here, written))
    return (
        proof,
        Ask(f'There is a file "{path}" already. Say: click "Replace", or: click "Cancel".',
            (says("exists already", "already exists"),)),
        *([Rule("enter the name", Write(name, asked), (dialog, no(contains(asked, name))))]
          if name else []),
        Rule("confirm the name", _click("Save", "OK"), (dialog,)),
        Rule("save the text", Press("CTRL+S"), (here, written, did("write the text"))),
        Ask("There is an unsaved text in the notepad. Save it or close it, then say: go on.",
            (titled(*(f"*{title}" for title in _NEW)), no(did("write the text")))),
        Rule("write the text", Write(text, Target(_NEW), below=True), (here, fresh)),
        Rule("begin a new text", Press("CTRL+N"), (here, no(fresh)), limit=1),
        Rule("open the notepad", _open(*_EDITORS)),
        _MENU,
    )  # fmt: skip


_TERMINALS = ("Terminal", "Console", "Command Prompt", "xterm", "PowerShell", "Konsole")


def _command(line: str) -> Recipe:
    prompt = matches(r"[$#%>]\s*[|_I]?\s*$")
    return (
        Proof("The command was run; its answer and a new prompt are there.",
              (did("run it"), prompt)),
        Rule("wait for the answer", Rest(2), (did("run it"),), limit=15),
        Rule("run it", Press("ENTER"), (did("type the command"), ends_with(line))),
        Rule("type the command", Write(line, Target(_TERMINALS), below=True), (prompt,)),
        Rule("open the terminal", _open(*_TERMINALS)),
        _MENU,
    )  # fmt: skip


def _delete(name: str, folder: str) -> Recipe:
    there, chosen, opened = sees(name), did("choose to delete it"), did("open the files")
    asked = says("will be deleted", "are you sure", "want to delete", "permanently")
    places = (folder,) if folder else ("Documents", "Desktop", "Downloads", "Home")
    return (
        Proof("It was there and is gone.", (chosen, no(there))),
        Rule("confirm it", _click("Delete", "Yes", "Move to Trash", "OK"), (chosen, asked)),
        Rule("choose to delete it", _click("Delete", "Move to Trash", "Move to the Recycle Bin"),
             (now("open its menu"),)),
        Rule("open its menu", Click(Target((name,)), button="right"), (there,)),
        *(
            Rule(f"look in place {number}", _open(place), (opened, idle(f"look in place {number}")))
            for number, place in enumerate(places, 1)
        ),
        *([Rule("look further down", Scroll(), (opened,), limit=6)] if folder else []),
        Rule("open the files", _open("Files", "File Explorer", "File Manager", "Explorer")),
        _MENU,
    )  # fmt: skip


_BROWSERS = ("Browser", "Web Browser", "Chromium", "Google Chrome", "Chrome", "Firefox", "Edge")


def _download(what: str) -> Recipe:
    clicked, searched = did("click the download"), did("search for it")
    browsing = either(titled(*_BROWSERS), did("open the browser"))
    buttons = (f"Download {what}", "Download PDF", "Download datasheet", "Download")
    return (
        Proof("The browser says that it is downloaded.",
              (clicked, matches(r"\bdownloaded\b|download(ing)? complete|^completed"))),
        Rule("keep the file", _click("Save", "Keep", "Save file"), (clicked,)),
        Rule("wait for the download", Rest(2), (clicked, matches(r"downloading|\d ?%")), limit=15),
        Rule("click the download", _click(*buttons), (browsing, says(what))),
        Rule("open its page", _click(what), (browsing, searched, links(what)), limit=2),
        Rule("search for it", Visit(what),  # it took no keys yet: nothing moves
             (browsing, now("look further down"), idle("look further down")), limit=2),
        Rule("look further down", Scroll(), (browsing, searched), limit=8),
        Rule("search for it", Visit(what), (browsing,), limit=2),
        Rule("open the browser", _open(*_BROWSERS)),
        _MENU,
    )  # fmt: skip


_DARK = either(nothing_to_read, says("powered off", "no signal", "safe to turn off"))
_BOOTING = matches(r"BIOS|firmware|memory|boot|setup|loading|restarting|shutting down")
_ASKED = says("Do you want to", "Are you sure", "really")


def _off() -> Recipe:
    confirmed = did("confirm it")
    return (
        Proof("The screen shows that the computer is off.", (confirmed, _DARK)),
        Rule("watch it end", Rest(3), (confirmed, no(_ASKED)), limit=20),
        *_choose("Shut down", "Shutdown", "Power off", "Turn off"),
    )


def _restart() -> Recipe:
    confirmed, away = did("confirm it"), either(_DARK, _BOOTING)
    return (
        Proof("It went through its start, and the desktop is back.",
              (did("watch it start"), sees("Start", "Activities", "Log in"), no(away))),
        Rule("watch it start", Rest(3), (confirmed, away), limit=20),
        Rule("wait for it to go down", Rest(2), (confirmed, no(_ASKED))),
        *_choose("Restart", "Reboot"),
    )  # fmt: skip


def _choose(*verbs: str) -> Recipe:
    """From the desktop to the answer to "are you sure?"."""
    return (
        Rule("confirm it", _click(*verbs, "Yes", "OK"), (_ASKED,)),
        Rule("choose it", _click(*verbs)),
        Rule("open the power menu", _click("Power"), limit=2),
        _MENU,
    )


_RECIPES: dict[str, Callable[..., Recipe]] = {
    "dns": _dns, "download": _download, "note": _note, "command": _command, "delete": _delete,
    "off": _off, "restart": _restart,
}  # fmt: skip
