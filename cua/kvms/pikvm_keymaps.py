"""The keyboard layouts that a PiKVM can be set to, by their names there, and what they are here.

Those that are not here (ar, bepo, fo, lt, lv, mk, nl, th) leave the choice to the
person.
"""

from __future__ import annotations

LAYOUTS = {
    "cz": "cz", "da": "dk", "de": "de", "de-ch": "ch-de", "en-gb": "uk", "en-us": "us",
    "en-us-altgr-intl": "us-intl", "en-us-colemak": "colemak", "es": "es", "et": "ee", "fi": "fi",
    "fr": "fr", "fr-be": "be", "fr-ca": "ca-fr", "fr-ch": "ch-fr", "hr": "hr", "hu": "hu",
    "is": "is", "it": "it", "ja": "jp", "no": "no", "pl": "pl", "pt": "pt", "pt-br": "br",
    "ru": "ru", "sl": "hr", "sv": "se", "tr": "tr",
}  # fmt: skip
"""Slovenian and Croatian keyboards are one and the same."""
