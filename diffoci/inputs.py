"""Turn what a caller hands over (arrays, pandas objects, mixed columns) into checked numbers, or say what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Standardize = Literal["none", "scale", "bounded"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Matrix = NDArray[np.float32]

STANDARDIZE = ("none", "scale", "bounded")
# Squares of coordinates between these can be added up by the million without loss.
SMALLEST, LARGEST = 1e-100, 1e100
# Two to this power can be squared, and squares of it added up.
_HIGHEST = 490
# Numbers below this differ by a number, whatever their signs.
MOST_APART = 2.0**1023
# The squares of shorter distances lose digits.
SHORTEST = 1e-140
TOO_DIFFERENT = (
    "Numbers of different columns differ so much in size that distances cannot be told apart; standardise them "
    "(standardize='scale'), or leave out the columns of very small ones."
)
# Beyond this, neighbouring whole numbers are the same number in double precision.
MOST_WHOLE = 2**53


@dataclass(frozen=True)
class Points:
    """Rows as points whose Euclidean distances count; `blocks[k]` are the coordinates of column k."""

    names: tuple[str, ...]
    blocks: tuple[Floats, ...]

    def __len__(self) -> int:
        return len(self.blocks[0])

    def matrix(self, *others: Points) -> Floats:
        """All coordinates side by side, C-contiguous, at a size whose squares are numbers."""
        blocks = [block for points in (self, *others) for block in points.blocks]
        matrix = np.ascontiguousarray(np.hstack(blocks))
        if matrix.shape[1] == 1 and np.abs(matrix).max(initial=0.0) < MOST_APART:
            return matrix  # on a line distances are differences, of which no square is taken
        return matrix if (power := _power_to_take(matrix)) == 0 else np.asarray(np.ldexp(matrix, -power))

    def sized(self) -> Points:
        """The same points at a size whose squares are numbers, for whoever takes some of the columns."""
        power = _power_to_take(np.hstack(self.blocks))
        return self if power == 0 else Points(self.names, tuple(np.ldexp(block, -power) for block in self.blocks))


def _power_to_take(matrix: Floats) -> int:
    """The power of two to divide coordinates by, or a sentence where none would leave all of them as they are."""
    sized, power = squarable(matrix)
    if power and not np.array_equal(np.ldexp(sized, power), matrix):
        raise ValueError(TOO_DIFFERENT)
    return power


def squarable(numbers: Floats) -> tuple[Floats, int]:
    """Scale numbers alike where squares would overflow or vanish; by a power of two, so no digit changes.

    Returns
    -------
    array, int
        The numbers divided by two to the power of the second.

    Examples
    --------
    >>> squarable(np.array([3.0, -4.0]))[1], squarable(np.array([3e200, -4e200]))[1] > 0
    (0, True)
    """
    size = np.abs(numbers)
    largest = float(size.max(initial=0.0))
    if largest == 0 or (SMALLEST <= largest <= LARGEST and not _has_tiny(size)):
        return numbers, 0
    # Tiny numbers beside others need all the room there is below the largest.
    power = int(np.frexp(largest)[1]) - (_HIGHEST if _has_tiny(np.ldexp(size, -np.frexp(largest)[1])) else 0)
    return np.asarray(np.ldexp(numbers, -power)), power


def _has_tiny(size: Floats) -> bool:
    """Whether numbers other than 0 are so small that the square of what they differ by may vanish."""
    return bool(((size > 0) & (size < SMALLEST)).any())


def as_points(values: Any, *, name: str, standardize: Standardize = "none") -> Points:
    """Read columns as coordinates: a number gives one, a nominal column its scaled indicators."""
    if standardize not in STANDARDIZE:
        raise ValueError(f"standardize must be one of {', '.join(STANDARDIZE)}, not {standardize!r}.")
    if _is_plain_table(values):  # column by column, pandas would take most of the time of a test
        labels = tuple(f"{name} column {k}" for k in range(values.shape[1]))
        columns_of = zip(values.astype(np.float64).T, labels, strict=True)
        return Points(labels, tuple(standardized(one, standardize, name=label)[:, None] for one, label in columns_of))
    columns = _columns(values, name=name)
    if not columns:
        raise ValueError(f"{name} has no columns; give at least one.")
    blocks = tuple(_coordinates(column, label, standardize) for label, column in columns)
    return Points(names=tuple(label for label, _ in columns), blocks=blocks)


def _is_plain_table(values: Any) -> bool:
    """Whether these are columns of finite numbers, about which there is nothing to find out or to refuse."""
    table = isinstance(values, np.ndarray) and values.ndim == 2 and min(values.shape) > 0 and values.dtype.kind == "f"
    return table and bool(np.isfinite(values).all())


def read_table(selector: Any, X: Any, y: Any) -> tuple[Any, pd.Series]:
    """Check what a scikit-learn selector is given to learn from; a DataFrame keeps its kinds of column."""
    from sklearn.utils.validation import check_array, validate_data

    if y is None:
        raise ValueError(f"{type(selector).__name__} requires y to be passed, but the target y is None.")
    validate_data(selector, X, skip_check_array=True)
    table = X
    if not isinstance(X, pd.DataFrame):
        table = check_array(X, dtype=None, ensure_all_finite=False, ensure_min_samples=2)
        if table.dtype == object and not all(isinstance(value, str | Real) for value in table.flat):
            raise TypeError("X holds another object: every argument must be a string or a number; convert it first.")
        selector.n_features_in_ = table.shape[1]
    column = as_series(y, name="y")
    check_lengths(y=len(column), X=len(table))
    return table, column


def check_lengths(**arguments: int) -> None:
    """Every argument must have as many rows as the first, and at least two."""
    (first, rows), *rest = arguments.items()
    if rows < 2:
        raise ValueError(f"{first} has {rows} row{'' if rows == 1 else 's'}; at least 2 are needed.")
    for name, length in rest:
        if length != rows:
            raise ValueError(f"{name} has {length} rows but {first} has {rows}; give both the same rows.")


def as_series(values: Any, *, name: str) -> pd.Series:
    """Read one column; a two-dimensional input must have exactly one."""
    columns = _columns(values, name=name)
    if len(columns) != 1:
        raise ValueError(f"{name} must be one column, but it has {len(columns)}.")
    return columns[0][1]


def is_nominal(column: pd.Series) -> bool:
    """Whether values are names without an order: strings, unordered categories, whole numbers beyond 2^53."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return not column.cat.ordered
    return pd.api.types.is_string_dtype(column.dtype) or column.dtype == object or is_beyond_doubles(column)


def is_beyond_doubles(column: pd.Series) -> bool:
    """Whether a column holds whole numbers that double precision would merge: account numbers, hashes.

    >>> is_beyond_doubles(pd.Series([1, 2**53])), is_beyond_doubles(pd.Series([1, 2**53 + 1]))
    (False, True)
    """
    if not pd.api.types.is_integer_dtype(column.dtype) or not len(known := column.dropna()):
        return False
    return max(abs(int(known.min())), abs(int(known.max()))) > MOST_WHOLE


def numbers(column: pd.Series, *, name: str) -> Floats:
    """Read an ordered or numeric column as finite float64."""
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered:
        code = column.cat.codes.to_numpy()
        values: Floats = np.where(code < 0, np.nan, code.astype(np.float64))
    elif pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_complex_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        raise ValueError(f"{name} holds {column.dtype} values; convert them to numbers or strings first.")
    if np.isnan(values).any():
        raise ValueError(f"{name} has missing values (NaN); fill or drop those {int(np.isnan(values).sum())} rows.")
    if np.isinf(values).any():
        raise ValueError(f"{name} has infinite values; replace or drop those {int(np.isinf(values).sum())} rows.")
    return values


def level_codes(column: pd.Series, *, name: str) -> tuple[Ints, int]:
    """Read a nominal column as codes 0..K-1 of the levels that occur, in sorted or category order.

    Whole numbers beyond 2^53 that are hardly ever the same are no names; they are refused.
    """
    if column.isna().any():
        raise ValueError(f"{name} has missing values; fill or drop those {int(column.isna().sum())} rows.")
    if column.dtype == object and not all(isinstance(value, str) for value in column.array):
        raise ValueError(f"{name} holds objects that are neither numbers nor strings; convert them first.")
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels, codes = np.unique(column.cat.codes.to_numpy(), return_inverse=True)
        return codes.astype(np.int64), len(levels)
    factors, uniques = pd.factorize(column, sort=True)
    if 2 * len(uniques) > len(column) and is_beyond_doubles(column):
        raise ValueError(
            f"{name} holds whole numbers beyond 2^53, which cannot be told apart as numbers, and hardly any of them "
            "twice, as names would; leave it out if it counts rows, or divide it if it is an amount."
        )
    return factors.astype(np.int64), len(uniques)


def _columns(values: Any, *, name: str) -> list[tuple[str, pd.Series]]:
    if isinstance(values, pd.DataFrame):
        return [(f"{name} column '{label}'", _typed(values.iloc[:, k])) for k, label in enumerate(values.columns)]
    if isinstance(values, pd.Series):
        return [(name, _typed(values))]
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if array.ndim == 0 or array.ndim > 2:
        raise ValueError(f"{name} must be one column or a table of columns, but it has {array.ndim} dimensions.")
    if array.ndim == 1:
        return [(name, _typed(pd.Series(array)))]
    return [(f"{name} column {k}", _typed(pd.Series(array[:, k]))) for k in range(array.shape[1])]


def _typed(column: pd.Series) -> pd.Series:
    """Columns of a mixed array come as objects; those that hold numbers are numbers."""
    return column.infer_objects() if column.dtype == object else column


def _coordinates(column: pd.Series, label: str, standardize: Standardize) -> Floats:
    if column.dtype == object and not len(column):
        return np.empty((0, 1))
    if is_nominal(column):
        return nominal_coordinates(*level_codes(column, name=label))
    return standardized(numbers(column, name=label), standardize, name=label)[:, None]


def nominal_coordinates(codes: Ints, levels: int) -> Floats:
    """Indicators of the levels, scaled so that the attribute's total variance is 1, as a standardised number's."""
    share = np.bincount(codes, minlength=levels) / len(codes)
    spread = 1.0 - float(share @ share)
    indicators = np.zeros((len(codes), levels))
    indicators[np.arange(len(codes)), codes] = 1.0 / np.sqrt(spread) if spread > 0 else 1.0
    return indicators


def standardized(values: Floats, how: Standardize, *, name: str) -> Floats:
    """Standardise one column as R's foci does."""
    if how == "none" or len(values) < 2:
        return values
    if values.max() == values.min():
        raise ValueError(f"{name} is constant, so it cannot be standardised; leave it out.")
    values, _ = squarable(values)
    if how == "bounded":
        above: Floats = values - values.min()
        return np.asarray(above / above.max())
    # R accumulates in extended precision; doing the same keeps distances that R sees as tied, tied.
    extended = values.astype(np.longdouble)
    mean = extended.sum() / len(values)
    mean += (extended - mean).sum() / len(values)
    variance = ((extended - mean) ** 2).sum() / (len(values) - 1)
    return (values - float(mean)) / float(np.sqrt(variance))
