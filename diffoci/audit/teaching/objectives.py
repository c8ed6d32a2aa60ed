"""Numbers to teach with: what a column tells of the outcome and of the group, and which one each objective prefers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diffoci.coefficients import T
from diffoci.inputs import Floats, Ints
from diffoci.threads import one_thread

OBJECTIVES = ("dF1", "dF2", "dF3", "dF3 with penalty")


@dataclass(frozen=True)
class Candidate:
    """One column: T(y, z), T(S, z), T(y, z given S), and the log-loss of predicting y from it alone."""

    name: str
    T_y: float
    T_s: float
    T_y_given: float
    log_loss: float

    def score(self, objective: str, weight: float) -> float:
        """What an objective makes of the column; every one of them wants it large."""
        leak = weight * max(self.T_s, 0.0)
        match objective:
            case "dF1":
                return self.T_y
            case "dF2":
                return -(self.log_loss + leak)
            case "dF3":
                return self.T_y_given
            case "dF3 with penalty":
                return self.T_y_given - leak
        raise ValueError(f"There is no objective '{objective}'; choose from {', '.join(OBJECTIVES)}.")


def candidates(direct: float, own: float, *, rows: int = 1500, seed: int = 0) -> list[Candidate]:
    """Three columns for one outcome: a trace of the group alone, what differs within groups alone, and a mixture.

    The outcome is whether `direct` times the group (−1 or 1) plus `own` times the skill plus noise is above zero.

    >>> trace, skill, mixture = candidates(1.0, 1.0)
    >>> trace.T_y > 0.1 > abs(trace.T_y_given), skill.T_y_given > 0.1 > abs(skill.T_s)
    (True, True)
    """
    rng = np.random.default_rng(seed)
    sign = rng.choice([-1.0, 1.0], rows)
    skill, noise, blur = rng.standard_normal((3, rows))
    y = (direct * sign + own * skill + 0.4 * noise > 0).astype(np.int64)
    group = (sign > 0).astype(np.int64)
    columns = {
        "postcode (trace of the group)": sign + 0.4 * blur,
        "skill (differs within groups)": skill,
        "salary (both)": sign + skill + 0.2 * blur,
    }
    return [_candidate(name, column, y, group) for name, column in columns.items()]


def preferred(found: list[Candidate], objective: str, weight: float) -> Candidate:
    """The column that an objective likes best."""
    return max(found, key=lambda one: one.score(objective, weight))


def coefficient_text(value: float) -> str:
    """A coefficient with two digits; one that is nearly zero has no sign.

    >>> coefficient_text(-0.004), coefficient_text(-0.02)
    ('0.00', '−0.02')
    """
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _candidate(name: str, column: Floats, y: Ints, group: Ints) -> Candidate:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss

    with one_thread():
        predicted = LogisticRegression().fit(column[:, None], y).predict_proba(column[:, None])
    return Candidate(
        name=name,
        T_y=T(y, column, neighbours="auto"),
        T_s=T(group, column, neighbours="auto"),
        T_y_given=T(y, column, given=group.astype(str), neighbours="auto"),
        log_loss=float(log_loss(y, predicted, labels=[0, 1])),
    )
