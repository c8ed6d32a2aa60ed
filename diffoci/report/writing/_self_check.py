"""The part of a report that checks the report in a browser, where nobody has Python: `self_check.js` and its words."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from diffoci.audit.decisions.disparities import MEASURES
from diffoci.audit.decisions.four_fifths import BELOW, FOUR_FIFTHS, NOT_BELOW, TOO_FEW
from diffoci.audit.decisions.local_law_144 import SMALL_SHARE
from diffoci.audit.methods import REFERENCE
from diffoci.audit.noise import EXACTLY
from diffoci.audit.splitting import OF_FOLDS
from diffoci.audit.verdicts import LEVEL, WIDEST_CHANCE
from diffoci.audit.words import ALIKE, VERDICTS
from diffoci.report.writing.embedded import ELEMENT

BOX = "self-check"
WAITING = (
    "Where scripts run, this file checks here whether its numbers follow from the result it carries. They do not run "
    "here, so nothing was checked."
)
ONLY_VERIFY = (
    "This shows that the numbers of the file hang together: means and intervals over repetitions, rates and their "
    "intervals from counts, gaps, ratios, verdicts, weights, what tables and page one show, and the digest of the "
    "result. What the draws of a random generator decide (intervals of gaps, what shuffled labels give), pictures and "
    "further words are compared by python -m diffoci verify report.html, letter by letter, with a program that this "
    "file cannot change: whoever forges a file can forge this check as well. That the numbers come from the data is "
    "shown by verify --rerun alone."
)
_NORMAL_975 = 1.959963984540054  # 97.5 % of a normal distribution lie below


@cache
def self_check_script() -> str:
    """The script, with the constants that it shares with the program before it."""
    rules = {
        "element": ELEMENT,
        "box": BOX,
        "z": _NORMAL_975,
        "widestChance": WIDEST_CHANCE,
        "level": LEVEL,
        "reference": REFERENCE,
        "verdicts": VERDICTS,
        "measures": MEASURES,
        "fourFifths": {"limit": FOUR_FIFTHS, "below": BELOW, "notBelow": NOT_BELOW, "tooFew": TOO_FEW},
        "smallShare": SMALL_SHARE,
        "ofFolds": OF_FOLDS,
        "alike": ALIKE,
        "exactly": EXACTLY,
    }
    script = Path(__file__).with_name("self_check.js").read_text("utf-8")
    return f"\nconst RULES = {json.dumps(rules, ensure_ascii=False)};\n{script}"
