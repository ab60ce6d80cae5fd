"""Commands that run another command, as data: what of their own arguments to skip, where it is."""

from __future__ import annotations

KEYWORDS = {"if", "then", "else", "elif", "do", "while", "until", "!", "&", "@", "not", "exist"}

_OPTIONS = r"(?:-\S+\s+)*"
WRAPPERS = {
    **dict.fromkeys(
        ("nohup", "exec", "builtin", "command", "setsid", "busybox", "time", "winpty", "call"),
        _OPTIONS,
    ),
    **dict.fromkeys(("toybox", "doas", "caffeinate", "rlwrap", "unbuffer", "gsudo"), _OPTIONS),
    "sudo": r"(?:(?:-[ugCpRhTD]\s+\S+|--(?:user|group)[= ]\S+|-[A-Za-z]+|--\S*)\s+)*",
    "env": r"(?:-u\s+\S+\s+|-\S+\s+|\w+=\S*\s+)*",
    "nice": r"(?:-n\s*)?(?:-?\d+\s+)?",
    "ionice": r"(?:-[cnp]\s*\S+\s+|-\S+\s+)*",
    "timeout": r"(?:-[ks]\s*\S+\s+|--\S+\s+|-\S+\s+)*\S+\s+",
    "stdbuf": _OPTIONS,
    "strace": r"(?:-[eop]\s*\S+\s+|-\S+\s+)*",
    "xargs": r"(?:-[InPLdsE]\s*\S+\s+|-\S+\s+)*",
    "parallel": _OPTIONS,
    "chroot": r"(?:-\S+\s+)*\S+\s+",
    "wsl": r"(?:-[du]\s+\S+\s+|-\S+\s+)*",
    "start": r"(?:/\w+\s+)*",
    "forfiles": r".*?/c\s+",
    "psexec": r"(?:\\\\\S+\s+|-[up]\s+\S+\s+|-\S+\s+)*",
    "docker": r"(?:exec|run)\s+(?:-[A-Za-z]*[evuwp]\s+\S+\s+|--\S+\s+|-\S+\s+)*\S+\s+",
    "podman": r"(?:exec|run)\s+(?:-[A-Za-z]*[evuwp]\s+\S+\s+|--\S+\s+|-\S+\s+)*\S+\s+",
    "kubectl": r"exec\s+.*?--\s+",
    "adb": r"(?:-s\s+\S+\s+)?shell\s+",
}
"""Command -> pattern of its own arguments; what follows is the command that it runs."""

_STRING = r"(?:^|\s)(?:-\w+\s+)*-\w*c\s+(.+)"
EXECUTORS = {
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "su", "runuser"), _STRING),
    "cmd": r"/[ckr]\s*(.+)",
    **dict.fromkeys(("powershell", "pwsh"), r"(?:-c\w*\s+|^(?!-))(.+)"),
    "eval": r"(.+)",
    "ssh": r"(?:-[bcDEeFIiJLlmOopQRSWw]\s*\S+\s+|-\S+\s+)*\S+\s+(.+)",
    "watch": r"(?:-n\s*\S+\s+|-\S+\s+)*(.+)",
    "trap": r"(.+?)(?:\s+[A-Z0-9]+)*$",
    "alias": r"\S+?=(.+)",
    "find": r"-(?:exec|execdir|ok)\s+(.+)",
    "fd": r"(?:-x|-X|--exec)\s+(.+)",
    "entr": r"(.+)",
    "foreach-object": r"(.+)",
    "invoke-command": r"(?:-scriptblock)\s+(.+)",
    "for": r"\bdo\s+(.+)",
    "at": r"\d\S*\s+(.+)",
    "wmic": r"call\s+create\s+(.+)",
    # What is written into a file may be run from it.
    **dict.fromkeys(("echo", "printf", "write-output"), r"(?:-\w+\s+)*(.+?)\s*>>?\s*\S+\s*$"),
    **dict.fromkeys(("set-content", "add-content"), r"(?:-\w+\s+)*\S+\s+(?:-value\s+)?(.+)"),
    "start-process": r"-argumentlist\s+(.+)",
}
"""Command -> pattern whose last group is the line that it runs."""
