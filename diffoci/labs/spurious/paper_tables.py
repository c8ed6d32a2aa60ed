"""The paper's spurious-correlation table, run again on images that come along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diffoci.labs.here import HERE, Here
from diffoci.labs.reproducible import Asked, PaperTable, Plan, Preset, Row
from diffoci.labs.spurious.methods import METHODS
from diffoci.labs.spurious.paper import WATERBIRDS
from diffoci.labs.spurious.presets import lab_spec
from diffoci.labs.spurious.result import SpuriousResult
from diffoci.labs.spurious.study import SPURIOUS_LAB


def _plan(preset: Preset, here: Here = HERE, /) -> Plan:
    note = "The paper trained ResNet-50 on Waterbirds; here a small network learns from mini-birds and from digits."
    return Plan(tuple(Asked(SPURIOUS_LAB, lab_spec(data, preset)) for data in ("birds", "digits")), (note,))


def _rows(results: Sequence[SpuriousResult]) -> tuple[Row, ...]:
    return tuple(row for result in results for row in lab_rows(result))


def lab_rows(result: SpuriousResult, *, paper: Mapping[str, float] | None = None) -> tuple[Row, ...]:
    """The worst group of everything that was trained, beside the paper's by method: of Waterbirds, or those given."""
    known = _of_waterbirds(result.spec.data) if paper is None else paper
    return tuple(
        Row(
            study=result.spec.data,
            method=one.name if one.stage == "methods" else f"{one.name}, {one.stage} {_value(one.stage, one):g}",
            measure="worst_group",
            value=one.worst_group,
            paper=known.get(one.name) if one.stage == "methods" else None,
            reason="" if paper is not None else "the paper's is of Waterbirds and ResNet-50",
            more={
                "data": result.spec.data,
                "average": one.average,
                "average_by_training_groups": one.average_by_training_groups,
                "worst_group_refitted": one.worst_group_refitted,
                "saliency_on_object": one.saliency_on_object,
                "object_area": result.area,
                "group_guessed_from_features": one.group_guessed_from_features,
                "T": one.T,
                "T_given_label": one.T_given_label,
            },
        )
        for one in result.outcomes
    )


def _value(stage: str, one: object) -> float:
    return float(getattr(one, "penalty" if stage == "lambda" else "beta") or 0.0)


def _of_waterbirds(data: str) -> Mapping[str, float]:
    if data not in ("birds", "waterbirds"):
        return {}
    return {name: WATERBIRDS[one.paper][1] / 100 for name, one in METHODS.items() if one.paper in WATERBIRDS}


SPURIOUS = PaperTable(
    name="spurious",
    title="Spurious correlations: accuracy of the worst group",
    about=(
        "A network learns the kind of a bird, or whether a digit is odd, from images whose background "
        "almost always goes with it; the worst group is the kind and background that it gets wrong most often. The "
        "extractor was pretrained on a neutral task; the oracle is the same network on as many images without the "
        "correlation. The penalty is given the outcome (our extension) or plain (as in the paper)."
    ),
    plan=_plan,
    rows=_rows,
)
