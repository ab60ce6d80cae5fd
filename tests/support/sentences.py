"""The sentences of the program that can come to the page, as its source has them.

Whatever reads like a sentence is one, and whatever an error is raised with: {} stands where
something is put in. What only the terminal or a model is told is left out by name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.support.kvm_hardware import ROOT

CUA = ROOT / "cua"
PLACE = re.compile(r"\{\w*(?:[!:][^{}\"]*)?\}")
ELSEWHERE = (
    # Read in a terminal, by another program, or on the screen of the virtual computer.
    "cli/check_output.py", "cli/commands.py", "cli/doctor/", "cli/evaluate", "cli/event_output.py",
    "cli/gate.py", "cli/install/bundle.py", "cli/install/command.py", "cli/install/errors.py",
    "cli/options.py", "cli/output.py", "cli/parse.py", "cli/run.py", "cli/socket.py",
    "evaluation/batch.py", "evaluation/desktop/", "evaluation/environments.py",
    "evaluation/metrics.py", "evaluation/proportion.py",
    "evaluation/report.py", "evaluation/run.py", "evaluation/scripted_user.py",
    "evaluation/task.py",
    "hid/mouse_calibration.py", "hid/writer/", "safety/rules/tables.py", "screen/ocr/process.py",
    "settings/read_only.py", "simulator/", "web/auth/pairing.py", "web/mcp/", "web/server.py",
    # Before the service is there, or not in words.
    "cli/install/server.py", "kvms/watchdog_process.py", "web/auth/kvm_login.py",
    "web/listener.py", "web/startup_page.py",
    # Words for the model, or for reading the person's.
    "dialects/history.py",
)  # fmt: skip
TO_THE_MODEL = (
    "The time or money for this task", "This is your last reply for this task",
    "You have {} replies", "You check the work of", "The task:", "The report:", "The screen now:",
    "It is done.", "The pointer does not seem to move", "The computer had ignored the pointer",
    "You have done this", "Your last {} actions have changed", "Look closely at the screen",
    "Do not do it again.", "You were interrupted", "Meanwhile the person did",
    "Nothing is to be done here", 'Click "{}".', 'Type "{}" into', "Press CTRL+A.",
    "Scroll down the page", "Drag the Notepad", "Ask the person", "The quick brown fox",
    "Letter to the library", "Good morning,", "thank you for the two books", "The parcel was",
    "I will bring them", "With kind regards", "The person says:",
    "The screen is withheld", "Press ENTER to send it off",
    "The person has not confirmed", "What came of it is said below.",
    # English is what the Local operator understands.
    "open / click / double-click",
)  # fmt: skip
HIDDEN = (
    # A line among those of pip; a fault of this program.
    "Waiting for another installation", "the last pause is None",
    # Help of settings that the page does not show.
    "The version of our own prompt", "The KVM's HID devices without", "Where the KVM keeps how",
    "How long a page may be away", "Password for {}", "Whether the safety notice was read",
)  # fmt: skip
_WORDS = re.compile(r"[A-Za-z]{2,}[^A-Za-z\n\\]+[A-Za-z{]|\} [a-z]{2,}")
_ENDS = re.compile(r"[\w)”}\"'`…>][.?!:](?= |$)")
_NO_WORDS = re.compile(r"\(\?|\\[sbdw]|HTTP/1|\r\n|^[a-z_.:]+$|^<|===|^\S*$")


def to_the_page() -> Iterator[tuple[str, str]]:
    """(where, sentence)"""
    for path in sorted(CUA.rglob("*.py")):
        if not str(path.relative_to(CUA)).startswith(ELSEWHERE):
            for line, sentence in _sentences(ast.parse(path.read_text("utf-8"))):
                if not sentence.startswith((*TO_THE_MODEL, *HIDDEN)):
                    yield f"{path.relative_to(ROOT)}:{line}", sentence


def everything() -> str:
    """All texts of the program, one a line."""
    files = [*CUA.rglob("*.rules"), *CUA.rglob("hid/layouts/*.txt")]
    texts = [
        text(node)
        for path in CUA.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    ]
    return "\n".join([*(path.read_text("utf-8") for path in files), *texts])


def text(node: ast.AST) -> str:
    """Of a string; "" of anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return PLACE.sub("{}", node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(text(part) or "{}" for part in node.values)
    return ""


def _sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    skipped, raised = set(_skipped(tree)), set(_raised(tree))
    for node in ast.walk(tree):
        said = "" if node in skipped else text(node)
        reads = _WORDS.search(said) and not _NO_WORDS.search(said)
        if reads and (node in raised or _ENDS.search(said)):
            yield getattr(node, "lineno", 0), said


def _skipped(tree: ast.Module) -> Iterator[ast.AST]:
    """Docstrings, and the parts of a longer text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        if isinstance(node, ast.JoinedStr):
            yield from (part for part in ast.walk(node) if part is not node)


def _raised(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc:
            yield from ast.walk(node.exc)
