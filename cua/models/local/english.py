"""English for the operator; see `grammar.py`."""

from __future__ import annotations

from .grammar import Grammar

_VERBS = (
    r"(?:open|start|launch|go to|click|double|right|left|tap|press|hit|push|select|choose|type"
    r"|enter|write|clear|empty|scroll|wait|check|verify|make sure|drag|set|download|run)\b"
)
_TARGET = (
    r"(?:the\s+)?(?:(?P<nth>first|second|third|fourth|fifth)\s+)?(?P<label>.+?)"
    r"(?:\s+(?P<where>next to|beside|near|in the row of|(?:to the )?(?:right|left) of|under|below"
    r"|above)\s+(?:the\s+)?(?P<near>.+?))?"
)
_TYPE = r"(?:type|enter|write|input)(?: in)?\s+(?:the text\s+)?(?P<text>.+?)"
_SEEN = r"(?:shown|visible|seen)"
_SET_DNS = r"set (?:the )?dns(?: servers?)? to "
_ADDRESS = r"(\d{1,3}(?:\.\d{1,3}){3})"
_NOTEPAD = r"write\s+(.+?)\s+(?:in|into)\s+(?:the\s+)?notepad"

ENGLISH = Grammar(
    separators=(
        r"[\n;]+|,\s*(?:and\s+)?(?:then\s+)?|(?<!\d)\.\s+"
        rf"(?={_VERBS})|\s(?:and\s+)?then\s"
    ),
    conjunctions=rf"\s+and\s+(?={_VERBS})",
    fillers=(
        r"[-*•]\s+|\d+[.)]\s+|please,?\s+|now,?\s+|first,?\s+|next,?\s+|finally,?\s+|then,?\s+"
        r"|after that,?\s+|afterwards,?\s+"
        r"|and\s+|can you\s+|could you\s+|task:\s*"
    ),
    articles=r"^(?:the|on|at|a|an|my)\s+",
    kinds=(
        r"\s+(?:button|icon|link|menu|menu item|tab|check\s?box|field|box|window|program|app"
        r"|entry)$"
    ),
    phrases={
        "visit": r"(?:go|navigate|browse)\s+to\s+(?P<text>.+)",
        "open": rf"(?:open|start|launch)\s+(?:on\s+)?{_TARGET}",
        "double_click": rf"double[- ]?click\s+(?:on\s+)?{_TARGET}",
        "right_click": rf"right[- ]?click\s+(?:on\s+)?{_TARGET}",
        "click": rf"(?:(?:left)?[- ]?click|tap|select|choose)\s+(?:on\s+)?{_TARGET}",
        "drag": r"drag\s+(?P<label>.+?)\s+(?:to|onto|into|on)\s+(?P<end>.+)",
        "write_into": (
            rf"{_TYPE}\s+(?:(?:in|into|in to)\s+(?:the\s+)?(?:field\s+)?|(?:here\s+)?(?=→))"
            r"(?P<label>.+?)"
        ),
        "fill": r"(?:fill|set)\s+(?:in\s+)?(?P<label>.+?)\s+(?:with|to)\s+(?P<text>.+)",
        "write": _TYPE,
        "clear": r"(?:clear|empty)\s+(?P<label>.+?)",
        "press": (
            r"(?:press|hit|push)\s+(?P<keys>.+?)"
            r"(?:\s+(?P<times>once|twice|three times|\d+\s*(?:times|x)))?"
        ),
        "scroll_until": (
            r"scroll(?:\s+(?:down|(?P<up>up)))?\s+(?:until|to|till)\s+(?:you see\s+)?"
            rf"(?P<label>.+?)(?:\s+(?:is|can be)\s+{_SEEN})?"
        ),
        "scroll": r"scroll(?:\s+(?:down|(?P<up>up)))?(?:\s+(?P<times>\d{1,3})(?:\s+times)?)?",
        "rest": r"wait\s+(?:for\s+)?(?P<seconds>\d{1,4}(?:\.\d+)?)\s*(?:s|sec|seconds?)",
        "wait": (
            r"wait\s+(?:for|until|till)\s+(?:you see\s+)?(?P<label>.+?)"
            rf"(?:\s+(?:is|to be|appears?|to appear)(?:\s+{_SEEN})?)?"
        ),
        "check": (
            r"(?:check|verify|make sure)(?:\s+that)?\s+(?P<label>.+?)(?:\s+(?:is|are|can)\s+"
            rf"(?P<no>not\s+)?(?:be\s+)?(?:{_SEEN}|there|on the screen))?"
        ),
    },
    goals={
        "dns": _SET_DNS + _ADDRESS,
        "two_dns": rf"{_SET_DNS}{_ADDRESS} and {_ADDRESS}",
        "datasheet": r"download (?:the )?(.+?) datasheet",
        "download": r"download (?:the )?(.+)",
        "save_note_as": rf"{_NOTEPAD} and save it as (.+)",
        "save_note": rf"{_NOTEPAD} and save it",
        "note": _NOTEPAD,
        "run": r"open (?:the |a )?terminal and run (.+)",
    },
    answers={
        "again": (
            r"(?:please\s+)?(?:continue|go on|carry on|proceed|resume|retry|try again|again|yes|ok"
            r"|okay|done|ready)(?:[,\s]+please)?[.!]*"
        ),
        "skip": (
            r"(?:please\s+)?(?:skip|ignore|leave)(?:\s+(?:it|this|that|this step))?[.!]*"
        ),
        "which": (
            r"(?:the\s+|number\s+|no\.?\s*|#)*(?P<nth>[1-9]|first|second|third|fourth|fifth)"
            r"(?:\s+one)?[.!]*"
        ),
    },
    markers={
        "then": r"^(?:and\s+)?(?:then|after that|afterwards)\b",
        "instead": (
            rf"^no,?\s+(?=(?:instead\b|{_VERBS}))|^(?:no,?\s+)?instead,?\s+|,?\s+instead[.!]*$"
        ),
    },
    numbers={
        "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5,
        "once": 1, "twice": 2, "three times": 3,
    },
    where={"under": "under", "below": "under", "above": "above"},
    keys={
        "RETURN": "ENTER", "ESCAPE": "ESC", "CONTROL": "CTRL", "DEL": "DELETE",
        "SPACEBAR": "SPACE", "WINDOWS": "WIN", "SUPER": "WIN", "CMD": "WIN", "META": "WIN",
        "OPTION": "ALT", "ARROWUP": "UP", "ARROWDOWN": "DOWN", "ARROWLEFT": "LEFT",
        "ARROWRIGHT": "RIGHT",
    },
    labels={},
)  # fmt: skip
