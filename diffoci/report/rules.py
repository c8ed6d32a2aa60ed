"""Rules on the numbers of a result: each holds, fails, or cannot be told from so few people."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from diffoci.audit.kinds import Count, Number, Text
from diffoci.report._rule_numbers import Found, find_number
from diffoci.runs.study import Result
from diffoci.runs.typed_json import convert

Answer = Literal["holds", "fails", "insufficient evidence"]
EXIT_CODES: dict[Answer, int] = {"holds": 0, "fails": 1, "insufficient evidence": 3}


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule.

    Parameters
    ----------
    number : str
        What it is about, such as "gap.selection_rate", "ratio.selection_rate", "T.independence" or "ceiling".
    at_most, at_least : float, optional
        The limit.
    not_worse : bool
        Not worse than the other run by more than noise.
    model, by, group : str, optional
        Of which model or method, attribute and group; the first, the first, and the worst pair unless said.
    decide_by : {"interval", "value"}
        Whether all of the interval must keep the limit, and anything else is too little evidence, or the value alone.
    fewest : int
        Fewer people than this are too little evidence.
    """

    number: Text
    name: Text = ""
    at_most: Number | None = None
    at_least: Number | None = None
    not_worse: bool = False
    model: Text | None = None
    by: Text | None = None
    group: Text | None = None
    decide_by: Literal["interval", "value"] = "interval"
    fewest: Count = 30

    @property
    def called(self) -> str:
        """Its name, or what it says."""
        if self.name:
            return self.name
        about = ", ".join(filter(None, (self.model, self.by, self.group)))
        limits = [f"at most {self.at_most:g}"] if self.at_most is not None else []
        limits += [f"at least {self.at_least:g}"] if self.at_least is not None else []
        limits += ["not worse"] if self.not_worse else []
        return f"{self.number}{f' ({about})' if about else ''} {' and '.join(limits)}"


class _Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rule: Annotated[tuple[Rule, ...], Meta(min_length=1, max_length=1000)]


@dataclass(frozen=True)
class Judged:
    """A rule with its answer, the number it is about, and why."""

    rule: Rule
    answer: Answer
    value: float | None
    low: float | None
    high: float | None
    people: int
    why: str


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Read a rules file, or say in a sentence what is wrong with it."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"There is no file {path}; check its name and folder.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ValueError(f"{path} is not TOML: {problem}.") from None
    rules = convert(content, _Rules, str(path)).rule
    for rule in rules:
        if rule.at_most is None and rule.at_least is None and not rule.not_worse:
            raise ValueError(f"The rule '{rule.called}' of {path} has no limit: give at_most, at_least or not_worse.")
    return rules


def judge(rules: Sequence[Rule], result: Result, *, against: Result | None = None) -> list[Judged]:
    """Judge every rule."""
    if against is not None and against.study != result.study:
        raise ValueError(
            "The two results are of a fairness audit and of a model audit. They measure different things; name two of "
            "one kind."
        )
    return [_judged(rule, result, against) for rule in rules]


def worst(judged: Sequence[Judged]) -> Answer:
    """What holds of all rules together.

    >>> worst([])
    'holds'
    """
    order: tuple[Answer, ...] = ("fails", "insufficient evidence")
    return next((answer for answer in order if any(one.answer == answer for one in judged)), "holds")


def _judged(rule: Rule, result: Result, against: Result | None) -> Judged:
    found = find_number(result, rule.number, model=rule.model, by=rule.by, group=rule.group)
    if found is None:
        return Judged(rule, "insufficient evidence", None, None, None, 0, "the result has no such number")
    if found.people < rule.fewest:
        why = f"{found.people:,} people, fewer than {rule.fewest:,}"
        return Judged(rule, "insufficient evidence", found.value, found.low, found.high, found.people, why)
    parts = []
    if rule.at_most is not None:
        parts.append(_limited(rule, found, rule.at_most, sign=1))
    if rule.at_least is not None:
        parts.append(_limited(rule, found, rule.at_least, sign=-1))
    if rule.not_worse:
        parts.append(_not_worse(rule, found, against))
    answer, why = max(parts, key=lambda part: ("holds", "insufficient evidence", "fails").index(part[0]))
    return Judged(rule, answer, found.value, found.low, found.high, found.people, why)


def _limited(rule: Rule, found: Found, limit: float, *, sign: int) -> tuple[Answer, str]:
    """Against one limit; with `sign` -1 it is the least that is allowed."""
    value = sign * found.value
    low, high = sorted((sign * found.low, sign * found.high))
    allowed = sign * limit
    said = f"{found.value:.4g} (interval {found.low:.4g} to {found.high:.4g}) against {limit:g}"
    if rule.decide_by == "value":
        return ("holds" if value <= allowed else "fails"), said
    if high <= allowed:
        return "holds", said
    return ("fails" if low > allowed else "insufficient evidence"), said


def _not_worse(rule: Rule, found: Found, against: Result | None) -> tuple[Answer, str]:
    if against is None:
        raise ValueError(f"The rule '{rule.called}' compares with another run: name it with --against.")
    other = find_number(against, rule.number, model=rule.model, by=rule.by, group=rule.group)
    if other is None or other.people < rule.fewest:
        return "insufficient evidence", "the other run has no such number, or too few people"
    noise = math.hypot((found.high - found.low) / 2, (other.high - other.low) / 2)
    worse = (found.value - other.value) * (1 if found.smaller_is_better else -1)
    said = f"{found.value:.4g} against {other.value:.4g}, give or take {noise:.2g}"
    return ("fails" if worse > noise else "holds"), said


def as_builtins(judged: Sequence[Judged]) -> dict[str, Any]:
    """Plain values, for JSON."""
    rows = [
        {
            "rule": one.rule.called,
            "number": one.rule.number,
            "answer": one.answer,
            "value": one.value,
            "low": one.low,
            "high": one.high,
            "people": one.people,
            "why": one.why,
        }
        for one in judged
    ]
    return {"answer": worst(judged), "rules": rows}
