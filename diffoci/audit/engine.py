"""The engine: from a specification to cells, from cells to numbers, from numbers to a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from diffoci.audit.cells import Cell, CellOutput, Watch
from diffoci.audit.features import conditions, exact_views, train_weights
from diffoci.audit.material import Material
from diffoci.audit.measure import measure
from diffoci.audit.methods import METHODS
from diffoci.audit.possible import check_possible
from diffoci.audit.presets import CURVES, DEFAULT_METHODS, PAPER_VEC, PRESETS, SEEDS
from diffoci.audit.result import assemble as assemble_result
from diffoci.audit.spec import AuditSpec
from diffoci.data.dataset import Dataset
from diffoci.data.sources import load

NONE = "none"


def make_spec(
    data: str,
    *,
    sensitive: Sequence[str] | None = None,
    preset: str = "standard",
    methods: Sequence[str] | None = None,
    seeds: int | None = None,
    twin: bool = False,
    options: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    device: str = "auto",
) -> AuditSpec:
    """Fill in a specification from a preset; `settings` override single entries of it.

    Examples
    --------
    >>> make_spec("student", sensitive=["sex"], preset="quick").seeds
    (0, 1, 2)
    """
    if preset not in PRESETS:
        raise ValueError(f"There is no preset {preset!r}; choose one of {', '.join(PRESETS)}.")
    names = tuple(dict.fromkeys(methods or DEFAULT_METHODS))
    for name in names:
        if name not in METHODS:
            raise ValueError(f"There is no method {name!r}; choose from {', '.join(METHODS)}.")
    count = SEEDS[preset] if seeds is None else seeds
    if not isinstance(count, int) or not 1 <= count <= 1000:
        raise ValueError(f"The number of seeds must be from 1 to 1000, not {count!r}.")
    chosen = dict(PRESETS[preset])
    if preset == "paper" and data in PAPER_VEC:
        asked = _as_mapping(settings).get("vec", {})  # what is asked for goes before the paper's numbers
        chosen["vec_by_objective"] = {
            objective: {name: value for name, value in own.items() if name not in asked}
            for objective, own in PAPER_VEC[data].items()
        }
    for name, value in _as_mapping(settings).items():
        if name not in chosen:
            raise ValueError(f"There is no setting {name!r}; settings are {', '.join(chosen)}.")
        chosen[name] = {**chosen[name], **_with_none(value)} if isinstance(value, Mapping) else _with_none(value)
    check_possible(chosen)
    return AuditSpec(
        data=data,
        sensitive=tuple(sensitive or ()),
        methods=names,
        seeds=tuple(range(count)),
        preset=preset,
        twin=twin,
        options=dict(options or {}),
        settings=chosen,
        device=device,
    )


def _with_none(value: Any) -> Any:
    """Read the word for none, which neither TOML nor a command line has a value for."""
    if isinstance(value, Mapping):
        return {name: _with_none(one) for name, one in value.items()}
    return None if value == NONE else value


def _as_mapping(settings: Any) -> Mapping[str, Any]:
    if settings is not None and not isinstance(settings, Mapping):
        raise ValueError(f"Settings are a table of names and values, not {settings!r}.")
    return settings or {}


def load_dataset(spec: AuditSpec) -> Dataset:
    """The dataset of a specification, checked for what an audit needs."""
    if strange := {"name", "sensitive", "twin"} & set(spec.options):
        raise ValueError(f"{sorted(strange)[0]!r} is not an option of {spec.data}.")
    try:
        dataset = load(spec.data, sensitive=list(spec.sensitive) or None, twin=spec.twin, **spec.options)
    except TypeError as problem:
        given = ", ".join(f"{name} = {value!r}" for name, value in spec.options.items())
        raise ValueError(f"An option of {spec.data} has a value of the wrong kind: {given}.") from problem
    if not len(dataset.sensitive.columns):
        raise ValueError(f"{dataset.title} has no sensitive attribute chosen; name at least one.")
    if not len(dataset.columns):
        raise ValueError(f"{dataset.title} has no features left; leave fewer columns out.")
    return dataset


def plan(spec: AuditSpec, dataset: Dataset) -> tuple[Cell, ...]:
    """All cells of an audit, in the order they should start: one seed of everything first."""
    if "prototypes" in spec.methods and len(dataset.label_classes) > 2:
        raise ValueError("The method 'prototypes' takes a label of two classes only; leave it out.")
    attributes = [str(name) for name in dataset.sensitive]
    cells = [Cell("exact", "features", "exact", 0, {}, cost=1.5)]
    for seed in spec.seeds:
        for name in spec.methods:
            cells.append(Cell(f"{name}.{seed}", "methods", name, seed, {}, cost=METHODS[name].cost))
        for given in conditions(attributes):
            key = f"vec-{'+'.join(given)}" if given else "vec"
            method = f"vec given {'+'.join(given) or 'nothing'}"
            cells.append(Cell(f"{key}.{seed}", "features", method, seed, {"given": list(given)}, cost=1.0))
        for weight in spec.settings["curve"]:
            for name, entry in CURVES.items():
                if name in spec.methods:
                    settings = {entry: [weight]}
                    cells.append(Cell(f"curve-{name}-{weight:g}.{seed}", "curve", name, seed, settings, cost=1.2))
    return tuple(cells)


def run_cell(spec: AuditSpec, dataset: Dataset, cell: Cell, watch: Watch) -> CellOutput:
    """Do one cell; the same specification, data and cell give the same numbers in any process."""
    settings = {**spec.settings, **cell.settings, "device": spec.device}
    if cell.method == "exact":
        return exact_views(dataset, settings, cell.seed, watch)
    pieces = settings.get("pieces", 0)  # an audit begun before there was such a setting
    material = _material(dataset, cell.seed, settings["coding"], tuple(settings["fractions"]), pieces)
    if cell.stage == "features":
        return train_weights(material, cell.settings["given"], settings, cell.seed, watch)
    representation = METHODS[cell.method].build(material, settings, cell.seed, watch)
    return measure(representation, material, settings, cell.seed, watch)


def assemble(
    spec: AuditSpec, dataset: Dataset, outputs: Mapping[str, CellOutput], failures: Mapping[str, str]
) -> dict[str, Any]:
    """Everything the cells found, as the content of result.json."""
    return assemble_result(spec, dataset, plan(spec, dataset), outputs, failures)


@lru_cache(maxsize=2)
def _material(dataset: Dataset, seed: int, coding: Any, fractions: Any, pieces: int) -> Material:
    """Cells of one seed share their split and coding."""
    return Material.of(dataset, seed=seed, coding=coding, fractions=fractions, pieces=pieces)
