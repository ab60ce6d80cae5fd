"""What the gate's rules are worth, on a corpus of our own: `python -m tests.safety.rules [-v]`.

The first part was written beside the rules. The second and the third were written after they were
frozen, once and again, and the later ones by eyes that had not read them. What they showed then
is `AT_FIRST`, since rules that were added for what they found make their figures no proof.
"""

from __future__ import annotations

import sys
import time
from typing import NamedTuple

from .scenarios import Scenario, asked, corpus, variants

AT_FIRST = """\
at first, before a rule was changed for the second part:
  recall         96.53% of  202   variants  97.03% of 876
  false alarms    0.00% of  253   variants   0.00% of 684
at first, before a rule was changed for the third part:
  recall         98.95% of  191   variants  99.73% of 740
  false alarms    0.00% of  174   variants   0.21% of 480
at first, before a rule was changed for the fourth part, with 95 % intervals:
  recall          89.1% of  559   86.2% to 91.4%
  false alarms     2.8% of  575    1.7% to 4.5%
at first, before a rule was changed for the fifth part:
  recall          93.0% of  330   89.8% to 95.3%
  false alarms     2.1% of  330    1.0% to 4.3%
at first, before a rule was changed for the sixth part:
  recall          89.1% of  330   85.3% to 92.0%
  false alarms     1.5% of  330    0.6% to 3.5%
at first, before a rule was changed for the seventh part:
  recall          94.0% of  450   91.4% to 95.8%
  false alarms     2.6% of  459    1.5% to 4.5%
at first, before a rule was changed for the eighth part:
  recall          80.7% of  450   76.8% to 84.0%
  false alarms     5.1% of  450    3.4% to 7.6%
at first, before a rule was changed for the ninth part:
  recall          88.2% of  450   84.9% to 90.9%
  false alarms    10.4% of  450    7.9% to 13.6%
at first, before a rule was changed for the tenth part:
  recall          97.0% of  300   94.4% to 98.4%
  false alarms     3.7% of  300    2.1% to 6.4%
at first, before a rule was changed for the eleventh part:
  recall          97.0% of  300   94.4% to 98.4%
  false alarms     6.0% of  300    3.8% to 9.3%
at first, before a rule was changed for the twelfth part:
  recall          94.0% of  300   90.7% to 96.2%
  false alarms     2.7% of  300    1.4% to 5.2%
at first, before a rule was changed for the thirteenth part:
  recall          96.0% of  300   93.1% to 97.7%
  false alarms     2.0% of  300    0.9% to 4.3%
at first, before a rule was changed for the fourteenth part:
  recall          97.7% of  300   95.3% to 98.9%
  false alarms     3.0% of  300    1.6% to 5.6%
at first, before a rule was changed for the fifteenth part:
  recall          97.0% of  300   94.4% to 98.4%
  false alarms     1.3% of  300    0.5% to 3.4%
at first, before a rule was changed for the sixteenth part:
  recall          96.3% of  300   93.6% to 97.9%
  false alarms     2.0% of  300    0.9% to 4.3%"""


class Score(NamedTuple):
    total: int
    wrong: list[str]

    @property
    def share(self) -> float:
        return len(self.wrong) / self.total if self.total else 0.0


PARTS = {
    "first": "written beside the rules",
    "second": "written after they were frozen",
    "third": "written after they were made broader and frozen again",
    "fourth": "written blind",
    "fifth": "written blind, after the misses of the fourth were mended",
    "sixth": "written blind, after the misses of the fifth were mended",
    "seventh": "written blind, after the misses of the sixth were mended",
    "eighth": "written blind, after the misses of the seventh were mended",
    "ninth": "written blind, after the misses of the eighth were mended",
    "tenth": "written blind, after the misses of the ninth were mended",
    "eleventh": "written blind, after the misses of the tenth were mended",
    "twelfth": "written blind, after the misses of the eleventh were mended",
    "thirteenth": "written blind, after the misses of the twelfth were mended",
    "fourteenth": "written blind, beside the thirteenth",
    "fifteenth": "written blind, beside the thirteenth",
    "sixteenth": "written blind, after the misses of the fifteenth were mended",
}
"""Names of the parts of the corpus, and how each was written."""
VARIED = ("first", "second", "third")
"""Parts whose lines are also typed in other ways. Lines that are harmless only by what stands at
their end are asked about before it is typed, so the later parts are not varied."""


def recall(part: str) -> tuple[Score, Score]:
    """What was not asked about, of the scenarios as they stand and of their variants."""
    return _score(corpus(f"risky_{part}"), risky=True, varied=part in VARIED)


def alarms(part: str) -> tuple[Score, Score]:
    """What was asked about without need."""
    return _score(corpus(f"harmless_{part}"), risky=False, varied=part in VARIED)


def _score(scenarios: list[Scenario], *, risky: bool, varied: bool) -> tuple[Score, Score]:
    varying = scenarios if varied else []
    other = [each for one in varying for each in variants(one, spelled=risky)]
    scores = []
    for group in (scenarios, other):
        found = [(each, asked(each)) for each in group]
        wrong = [f"{each.text}   {rule}" for each, rule in found if bool(rule) != risky]
        scores.append(Score(len(found), wrong))
    return scores[0], scores[1]


def main(verbose: bool) -> None:
    for part, what in PARTS.items():
        started = time.perf_counter()
        missed, missed_variants = recall(part)
        false, false_variants = alarms(part)
        seconds = time.perf_counter() - started
        count = sum(each.total for each in (missed, missed_variants, false, false_variants))
        print(f"{part} part, {what}:")
        for name, one, more in (
            ("recall", missed, missed_variants),
            ("false alarms", false, false_variants),
        ):
            shares = [each.share for each in (one, more)]
            if name == "recall":
                shares = [1 - share for share in shares]
            print(
                f"  {name:13} {shares[0]:7.2%} of {one.total:4}"
                f"   variants {shares[1]:7.2%} of {more.total}"
            )
            if verbose and one.wrong + more.wrong:
                print(*(f"      {words!r}" for words in one.wrong + more.wrong), sep="\n")
        print(f"  {1000 * seconds / max(1, count):.2f} ms a scenario")
    print(AT_FIRST)


if __name__ == "__main__":
    main("-v" in sys.argv[1:])
