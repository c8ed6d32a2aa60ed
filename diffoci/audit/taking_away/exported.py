"""A representation taken away from an audit: a folder of JSON and safetensors, used as a scikit-learn transformer."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal, Self, get_args

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as parse_weights
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from diffoci.audit.certificates.cutting import Cut
from diffoci.data.encoding import Encoder
from diffoci.data.new_rows import as_encoded_from
from diffoci.learning.descriptions import rebuild

SCHEMA = 1
Cells = Literal["indicators", "mean"]
MODEL, PREPROCESSING, WEIGHTS = "model.json", "preprocessing.json", "weights.safetensors"


class ExportedRepresentation(TransformerMixin, BaseEstimator):
    """The features an audit's method learnt, for new rows.

    It is trained already: `fit` reads the folder and learns nothing. Levels that training did not have and missing
    values are treated as in the audit.

    Parameters
    ----------
    folder : path
        What ``python -m diffoci export`` wrote.
    cells : {"indicators", "mean"}
        Of a folder written with ``--cells``: one column per cell with 1 for the row's own, or the mean that the
        representation had in the row's cell. Both tell the cell and nothing finer.

    Attributes
    ----------
    model_ : dict
        The method, its settings, and which audit of which data it comes from.
    feature_names_in_ : array of str
        Columns that rows must have; others are ignored.
    """

    def __init__(self, folder: str | Path, *, cells: Cells = "indicators") -> None:
        self.folder = folder
        self.cells = cells

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Read the folder; rows are not looked at."""
        folder = Path(self.folder)
        self.model_ = _read_json(folder / MODEL)
        if self.model_.get("schema") != SCHEMA:
            raise ValueError(
                f"{folder / MODEL} was written by another version (schema {self.model_.get('schema')}, here {SCHEMA}); "
                "export the representation again."
            )
        if not isinstance(self.model_.get("files"), dict) or not isinstance(self.model_.get("columns"), list):
            raise ValueError(f"{folder / MODEL} is damaged: parts of it are missing; export the representation again.")
        for name in (PREPROCESSING, WEIGHTS):
            if hashlib.sha256(_read(folder / name)).hexdigest() != self.model_["files"].get(name):
                raise ValueError(f"{folder / name} is not the file that was exported; export the representation again.")
        self.encoder_ = _read_encoder(folder / PREPROCESSING)
        self.feature_names_in_ = np.array([code.name for code in self.encoder_.codes_], dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        weights = _read_weights(folder / WEIGHTS)
        self.module_ = rebuild(self.model_.get("map", {}), weights, inputs=len(self.encoder_.names_))
        self.cut_ = _read_cut(folder / MODEL, self.model_.get("cells"), self.model_["columns"])
        if self.cells not in get_args(Cells):
            raise ValueError(f"A row's cell is given as {' or '.join(get_args(Cells))}, not {self.cells!r}.")
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """The representation of rows given as a DataFrame with the audit's columns, or as an array in their order.

        Of a folder written with ``--cells`` it is what `cells` asks for.
        """
        check_is_fitted(self)
        encoded = self.encode(X)
        with torch.no_grad():
            z = np.asarray(self.module_(torch.from_numpy(encoded)).numpy())
        if self.cut_ is None:
            return z
        cut, means = self.cut_
        return (np.eye(cut.cells, dtype=np.float32) if self.cells == "indicators" else means)[cut.cell_of(z)]

    def encode(self, X: Any) -> NDArray[np.float32]:
        """The rows as the network (and the ONNX file) takes them: scaled, coded, missing values filled in."""
        check_is_fitted(self)
        frame = X
        if not isinstance(X, pd.DataFrame):
            values = np.asarray(X, dtype=object)
            if values.ndim != 2 or values.shape[1] != self.n_features_in_:
                names = ", ".join(self.feature_names_in_)
                raise ValueError(f"Rows need {self.n_features_in_} columns in this order: {names}.")
            frame = pd.DataFrame(values, columns=self.feature_names_in_)
        return self.encoder_.transform(as_encoded_from(frame, self.encoder_.codes_))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns of the representation."""
        check_is_fitted(self)
        columns = self.model_["columns"]
        if self.cut_ is not None and self.cells == "indicators":
            columns = [f"cell {k + 1}" for k in range(self.cut_[0].cells)]
        return np.array(columns, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "module_")


def load_representation(folder: str | Path, *, cells: Cells = "indicators") -> ExportedRepresentation:
    """Read a representation that ``python -m diffoci export`` wrote; nothing in the folder is executed.

    Of a folder written with ``--cells``, `cells` says how a row's cell is given: as "indicators", or as its "mean".
    """
    return ExportedRepresentation(folder, cells=cells).fit()


def _read_cut(path: Path, values: Any, columns: list[Any]) -> tuple[Cut, NDArray[np.float32]] | None:
    """The cells and the mean of each; None where the representation itself was taken away."""
    if values is None:
        return None
    try:
        cut = Cut.from_dict(values["cut"], columns=len(columns))
        means = np.array(values["means"], dtype=np.float32)
        whole = means.shape == (cut.cells, len(columns)) and bool(np.isfinite(means).all())
    except (KeyError, TypeError, ValueError):
        whole = False
    if not whole:
        raise ValueError(f"{path} is damaged: its cells are not cells of its columns; export them again.")
    return cut, means


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"There is no exported representation in {path.parent}: {path.name} is missing.") from None


def _read_json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(_read(path))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ValueError(f"{path} is damaged: it does not hold a JSON object.")
    return values


def _read_encoder(path: Path) -> Encoder:
    try:
        return Encoder.from_dict(_read_json(path))
    except ValueError as problem:
        raise ValueError(f"{path} cannot be used: {problem} Export the representation again.") from None


def _read_weights(path: Path) -> dict[str, NDArray[Any]]:
    try:
        return parse_weights(_read(path))
    except SafetensorError:
        raise ValueError(f"{path} is not a safetensors file; other formats, pickles above all, are not read.") from None
