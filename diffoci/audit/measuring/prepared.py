"""PreparedSplit: one split of a dataset, coded, with everything a method may see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from diffoci.data.dataset import Dataset
from diffoci.data.encoding import MOST_INDICATORS, Coding, Encoder
from diffoci.data.splits import Fractions, Split, split_dataset
from diffoci.inputs import Ints, Matrix


@dataclass(frozen=True, eq=False)
class PreparedSplit:
    """Rows ready for methods and probes.

    `standard` are the standardised data (the paper's "Stand. data"), `inputs` what networks are given. `groups` are
    the codes of every sensitive attribute, `joint` those of their cross-product.
    """

    split: Split
    standard: Matrix
    inputs: Matrix
    features: int
    standard_encoder: Encoder
    input_encoder: Encoder
    label: Ints
    classes: int
    sensitive: pd.DataFrame
    groups: dict[str, Ints]
    levels: dict[str, tuple[str, ...]]
    joint: Ints

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        *,
        seed: int,
        coding: Coding,
        fractions: Fractions,
        pieces: int = 0,
        fold_rows: int = 0,
    ) -> PreparedSplit:
        """Split and code a dataset; everything learnt comes from the training rows."""
        split = split_dataset(dataset, seed=seed, fractions=fractions, fold_rows=fold_rows)
        training = dataset.features.iloc[split.train]
        standard = Encoder(coding=coding, most_indicators=MOST_INDICATORS).fit(training, dataset.columns)
        inputs = Encoder(coding=coding, pieces=pieces).fit(training, dataset.columns)
        sensitive = dataset.sensitive.apply(lambda column: column.cat.remove_unused_categories())
        groups = {str(name): sensitive[name].cat.codes.to_numpy(dtype=np.int64) for name in sensitive}
        joint = np.unique(np.column_stack(list(groups.values())), axis=0, return_inverse=True)[1]
        return cls(
            split=split,
            standard=standard.transform(dataset.features),
            inputs=inputs.transform(dataset.features),
            features=len(dataset.columns),
            standard_encoder=standard,
            input_encoder=inputs,
            label=dataset.label.to_numpy(dtype=np.int64),
            classes=len(dataset.label_classes),
            sensitive=sensitive,
            groups=groups,
            levels={str(name): tuple(map(str, sensitive[name].cat.categories)) for name in sensitive},
            joint=joint.reshape(-1).astype(np.int64),
        )

    def feature_of_column(self) -> list[int]:
        """The number of the original feature that each column of the standard data belongs to."""
        origin = self.standard_encoder.origin_
        order = {name: k for k, name in enumerate(dict.fromkeys(origin))}
        return [order[name] for name in origin]
