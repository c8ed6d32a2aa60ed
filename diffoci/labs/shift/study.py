"""Domain shift, a study: what the run machinery asks of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from diffoci.audit.kinds import Count, Positive, Stored, Text
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.result import Mean
from diffoci.data import sources
from diffoci.labs.reading import read_checked
from diffoci.labs.shift.rows import ShiftRows, rows_of
from diffoci.labs.shift.spec import ShiftSpec
from diffoci.plain_text import counted
from diffoci.runs.study import Cell, CellOutput, Failures, Made, Outputs, Result, Study, Watch


class ShiftOutcome(Stored, frozen=True, kw_only=True):
    """One way to choose features and one share of them: accuracies in per cent, and `drop`, test less outside."""

    method: Text
    share: Positive
    features: Mean
    train: Mean
    test: Mean
    outside: Mean
    drop: Mean


class ShiftResult(Result, frozen=True, kw_only=True):
    """What every choice reaches inside and outside."""

    spec: ShiftSpec
    real: bool
    rows_inside: Count
    rows_outside: Count
    features: Count
    sha256: Text = ""
    outcomes: Annotated[tuple[ShiftOutcome, ...], Meta(max_length=500)]
    versions: Annotated[dict[Text, Text], Meta(max_length=100)]
    seconds: Positive


class DomainShift(Study[ShiftSpec, ShiftRows, ShiftResult]):
    """What a selection of features made in one domain loses in another."""

    name = "domain-shift"
    title = "Domain shift"
    spec = ShiftSpec
    result = ShiftResult
    preload = ("diffoci.labs.shift.compute", "diffoci.learning.estimator", "sklearn.linear_model")

    def load(self, spec: ShiftSpec) -> ShiftRows:
        from diffoci.labs.shift.compute import ORDERS

        if unknown := [name for name in spec.methods if name not in ORDERS]:
            raise ValueError(f"Features cannot be chosen by {unknown[0][:60]!r}; choose from {', '.join(ORDERS)}.")
        return rows_of(spec)

    def plan(self, spec: ShiftSpec, data: ShiftRows) -> tuple[Cell, ...]:
        from diffoci.labs.shift.compute import ALL

        return tuple(
            Cell(f"{name}.{seed}", "choices", name, seed, cost=3.0 if name == "dF1" else 1.0)
            for seed in spec.seeds
            for name in (ALL, *spec.methods)
        )

    def run_cell(self, spec: ShiftSpec, data: ShiftRows, cell: Cell, watch: Watch) -> CellOutput:
        from diffoci.labs.shift.compute import accuracies

        watch.tell(fraction=0.0)
        task = data.task(cell.seed)
        return CellOutput(accuracies(task, cell.method, spec.shares, seed=cell.seed, epochs=spec.epochs, watch=watch))

    def assemble(
        self, spec: ShiftSpec, data: ShiftRows, outputs: Outputs, failures: Failures, made: Made
    ) -> ShiftResult:
        from diffoci.labs.shift.compute import ALL

        outcomes = []
        for name, share in choices_of(spec):
            key = ALL if name == ALL else f"{share:g}"
            found = [outputs[f"{name}.{seed}"].summary[key] for seed in spec.seeds if f"{name}.{seed}" in outputs]
            if found:
                outcomes.append(outcome_of(name, share, found))
        inside, outside = data.sizes
        return ShiftResult(
            failures=failures,
            spec=spec,
            real=data.real,
            rows_inside=inside,
            rows_outside=outside,
            features=data.features,
            sha256=data.sha256,
            outcomes=tuple(outcomes),
            versions=dict(made.versions),
            seconds=made.seconds,
        )

    def describe(self, spec: ShiftSpec) -> str:
        return spec.title

    def details(self, spec: ShiftSpec) -> str:
        return f"{counted(len(spec.methods), 'way')} to choose, {counted(len(spec.seeds), 'repetition')}"

    def files_read(self, spec: ShiftSpec) -> tuple[Path, ...]:
        domains = (spec.inside, spec.outside)
        named = [
            (Path(one.file),) if one.file else sources.files_read(one.data, one.options, twin=one.twin)
            for one in domains
        ]
        return tuple(path for paths in named for path in paths)

    def is_simulated(self, spec: ShiftSpec) -> bool:
        return any(one.data and sources.is_simulated(one.data, twin=one.twin) for one in (spec.inside, spec.outside))

    def portable(self, spec: ShiftSpec) -> ShiftSpec:
        """Files are named without their folders."""
        inside, outside = (
            replace(
                one, file=Path(one.file).name if one.file else "", data=sources.portable(one.data) if one.data else ""
            )
            for one in (spec.inside, spec.outside)
        )
        return replace(spec, inside=inside, outside=outside)

    def check_portable(self, spec: ShiftSpec) -> None:
        for one in (spec.inside, spec.outside):
            if one.data:
                sources.check_portable(one.data, one.options, twin=one.twin)
            elif not one.file or Path(one.file).name != one.file:
                raise ValueError("The run names a file of another machine; it cannot be opened.")

    def check_local(self, spec: ShiftSpec) -> None:
        """A file named without a folder came from another machine: no file that lies here is taken for it."""
        for one in (spec.inside, spec.outside):
            if one.data:
                sources.check_local(one.data)
            elif not Path(one.file).is_absolute():
                raise ValueError(f"{one.file} is a file of another machine; start from the files themselves.")

    def read_result(self, content: Mapping[str, Any], name: str) -> ShiftResult:
        return read_checked(content, ShiftResult, _problems, name)

    def headline(self, result: ShiftResult) -> str:
        whole = result.outcomes[0]
        if whole.drop.mean is None:
            return ""
        return f"All features: {whole.test.mean:.1f} % at home, {whole.drop.mean:.1f} points less elsewhere."


def outcome_of(method: str, share: float, found: Sequence[Mapping[str, float]]) -> ShiftOutcome:
    """One choice over all repetitions; `verify` works it out again."""
    parts = {part: mean_over_seeds([one[part] for one in found], most=100.0) for part in ("train", "test", "outside")}
    return ShiftOutcome(
        method=method,
        share=share,
        features=mean_over_seeds([one["features"] for one in found]),
        drop=mean_over_seeds([one["test"] - one["outside"] for one in found]),
        **parts,
    )


def _problems(result: ShiftResult) -> Iterator[str]:
    """Choices that nobody asked for, or of which something is missing."""
    choices = [(one.method, one.share) for one in result.outcomes]
    if not choices or choices != [choice for choice in choices_of(result.spec) if choice in choices]:
        yield "it does not have the choices that were asked for, once each"
    for one in result.outcomes:
        parts = (one.features, one.train, one.test, one.outside, one.drop)
        if any(None in (part.mean, *part.values) or len(part.values) != len(one.test.values) for part in parts):
            yield f"{one.method[:60]} does not have every figure of every repetition"


def choices_of(spec: ShiftSpec) -> list[tuple[str, float]]:
    """Every way to choose with every share, all features first."""
    from diffoci.labs.shift.compute import ALL

    return [(ALL, 1.0), *((name, share) for name in spec.methods for share in spec.shares)]


DOMAIN_SHIFT = DomainShift()
