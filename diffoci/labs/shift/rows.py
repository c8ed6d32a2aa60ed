"""The rows of two domains, coded from the training rows of the first alone."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd

from diffoci.data import sources
from diffoci.data.dataset import Dataset
from diffoci.data.encoding import MOST_INDICATORS, Encoder
from diffoci.data.splits import Split, split_rows
from diffoci.inputs import Ints, Matrix
from diffoci.labs.shift.feature_files import FeatureFile, read_features
from diffoci.labs.shift.spec import Domain, ShiftSpec


@dataclass(frozen=True, eq=False)
class ShiftTask:
    """One split of the inside rows, and all rows outside; `feature` says which feature each column belongs to."""

    inside: Matrix
    y_inside: Ints
    split: Split
    outside: Matrix
    y_outside: Ints
    feature: Ints


class ShiftRows(Protocol):
    """What the study asks of its rows."""

    @property
    def sha256(self) -> str: ...
    @property
    def real(self) -> bool: ...
    @property
    def sizes(self) -> tuple[int, int]: ...
    @property
    def features(self) -> int: ...

    def task(self, seed: int) -> ShiftTask: ...


@dataclass(frozen=True, eq=False)
class FileRows:
    """Two files of features."""

    inside: FeatureFile
    outside: FeatureFile
    real: bool = True

    @property
    def sha256(self) -> str:
        return _joined(self.inside.sha256, self.outside.sha256)

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.inside.x), len(self.outside.x)

    @property
    def features(self) -> int:
        return int(self.inside.x.shape[1])

    def task(self, seed: int) -> ShiftTask:
        nobody = pd.DataFrame(index=range(len(self.inside.y)))
        split = split_rows(pd.Series(self.inside.y), nobody, seed=seed)
        training = self.inside.x[split.train]
        centre, scale = training.mean(axis=0), np.maximum(training.std(axis=0), 1e-6)
        inside, outside = ((file.x - centre) / scale for file in (self.inside, self.outside))
        return ShiftTask(inside, self.inside.y, split, outside, self.outside.y, np.arange(self.features))


@dataclass(frozen=True, eq=False)
class SourceRows:
    """Two sets of people from data sources with the same features and outcome."""

    inside: Dataset
    outside: Dataset

    @property
    def sha256(self) -> str:
        return _joined(self.inside.sha256, self.outside.sha256)

    @property
    def real(self) -> bool:
        return self.inside.real and self.outside.real

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.inside), len(self.outside)

    @property
    def features(self) -> int:
        return len(self.inside.columns)

    def task(self, seed: int) -> ShiftTask:
        split = split_rows(self.inside.label, self.inside.sensitive, seed=seed)
        encoder = Encoder(coding="onehot", most_indicators=MOST_INDICATORS)
        encoder.fit(self.inside.features.iloc[split.train], self.inside.columns)
        place = {column.name: k for k, column in enumerate(self.inside.columns)}
        return ShiftTask(
            encoder.transform(self.inside.features),
            self.inside.label.to_numpy(dtype=np.int64),
            split,
            encoder.transform(self.outside.features),
            self.outside.label.to_numpy(dtype=np.int64),
            np.array([place[name] for name in encoder.origin_]),
        )


def rows_of(spec: ShiftSpec) -> ShiftRows:
    """Load both domains, or say in a sentence why they cannot be compared."""
    if bool(spec.inside.file) != bool(spec.outside.file):
        raise ValueError("One domain is a file of features and the other a data source; give two of one kind.")
    if spec.inside.file:
        return _files(spec.inside, spec.outside)
    inside, outside = _people(spec.inside), _people(spec.outside)
    if [column.name for column in inside.columns] != [column.name for column in outside.columns]:
        raise ValueError(f"{inside.title} and {outside.title} have different features; compare data of one question.")
    if inside.label_classes != outside.label_classes:
        raise ValueError(f"{inside.title} and {outside.title} have different outcomes; compare data of one question.")
    return SourceRows(inside, outside)


def _files(inside: Domain, outside: Domain) -> FileRows:
    one, other = (read_features(Path(domain.file)) for domain in (inside, outside))
    if one.x.shape[1] != other.x.shape[1]:
        raise ValueError(
            f"The files have {one.x.shape[1]:,} and {other.x.shape[1]:,} features; use the same extractor for both."
        )
    if strange := sorted(set(other.y.tolist()) - set(one.y.tolist())):
        raise ValueError(f"Class {strange[0]} occurs in the second file only; the first must have every class.")
    return FileRows(one, other)


def _people(domain: Domain) -> Dataset:
    dataset = sources.load(domain.data, twin=domain.twin, **domain.options)
    if not domain.where:
        return dataset
    value = pd.to_numeric(dataset.features[dataset.column(domain.where).name], errors="coerce")
    least = -np.inf if domain.least is None else domain.least
    below = np.inf if domain.below is None else domain.below
    kept = ((value >= least) & (value < below)).to_numpy()
    if kept.sum() < 100 or dataset.label[kept].nunique() < 2:
        raise ValueError(f"{dataset.title} has too few people with {domain.where} in these limits; widen them.")
    return dataset.of_rows(np.flatnonzero(kept))


def _joined(*digests: str) -> str:
    return hashlib.sha256("".join(digests).encode()).hexdigest()
