"""Linear erasers: changes of the standardised data after which a linear model finds nothing of the attribute."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods._method import Method, Representation
from diffoci.audit.methods.families import LINEAR
from diffoci.runs.study import Watch


def _remove_correlation(
    prepared: PreparedSplit, settings: Mapping[str, Any], seed: int, watch: Watch
) -> Representation:
    """Subtract from every column what S predicts of it linearly."""
    from fairlearn.preprocessing import CorrelationRemover

    indicators = np.eye(int(prepared.joint.max()) + 1)[prepared.joint][:, 1:]
    both = np.hstack([indicators, prepared.standard.astype(np.float64)])
    remover = CorrelationRemover(sensitive_feature_ids=list(range(indicators.shape[1])))
    remover.fit(both[prepared.split.train])
    return Representation(remover.transform(both).astype(np.float32))


def _erase(prepared: PreparedSplit, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
    """The smallest change after which no linear model can guess S."""
    import torch

    from diffoci.learning.models import Eraser

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it compiles its kernels the old way when imported
        from concept_erasure import LeaceEraser
    x = torch.from_numpy(prepared.standard.astype(np.float64))
    s = torch.from_numpy(np.eye(int(prepared.joint.max()) + 1)[prepared.joint])
    train = torch.from_numpy(prepared.split.train)
    fitted = LeaceEraser.fit(x[train], s[train])
    centre = torch.zeros(x.shape[1]) if fitted.bias is None else fitted.bias
    eraser = Eraser(fitted.proj_left, fitted.proj_right, centre)
    return Representation(eraser(x).numpy(), network=eraser)


CORRELATION_REMOVER = Method(
    name="correlation-remover",
    title="CorrelationRemover",
    short="CorrelationRemover",
    family=LINEAR,
    description="fairlearn's CorrelationRemover: a linear change of the standardised features",
    citation=(
        "S. Bird, M. Dudík, R. Edgar, B. Horn, R. Lutz, V. Milan, M. Sameki, H. Wallach, K. Walker (2020). Fairlearn: "
        "A toolkit for assessing and improving fairness in AI. Microsoft, MSR-TR-2020-32"
    ),
    build=_remove_correlation,
    needs_sensitive_at_prediction=True,
    default=True,
    cost=0.5,
)
LEACE = Method(
    name="leace",
    title="LEACE",
    short="LEACE",
    family=LINEAR,
    marker="cross",
    description="LEACE: the smallest linear change after which no linear model can guess the attributes",
    citation=(
        "N. Belrose, D. Schneider-Joseph, S. Ravfogel, R. Cotterell, E. Raff, S. Biderman (2023). LEACE: Perfect "
        "linear concept erasure in closed form. Advances in Neural Information Processing Systems 36. arXiv:2306.03819"
    ),
    build=_erase,
    exportable=True,
    default=True,
    cost=0.5,
)
METHODS = (CORRELATION_REMOVER, LEACE)
