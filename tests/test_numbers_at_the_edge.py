"""Numbers at the edge of double precision: the right coefficient, or a sentence; never a wrong one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import torch

from diffoci import FOCI, T, T_test, soft_T, xi
from diffoci.data.dataset import Column
from diffoci.data.encoding import Encoder
from diffoci.data.new_rows import as_encoded_from
from diffoci.data.tables.table import load_table
from tests.data.test_table import as_csv, loaded, people, refusal

SIZES = [1e-300, 1e-170, 1e-110, 1e110, 1e160, 1e290]
BIG = 2**53


def exact_T(y: np.ndarray, points: np.ndarray, given: np.ndarray | None = None) -> float:
    """T from distances as exact fractions, one nearest neighbour, ties averaged."""
    rank = np.array([(y <= one).sum() for one in y])
    upper = np.array([(y >= one).sum() for one in y])
    rows = len(y)

    def agreement(table: np.ndarray) -> float:
        exact = [[Fraction(float(value)) for value in row] for row in table]
        total = 0.0
        for i in range(rows):
            far = {j: sum((a - b) ** 2 for a, b in zip(exact[i], exact[j], strict=True)) for j in range(rows) if j != i}
            nearest = [j for j, distance in far.items() if distance == min(far.values())]
            total += float(np.mean([min(rank[i], rank[j]) for j in nearest]))
        return total

    if given is None:
        near = agreement(points)
        return float((rows * near - (upper.astype(float) ** 2).sum()) / (upper * (rows - upper)).sum())
    near, known = agreement(np.hstack([given, points])), agreement(given)
    return float((near - known) / (rank.sum() - known))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("neighbours", [1, 3])
def test_item_9_the_size_of_columns_makes_no_difference(size: float, neighbours: int) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(120, 3))
    power = 2.0 ** round(np.log2(size))
    y = x[:, 0] * x[:, 1]
    assert T(y, x * power, neighbours=neighbours) == T(y, x, neighbours=neighbours)
    assert T(y, x * power, standardize="scale") == pytest.approx(T(y, x, standardize="scale"), abs=1e-12)
    assert (
        FOCI(standardize="none").fit(x * power, y).order_.tolist() == FOCI(standardize="none").fit(x, y).order_.tolist()
    )


@pytest.mark.parametrize("size", [1e-170, 1e-120, 1e160])
def test_item_9_a_column_of_another_size_beside_ordinary_ones_still_counts(size: float) -> None:
    rng = np.random.default_rng(4)
    y, group = rng.integers(0, 2, 40), rng.integers(0, 3, 40).astype(float)
    other = (y + rng.normal(0, 0.3, 40)) * size
    both = np.column_stack([group, other])
    assert T(y, both) == pytest.approx(exact_T(y, both), abs=1e-12)
    assert T(y, other, group) == pytest.approx(exact_T(y, other[:, None], group[:, None]), abs=1e-12)


def test_item_9_many_columns_of_large_numbers_are_compared_in_double_precision() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(300, 20))
    y = x[:, 0] + x[:, 1]
    assert T(y, x * 2.0**70) == T(y, x)
    assert T(y, np.column_stack([x * 2.0**200, (x[:, 0] > 0) * 1.0])) == T(y, x)


def test_item_9_distances_that_cannot_be_told_apart_are_refused() -> None:
    rng = np.random.default_rng(6)
    tiny = rng.uniform(1, 2, 30) * 1e-300
    with pytest.raises(ValueError, match="differ so much in size that distances cannot be told apart"):
        T(rng.normal(size=30), np.column_stack([np.tile([0.0, 1e300], 15), tiny]))
    assert np.isfinite(T(rng.normal(size=30), np.append(tiny[:15], tiny[15:] * 1e305)))  # on a line nothing is squared


def test_item_9_numbers_near_the_largest_have_differences() -> None:
    rng = np.random.default_rng(7)
    x = rng.uniform(-1, 1, 50)
    y = np.abs(x)
    assert T(y, x * 1.7e308) == T(y, x)
    assert xi(x * 1.7e308, y) == xi(x, y)


@pytest.mark.parametrize("beta", [1e30, 1e300, 1e-300])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("columns", [1, 6])
def test_item_9_soft_T_is_a_number_at_any_sharpness(beta: float, dtype: torch.dtype, columns: int) -> None:
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(60, columns, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
    y = (z[:, 0].detach() > 0).to(dtype)
    group = torch.arange(60).remainder(3).to(dtype)
    for value in (soft_T(y, z, beta=beta), soft_T(y, z, group, beta=beta)):
        (slope,) = torch.autograd.grad(value, z)
        assert torch.isfinite(value)
        assert torch.isfinite(slope).all()


def test_item_9_large_whole_numbers_are_levels() -> None:
    code = np.tile(np.arange(3), 20)
    big = BIG + code  # two of the three are one number in double precision
    x = np.random.default_rng(8).normal(size=60) + code
    assert len(np.unique(big.astype(float))) < 3
    names = np.array(["a", "b", "c"])[code]
    assert T(big, x) == T(names, x)
    assert T(x, big) == T(x, names)
    assert T(x, pd.Series(big, dtype="UInt64")) == T(x, names)
    assert xi(x, big) == xi(x, names)


def test_item_9_large_whole_numbers_that_never_repeat_are_refused() -> None:
    with pytest.raises(
        ValueError, match="whole numbers beyond 2\\^53, which cannot be told apart as numbers, and hardly"
    ):
        T(np.arange(20) + 2**60, np.arange(20))


@pytest.mark.parametrize("first", [BIG, 2**62, 10**19, 10**25])
@pytest.mark.parametrize("sign", [1, -1])
def test_item_9_large_whole_numbers_of_a_file_are_levels(first: int, sign: int) -> None:
    ids = [str(sign * (first + k % 3)) for k in range(40)]
    frame = people(branch=ids, account=[str(first * 2 + k) for k in range(40)])
    data = loaded(frame)
    assert data.column("branch").kind == "nominal"
    assert list(data.features["branch"].cat.categories) == sorted(set(ids), key=int)
    assert "account" not in data.features
    assert "Left out: 'account' has 40 different values in 40 rows, as free text has." in data.notes
    spaced = frame.assign(branch=[f" {one} " if k else "?" for k, one in enumerate(ids)])
    assert loaded(spaced).features["branch"].nunique() == 3
    assert loaded(frame, label="branch", sensitive="sex").label_classes == tuple(sorted(set(ids), key=int))
    assert loaded(frame, sensitive="branch").sensitive["branch"].nunique() == 3
    assert loaded(frame, kinds={"account": "number"}).column("account").kind == "number"


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "decimal"])
def test_item_9_large_whole_numbers_of_parquet_are_levels(dtype: str) -> None:
    values = [BIG + 1 + k % 3 for k in range(40)]
    kind = pa.decimal128(20, 0) if dtype == "decimal" else getattr(pa, dtype.lower())()
    table = pa.Table.from_pandas(people()).append_column("branch", pa.array(values, pa.int64()).cast(kind))
    out = pa.BufferOutputStream()
    pa.parquet.write_table(table, out)
    data = load_table(out.getvalue().to_pybytes(), label="hired", sensitive="sex")
    assert list(data.features["branch"].cat.categories) == [str(BIG + k) for k in (1, 2, 3)]


def test_item_9_other_large_numbers_stay_numbers() -> None:
    data = loaded(people(mass=[f"{k + 1}e20" for k in range(40)], whole=[BIG - k for k in range(40)]))
    assert (data.column("mass").kind, data.column("whole").kind) == ("number", "number")


def test_item_9_new_rows_find_the_levels_of_large_whole_numbers() -> None:
    data = loaded(people(branch=[str(BIG + 1 + k % 3) for k in range(40)]))
    encoder = Encoder().fit(data.features, data.columns)
    rows = pd.DataFrame({"income": [0.1], "city": ["Selma"], "branch": [BIG + 2]})
    assert as_encoded_from(rows, encoder.codes_)["branch"].tolist() == [str(BIG + 2)]


@pytest.mark.parametrize("size", [1e-280, 1e-170, 1e-15, 1e160, 1e280])
@pytest.mark.filterwarnings("error")
def test_item_9_columns_of_any_size_are_coded_alike(size: float) -> None:
    values = np.random.default_rng(9).normal(5, 2, 200)
    power = 2.0 ** round(np.log2(size))
    usual, other = (
        Encoder(pieces=4).fit(frame, [Column("x", "number", "x")]).transform(frame)
        for frame in (pd.DataFrame({"x": values}), pd.DataFrame({"x": values * power}))
    )
    np.testing.assert_array_equal(usual, other)


@pytest.mark.parametrize(
    ("values", "why"),
    [([1e300, 1.0], "holds numbers beyond 1e+290"), ([1e-300, 2e-300], "holds numbers below 1e-290 only")],
)
def test_item_9_numbers_that_cannot_be_computed_with_are_refused(values: list[float], why: str) -> None:
    frame = people(size=values * 20)
    assert f"'size' {why}, which cannot be computed with" in refusal(as_csv(frame), leave_out_unusable=False)
    assert "size" not in loaded(frame).features


@pytest.mark.parametrize("permutations", [0, 10**9])
def test_item_8_as_many_permutations_as_no_machine_does_are_refused(permutations: int) -> None:
    with pytest.raises(ValueError, match="permutations must be from 1 to 1,000,000"):
        T_test(range(20), range(20), permutations=permutations)
