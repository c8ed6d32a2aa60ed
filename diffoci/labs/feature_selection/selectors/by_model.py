"""What people use today: L1 and permutation importance of scikit-learn; Boruta, LassoNet and knockoffs as extras."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from diffoci.inputs import Ints
from diffoci.labs.feature_selection.selectors.selector import Asked, Found, Selector, kept_columns

EXTRA = "selectors"
TREES = 100
# Forests and networks of more rows take minutes, and select the same.
MOST_ROWS = 4000
NEAR = 0.05
FALSE_SHARE = 0.2  # of what knockoffs select, at most this share is expected to be false


def _rows(asked: Asked) -> Ints:
    training = asked.task.split.train
    some: Ints = training[:: max(1, -(-len(training) // MOST_ROWS))]
    return some


def _forest(asked: Asked, **settings: Any) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if asked.task.kind == "class" else RandomForestRegressor
    return kind(random_state=asked.seed, n_jobs=1, **settings)


def _l1(asked: Asked) -> Found:
    """The lasso, its weight chosen by cross-validation among training rows; of classes, logistic regression with L1."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LassoCV, LogisticRegressionCV

    task, rows = asked.task, _rows(asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)
        if task.kind == "number":
            weights = LassoCV(random_state=asked.seed).fit(task.x[rows], task.y[rows]).coef_
        else:
            model = LogisticRegressionCV(
                Cs=8, l1_ratios=(1.0,), solver="saga", tol=1e-2, cv=3, max_iter=200, random_state=asked.seed
            )
            weights = np.abs(model.fit(task.x[rows], task.y[rows]).coef_).max(axis=0)
    return kept_columns(task, np.abs(weights) > 1e-8)


def _permutation(asked: Asked) -> Found:
    """Features whose shuffling worsens a forest's prediction of validation rows by twice its standard error."""
    from sklearn.inspection import permutation_importance

    task, rows, held = asked.task, _rows(asked), asked.task.split.validation
    forest = _forest(asked, n_estimators=TREES).fit(task.x[rows], task.y[rows])
    asked.watch.tell(fraction=0.5)
    found = permutation_importance(forest, task.x[held], task.y[held], n_repeats=10, random_state=asked.seed, n_jobs=1)
    return kept_columns(task, found.importances_mean > 2 * found.importances_std)


def _boruta(asked: Asked) -> Found:
    from boruta import BorutaPy

    task, rows = asked.task, _rows(asked)
    forest = _forest(asked, max_depth=5)
    model = BorutaPy(forest, n_estimators=TREES, max_iter=40, random_state=asked.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(task.x[rows].astype(np.float64), task.y[rows])
    return kept_columns(task, model.support_)


def _lassonet(asked: Asked) -> Found:
    """The step of its path with the fewest columns whose loss on validation rows is near the lowest."""
    from lassonet import LassoNetClassifier, LassoNetRegressor

    task, rows, held = asked.task, _rows(asked), asked.task.split.validation
    kind = LassoNetClassifier if task.kind == "class" else LassoNetRegressor
    model = kind(
        hidden_dims=(32,),
        path_multiplier=1.2,
        n_iters=(100, 20),
        verbose=0,
        random_state=asked.seed,
        torch_seed=asked.seed,
        device="cpu",
    )
    number = task.kind == "number"
    centre, spread = (float(task.y[rows].mean()), float(task.y[rows].std()) or 1.0) if number else (0, 1)
    y = ((task.y - centre) / spread).astype(np.float32) if number else task.y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = model.path(task.x[rows], y[rows], X_val=task.x[held], y_val=y[held], return_state_dicts=True)
    lowest = min(float(step.val_loss) for step in path)
    near = [step for step in path if float(step.val_loss) <= (1 + NEAR) * lowest]
    return kept_columns(task, np.asarray(min(near, key=lambda step: int(step.selected.sum())).selected))


def _knockoffs(asked: Asked) -> Found:
    from hidimstat import ModelXKnockoff
    from sklearn.linear_model import LassoCV, LogisticRegressionCV

    task, rows = asked.task, _rows(asked)
    estimator: Any = LassoCV(max_iter=2000)
    if task.kind == "class":
        estimator = LogisticRegressionCV(
            Cs=6, l1_ratios=(1.0,), solver="saga", tol=1e-2, cv=3, max_iter=200, random_state=asked.seed
        )
    model = ModelXKnockoff(estimator, random_state=asked.seed, preconfigure_lasso_path=task.kind == "number")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit_importance(task.x[rows].astype(np.float64), task.y[rows])
        chosen = model.fdr_selection(fdr=FALSE_SHARE)
    return kept_columns(task, np.asarray(chosen) > 0)


SELECTORS = (
    Selector(
        name="L1",
        title="L1",
        description="columns that a linear model with an L1 penalty gives a weight, chosen by cross-validation",
        build=_l1,
        cost=4.0,
    ),
    Selector(
        name="permutation",
        title="permutation importance",
        description="columns without which a random forest predicts validation rows worse",
        build=_permutation,
        cost=15.0,
    ),
    Selector(
        name="Boruta",
        title="Boruta",
        description="columns that a random forest uses more than shuffled copies of columns",
        build=_boruta,
        needs="boruta",
        extra=EXTRA,
        cost=40.0,
    ),
    Selector(
        name="LassoNet",
        title="LassoNet",
        description="a network whose columns are dropped one after another; validation rows say where to stop",
        build=_lassonet,
        needs="lassonet",
        extra=EXTRA,
        cost=40.0,
    ),
    Selector(
        name="knockoffs",
        title="model-X knockoffs",
        description=(
            f"a lasso among columns and their copies, so that at most {FALSE_SHARE:.0%} of its choice is false; of few "
            "columns it may choose none"
        ),
        build=_knockoffs,
        needs="hidimstat",
        extra=EXTRA,
        cost=5.0,
    ),
)
