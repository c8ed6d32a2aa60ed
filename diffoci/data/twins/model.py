"""A twin's parameters: fitted from a table, plain enough for JSON, and enough to draw a table of the same shape.

The table is cut into cells, label x group (x further factors). Within a cell the columns follow a Gaussian copula.
Cell margins and correlations are drawn towards those of the larger population by as much as chance alone
would make them differ (positive-part James-Stein), so a twin of 395 students does not turn noise into signal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from diffoci.data.twins._copula import draw_levels, latent_correlation, nearest_correlation, rank_correlation
from diffoci.data.twins._levels import FEWEST, Codes, code_levels, number_levels
from diffoci.data.twins._margins import Floats, Key, cell_margins
from diffoci.data.twins.recipe import Recipe, Variable

Parameters = dict[str, Any]
Cells = dict[Key, NDArray[np.int64]]

MARGIN_UNIT = 10_000
CORRELATION_UNIT = 1_000


def fit(frame: pd.DataFrame, recipe: Recipe) -> Parameters:
    """Fit the parameters; the same table always gives the same ones."""
    levels, codes = _levels_and_codes(frame, recipe)
    groups = _groups_of_levels(recipe, levels)
    cells = _cells(recipe, groups, codes)
    order_nominal(recipe, levels, codes, list(cells.values()))
    margins = _margins(recipe, _groups_of_levels(recipe, levels), codes, cells)
    correlations = _correlations(np.column_stack(codes), list(cells.values()))
    upper = np.triu_indices(len(levels), 1)
    return {
        "rows": len(frame),
        "fewest_people_per_level": FEWEST,
        "variables": [
            {"columns": list(variable.columns), "kind": variable.kind, "step": variable.step, "levels": level}
            for variable, level in zip(recipe.variables, levels, strict=True)
        ],
        "cells": [
            {
                "people": FEWEST * round(len(rows) / FEWEST),
                "margins": [_parts(of_all[cell], MARGIN_UNIT) for of_all in margins],
                "correlation": _parts(correlation[upper], CORRELATION_UNIT),
            }
            for cell, (rows, correlation) in enumerate(zip(cells.values(), correlations, strict=True))
        ],
    }


def draw(parameters: Parameters, *, rows: int, seed: int) -> pd.DataFrame:
    """Draw a raw table; cells keep their shares exactly (largest remainder), so group sizes do not wander."""
    rng = np.random.default_rng(seed)
    variables, cells = parameters["variables"], parameters["cells"]
    parts: list[dict[str, Any]] = []
    for cell, size in zip(cells, _apportion([cell["people"] for cell in cells], rows), strict=True):
        margins = [np.array(margin, dtype=float) for margin in cell["margins"]]
        correlation = _symmetric(cell["correlation"], len(variables))
        drawn = draw_levels(correlation, margins, size, rng)
        part: dict[str, Any] = {}
        for variable, level_codes in zip(variables, drawn, strict=True):
            part |= _values(variable, level_codes, rng)
        parts.append(part)
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    shuffled = rng.permutation(rows)
    return pd.DataFrame({name: pd.Series(column[shuffled]).infer_objects() for name, column in joined.items()})


def _levels_and_codes(frame: pd.DataFrame, recipe: Recipe) -> tuple[list[list[Any]], list[Codes]]:
    levels, codes = [], []
    for index, variable in enumerate(recipe.variables):
        group = _grouping(recipe, index)
        if variable.kind == "number":
            values = frame[variable.columns[0]].to_numpy(dtype=float)
            level, code = number_levels(values, group, variable.step)
        else:
            level, code = code_levels(_plain(frame, variable.columns), group)
        levels.append(level)
        codes.append(code)
    return levels, codes


def _plain(frame: pd.DataFrame, columns: Sequence[str]) -> list[Any]:
    """Return plain Python values: missing as None, whole numbers as int, tuples where columns go together."""
    plain = [[_plain_value(value) for value in frame[name].astype(object).tolist()] for name in columns]
    return plain[0] if len(plain) == 1 else list(zip(*plain, strict=True))


def _plain_value(value: Any) -> Any:
    if pd.isna(value):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _grouping(recipe: Recipe, index: int) -> Callable[[Any], str]:
    factors = [factor for factor in recipe.factors if factor.variable == index]
    return lambda value: "|".join(factor.group(value) for factor in factors)


def _groups_of_levels(recipe: Recipe, levels: list[list[Any]]) -> list[NDArray[np.str_]]:
    """For each factor, the group of every level of its variable (an interval lies in one group)."""
    number = [variable.kind == "number" for variable in recipe.variables]
    return [
        np.array(
            [
                factor.group(level[0] if number[factor.variable] and isinstance(level, list) else level)
                for level in levels[factor.variable]
            ]
        )
        for factor in recipe.factors
    ]


def _cells(recipe: Recipe, groups: list[NDArray[np.str_]], codes: list[Codes]) -> Cells:
    """Return the rows of each cell that enough people are in."""
    named = [group[codes[factor.variable]] for factor, group in zip(recipe.factors, groups, strict=True)]
    rows_of: dict[Key, list[int]] = {}
    for row, key in enumerate(zip(*(part.tolist() for part in named), strict=True)):
        rows_of.setdefault(key, []).append(row)
    return {key: np.array(rows) for key, rows in sorted(rows_of.items()) if len(rows) >= FEWEST}


def _margins(recipe: Recipe, groups: list[NDArray[np.str_]], codes: list[Codes], cells: Cells) -> list[Floats]:
    """Return, for each variable, its margins in all cells (one row a cell)."""
    structural = sum(factor.structural for factor in recipe.factors)
    margins = []
    for index, code in enumerate(codes):
        size = int(code.max()) + 1
        counts = np.array([np.bincount(code[rows], minlength=size) for rows in cells.values()])
        allowed = np.ones(counts.shape, dtype=bool)
        for place, (factor, group) in enumerate(zip(recipe.factors, groups, strict=True)):
            if factor.variable == index:
                allowed &= np.array([group == key[place] for key in cells])
        margins.append(cell_margins(counts, allowed, list(cells), structural=structural))
    return margins


def _correlations(table: Codes, cells: list[NDArray[np.int64]]) -> list[Floats]:
    """Return each cell's latent correlations, drawn towards the average over cells, and that towards 0."""
    own = [latent_correlation(table[rows]) for rows in cells]
    sizes = [len(rows) for rows in cells]
    ranks = np.average([rank_correlation(table[rows]) for rows in cells], axis=0, weights=sizes)
    within = np.average(own, axis=0, weights=sizes)
    within *= np.maximum(0.0, 1 - 2 / (sum(sizes) * np.maximum(ranks**2, 1e-12)))
    np.fill_diagonal(within, 1.0)
    upper = np.triu_indices(table.shape[1], 1)
    result = []
    for matrix, size in zip(own, sizes, strict=True):
        distance = ((matrix - within)[upper] ** 2).sum()
        noise = len(upper[0]) / size * (1 - size / sum(sizes))
        weight = max(0.0, 1 - noise / distance) if distance > 0 else 0.0
        result.append(nearest_correlation(weight * matrix + (1 - weight) * within))
    return result


def order_nominal(recipe: Recipe, levels: list[list[Any]], codes: list[Codes], cells: list[NDArray[np.int64]]) -> None:
    """Reorder nominal levels, in place, so that one rank correlation says as much as it can.

    Levels are placed along the direction in which their average rows differ most (first axis of the
    level means over all other columns, within cells), as in correspondence analysis.
    """
    blocks = [_indicator_block(variable, code) for variable, code in zip(recipe.variables, codes, strict=True)]
    for block in blocks:
        for rows in cells:
            block[rows] -= block[rows].mean(axis=0)
    for index, variable in enumerate(recipe.variables):
        if variable.kind != "nominal" or len(levels[index]) <= 2:
            continue
        others = np.hstack([block for k, block in enumerate(blocks) if k != index])
        counts = np.bincount(codes[index], minlength=len(levels[index])).astype(float)
        sums = np.zeros((len(counts), others.shape[1]))
        np.add.at(sums, codes[index], others)
        means = sums / (counts + 10.0)[:, None]  # Ten average rows more: a rare level stays near the middle.
        axes = np.linalg.svd(means * np.sqrt(counts)[:, None], full_matrices=False)[2]
        axis = axes[0] * np.sign(axes[0][np.argmax(np.abs(axes[0]))])
        place = np.argsort(np.round(means @ axis, 6), kind="stable")
        rank = np.empty_like(place)
        rank[place] = np.arange(len(place))
        levels[index] = [levels[index][k] for k in place]
        codes[index] = rank[codes[index]]


def _indicator_block(variable: Variable, codes: Codes) -> Floats:
    if variable.kind != "nominal":
        ranks = pd.Series(codes).rank().to_numpy()
        standard: Floats = (ranks - ranks.mean()) / max(ranks.std(), 1e-9)
        return standard[:, None]
    counts = np.bincount(codes)
    common = np.argsort(-counts, kind="stable")[:30]
    # Scaled so that a level weighs by its share, as in correspondence analysis.
    weighted: Floats = (codes[:, None] == common) / np.sqrt(np.maximum(counts[common] / len(codes), 0.01))
    return weighted


def _parts(values: Floats, unit: int) -> list[int]:
    return [int(part) for part in np.round(np.asarray(values) * unit)]


def _symmetric(upper: Sequence[int], width: int) -> Floats:
    matrix = np.eye(width)
    first, second = np.triu_indices(width, 1)
    matrix[first, second] = matrix[second, first] = np.array(upper) / CORRELATION_UNIT
    return matrix


def _apportion(people: Sequence[int], rows: int) -> list[int]:
    exact = np.array(people) / sum(people) * rows
    sizes = np.floor(exact).astype(int)
    short = rows - int(sizes.sum())
    sizes[np.argsort(-(exact - sizes), kind="stable")[:short]] += 1
    return [int(size) for size in sizes]


def _values(variable: dict[str, Any], codes: Codes, rng: np.random.Generator) -> dict[str, Any]:
    levels = variable["levels"]
    if variable["kind"] == "number":
        ends = np.array([level if isinstance(level, list) else [level, level] for level in levels], dtype=float)
        low, high = ends[codes, 0], ends[codes, 1]
        value = low + rng.random(len(codes)) * (high - low)
        return {variable["columns"][0]: np.round(np.round(value / variable["step"]) * variable["step"], 6)}
    table = [level if isinstance(level, list | tuple) else (level,) for level in levels]
    return {
        name: np.array([row[k] for row in table], dtype=object)[codes] for k, name in enumerate(variable["columns"])
    }
