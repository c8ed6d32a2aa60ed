"""Fewer columns made of all: PCA, linear discriminants, and UMAP where it is installed."""

from __future__ import annotations

import warnings

import numpy as np

from diffoci.labs.feature_selection.downstream import validation_loss
from diffoci.labs.feature_selection.families import PROJECTION
from diffoci.labs.feature_selection.selectors.selector import Asked, Found, Selector
from diffoci.labs.feature_selection.selectors.univariate import SHARES


def _pca(asked: Asked) -> Found:
    from sklearn.decomposition import PCA

    task = asked.task
    most = min(len(task.split.train), task.x.shape[1])
    z = PCA(random_state=asked.seed).fit(task.x[task.split.train]).transform(task.x)
    return _best_of(asked, [(share, z[:, : max(1, round(share * most))]) for share in SHARES])


def _umap(asked: Asked) -> Found:
    from umap import UMAP

    task, found = asked.task, []
    for share in SHARES:
        asked.watch.tell(fraction=share / 2)
        width = min(max(1, round(share * task.x.shape[1])), len(task.split.train) - 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about its own threads and about rows it has not seen
            model = UMAP(n_components=width, random_state=asked.seed).fit(task.x[task.split.train])
            found.append((share, np.asarray(model.transform(task.x))))
    return _best_of(asked, found)


def _best_of(asked: Asked, found: list[tuple[float, np.ndarray]]) -> Found:
    _, share, z = min(((validation_loss(asked.task, z), share, z) for share, z in found), key=lambda entry: entry[:2])
    return Found(z, chosen=f"{100 * share:.0f} % of the components")


def _lda(asked: Asked) -> Found:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rows = asked.task.split.train
    model = LinearDiscriminantAnalysis().fit(asked.task.x[rows], asked.task.y[rows])
    return Found(np.asarray(model.transform(asked.task.x)))


SELECTORS = (
    Selector(
        name="PCA",
        title="PCA",
        description="25, 50 or 75 % of the principal components, chosen on validation rows",
        build=_pca,
        family=PROJECTION,
        cost=2.0,
    ),
    Selector(
        name="UMAP",
        title="UMAP",
        description="25, 50 or 75 % as many components as columns, chosen on validation rows",
        build=_umap,
        family=PROJECTION,
        needs="umap",
        extra="selectors",
        cost=40.0,
    ),
    Selector(
        name="LDA",
        title="LDA",
        description="linear discriminants, one fewer than classes",
        build=_lda,
        kinds=("class",),
        family=PROJECTION,
    ),
)
