"""Probes for teaching: how well a line, trees and the best possible guess find the group in known-truth data."""

from __future__ import annotations

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from diffoci.data.truth import Truth


# On cores that audits keep busy, OpenMP's threads wait for each other: half a second on one thread was ten on two.
@threadpool_limits.wrap(limits=1)
def probe_areas(truth: Truth, *, seed: int = 0) -> dict[str, float]:
    """AUC of guessing the group on the half of the rows that the probes did not see, beside the best possible.

    >>> from diffoci.data.truth import make_truth
    >>> areas = probe_areas(make_truth(rows=2000, linear=0, variance=0, interaction=0.9))
    >>> areas["linear probe"] < 0.6 < areas["boosted trees"] < areas["best possible"]
    True
    """
    group = (truth.dataset.sensitive["group"] == "B").to_numpy().astype(int)
    seen, unseen, known, asked = train_test_split(
        truth.dataset.features.to_numpy(), group, test_size=0.5, random_state=seed, stratify=group
    )
    linear = LogisticRegression().fit(seen, known)
    trees = HistGradientBoostingClassifier(max_iter=60, random_state=seed).fit(seen, known)
    return {
        "linear probe": float(roc_auc_score(asked, linear.predict_proba(unseen)[:, 1])),
        "boosted trees": float(roc_auc_score(asked, trees.predict_proba(unseen)[:, 1])),
        "best possible": truth.bayes_s_auc,
    }
