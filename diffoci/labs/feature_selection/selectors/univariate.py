"""scikit-learn's selectors that look at one column at a time, with its F test for a number and for classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from diffoci.labs.feature_selection.downstream import validation_loss
from diffoci.labs.feature_selection.families import ONE_BY_ONE
from diffoci.labs.feature_selection.problem import Kind
from diffoci.labs.feature_selection.selectors.selector import Asked, Found, Selector, kept_columns

SHARES = (0.25, 0.5, 0.75)


def f_test(kind: Kind) -> Callable[[Any, Any], tuple[Any, Any]]:
    """scikit-learn's F test of every column, for numbers or for classes."""
    from sklearn.feature_selection import f_classif, f_regression

    def of_numbers(x: Any, y: Any) -> tuple[Any, Any]:
        score, p = f_regression(x, y)
        # Rounding gives a column that is y itself a correlation above 1, and so a score below 0 and p = 1.
        exact = score < 0
        return np.where(exact, np.finfo(np.float64).max, score), np.where(exact, 0.0, p)

    return of_numbers if kind == "number" else f_classif


def _fitted(make: Callable[..., Any], asked: Asked, **settings: Any) -> Found:
    """Fit one on the training rows; the published notebooks use the F test of classes for numbers, too."""
    from sklearn import feature_selection

    task = asked.task
    rows = task.split.train
    model = make(feature_selection)(f_test(task.kind), **settings).fit(task.x[rows], task.y[rows])
    return kept_columns(task, model.get_support())


def _best_share(asked: Asked) -> Found:
    """SelectKBest with a quarter, half or three quarters of the columns, whichever predicts validation rows best."""
    found = []
    for share in SHARES:
        one = _fitted(lambda sklearn: sklearn.SelectKBest, asked, k=max(1, round(share * asked.task.x.shape[1])))
        found.append((validation_loss(asked.task, one.z), share, one))
    _, share, best = min(found, key=lambda entry: entry[:2])
    return Found(best.z, best.selected, chosen=f"{100 * share:.0f} % of the columns")


def _selector(name: str, title: str, description: str, *, tests: bool) -> Selector:
    build = partial(_fitted, lambda sklearn: getattr(sklearn, title))
    return Selector(name=name, title=title, description=description, build=build, family=ONE_BY_ONE, tests=tests)


SELECTORS = (
    _selector("GUS", "GenericUnivariateSelect", "the best column by the F test", tests=False),
    _selector("SPer", "SelectPercentile", "the best tenth of the columns by the F test", tests=False),
    _selector("FPR", "SelectFpr", "columns whose F test has p below 0.05", tests=True),
    _selector("FDR", "SelectFdr", "the same with a false discovery rate of 0.05", tests=True),
    _selector("FWE", "SelectFwe", "the same with a family-wise error of 0.05", tests=True),
    Selector(
        name="KBest",
        title="SelectKBest",
        description="the best 25, 50 or 75 % of the columns by the F test, chosen on validation rows",
        build=_best_share,
        family=ONE_BY_ONE,
        cost=2.0,
    ),
)
