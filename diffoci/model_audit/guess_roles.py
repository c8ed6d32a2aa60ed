"""Guess what columns are from what they are called; whatever is guessed can be said otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from diffoci.model_audit.spec import Roles

# Aequitas calls its columns score, label_value and entity_id; the others are what people write.
_SCORES = ("score", "scores", "probability", "prob", "proba", "risk_score", "prediction", "predicted", "y_score")
_DECISIONS = ("decision", "approved", "selected", "admitted", "hired", "accepted", "y_pred", "outcome_decision")
_LABELS = ("label_value", "label", "y_true", "y", "target", "actual", "ground_truth", "outcome", "repaid", "default",
           "defaulted")  # fmt: skip
_VERSIONS = ("new", "old", "current", "champion", "challenger")  # what tells models apart beside letters and numbers
_WEIGHTS = ("weight", "weights", "pwgtp", "sample_weight")
_SENSITIVE = (
    "sex", "gender", "race", "ethnicity", "race_ethnicity", "age", "age_cat", "religion", "disability", "nationality",
    "marital", "marital_status",
)  # fmt: skip


def guess_roles(names: Sequence[str]) -> Roles:
    """Give every column the role that its name suggests; names of several models may end in a number or a letter.

    >>> found = guess_roles(["entity_id", "score", "label_value", "race", "sex"])
    >>> found.scores, found.label, found.sensitive
    (('score',), 'label_value', ('race', 'sex'))
    """
    plain = {name: name.strip().lower().replace(" ", "_").replace("-", "_").replace("/", "_") for name in names}

    def called(words: Sequence[str], *, numbered: bool = False) -> tuple[str, ...]:
        return tuple(
            name for name, word in plain.items() if word in words or (numbered and _without_number(word) in words)
        )

    labels, weights = called(_LABELS), called(_WEIGHTS)
    return Roles(
        scores=called(_SCORES, numbered=True),
        decisions=called(_DECISIONS, numbered=True),
        label=labels[0] if labels else None,
        sensitive=called(_SENSITIVE),
        weights=weights[0] if weights else None,
    )


def _without_number(word: str) -> str:
    """A name without what tells models apart at its end.

    >>> _without_number("score_a"), _without_number("score2"), _without_number("score_new"), _without_number("score")
    ('score', 'score', 'score', 'score')
    """
    base, sign, end = word.rpartition("_")
    return base if sign and (len(end) <= 2 or end in _VERSIONS) else word.rstrip("0123456789")
