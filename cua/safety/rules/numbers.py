"""Recognise API keys, and numbers of bank cards and accounts by their check digits."""

from __future__ import annotations

import re

_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])")
_ISSUERS = re.compile(r"3[4-7]|4|5[0-9]|6[0-9]|2[2-7]|35|9[0-9]|8[0-9]")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
KEY = re.compile(
    r"(?<![\w-])(?:sk[-_]|[pr]k_live|gh[pousr]_|github_pat_|glpat-|A[KS]IA|AIza|xox[abprs]-|ya29\."
    r"|SG\.|npm_|hf_|dop_v1_|shpat_|pypi-|gsk_|xai-|eyJ)[\w.-]{12}"
)


def is_card(text: str) -> bool:
    digits = (re.sub(r"\D", "", match[0]) for match in _CARD.finditer(text))
    return any(bool(_ISSUERS.match(each)) and _luhn(each) for each in digits)


def is_account(text: str) -> bool:
    ibans = (match[0].replace(" ", "") for match in _IBAN.finditer(text))
    digits = ("".join(str(int(each, 36)) for each in iban[4:] + iban[:4]) for iban in ibans)
    return any(int(each) % 97 == 1 for each in digits)


def _luhn(digits: str) -> bool:
    doubled = (int(each) * (1 + index % 2) for index, each in enumerate(reversed(digits)))
    return sum(each - 9 * (each > 9) for each in doubled) % 10 == 0
