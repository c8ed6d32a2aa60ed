"""Learning fair representations (LFR): every row as its closeness to a few prototypes, by fairlearn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods._method import Method, Representation
from diffoci.runs.study import Watch


def _learn_prototypes(prepared: PreparedSplit, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
    from fairlearn.preprocessing import PrototypeRepresentationLearner

    train = prepared.split.train
    rows = prepared.standard.astype(np.float64)
    learner = PrototypeRepresentationLearner(
        n_prototypes=settings["prototypes"], max_iter=settings["prototype_iterations"], random_state=seed
    )
    learner.fit(rows[train], prepared.label[train], sensitive_features=prepared.joint[train])
    return Representation(np.asarray(learner.transform(rows), dtype=np.float32))


PROTOTYPES = Method(
    name="prototypes",
    title="Prototypes",
    short="Prototypes",
    description="fairlearn's prototype representation (LFR)",
    citation=(
        "R. Zemel, Y. Wu, K. Swersky, T. Pitassi, C. Dwork (2013). Learning fair representations. Proceedings of the "
        "30th International Conference on Machine Learning"
    ),
    build=_learn_prototypes,
    two_classes_only=True,
    cost=8.0,
)
METHODS = (PROTOTYPES,)
