"""The spurious-correlation lab, a study: what the run machinery asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from msgspec.structs import replace

from diffoci.data import sources
from diffoci.labs.spurious.data.kinds import LabData, data_of, kind_of
from diffoci.labs.spurious.methods import method_named
from diffoci.labs.spurious.result import SpuriousResult
from diffoci.labs.spurious.spec import SpuriousSpec
from diffoci.plain_text import counted
from diffoci.runs.study import Cell, CellOutput, Failures, Made, Outputs, Study, Watch

STUDIED = "ERM+dF2"
_EXAMPLES = "examples"
_PATHS = ("path", "weights")  # options that name files of this machine
_SOURCE = "source"  # the option that names a table


class SpuriousLab(Study[SpuriousSpec, LabData, SpuriousResult]):
    """Whether networks learn the object or what it stands in front of, by ERM, DRO, dF2 and others."""

    name = "spurious-lab"
    title = "Spurious lab"
    spec = SpuriousSpec
    result = SpuriousResult
    preload = ("diffoci.labs.spurious.compute", "sklearn.ensemble", "sklearn.linear_model")

    def load(self, spec: SpuriousSpec) -> LabData:
        data = data_of(spec)
        assert data.sha256  # a file that is missing is said before there is a run
        for name in spec.methods:
            method_named(name)
        return data

    def plan(self, spec: SpuriousSpec, data: LabData) -> tuple[Cell, ...]:
        """The images to show, a cell for every method and seed, and those of the studies of lambda and beta."""
        cells = [Cell(_EXAMPLES, _EXAMPLES, _EXAMPLES, spec.seeds[0], cost=0.2, title="images to show", needed=False)]
        for seed in spec.seeds:
            for name in spec.methods:
                method = method_named(name)
                title = f"{method.title}, seed {seed}"
                cells.append(Cell(f"{name}.{seed}", "methods", name, seed, cost=method.cost, title=title))
            for stage, entry, values in (("lambda", "penalty", spec.lambdas), ("beta", "beta", spec.betas)):
                for k, value in enumerate(values):
                    cells.append(
                        Cell(
                            f"{stage}.{k}.{seed}",
                            stage,
                            STUDIED,
                            seed,
                            {entry: value},
                            cost=method_named(STUDIED).cost,
                            title=f"{stage} {value:g}, seed {seed}",
                            needed=False,
                        )
                    )
        return tuple(cells)

    def run_cell(self, spec: SpuriousSpec, data: LabData, cell: Cell, watch: Watch) -> CellOutput:
        from diffoci.labs.spurious.compute import repetition
        from diffoci.labs.spurious.gallery import shown_examples

        watch.tell(fraction=0.0)
        data.kind.prepare(spec.options, watch)
        examples = data.examples(cell.seed)
        if cell.stage == _EXAMPLES:
            return CellOutput({}, shown_examples(examples))
        return repetition(
            examples,
            method_named(cell.method),
            replace(spec.training, **cell.settings),
            seed=cell.seed,
            shown=cell.seed == spec.seeds[0],
            watch=watch,
        )

    def assemble(
        self, spec: SpuriousSpec, data: LabData, outputs: Outputs, failures: Failures, made: Made
    ) -> SpuriousResult:
        from diffoci.labs.spurious.assemble import put_together

        return put_together(spec, data, self.plan(spec, data), outputs, failures, made)

    def describe(self, spec: SpuriousSpec) -> str:
        return f"{kind_of(spec).title}: a shortcut and how to learn past it"

    def details(self, spec: SpuriousSpec) -> str:
        return f"{counted(len(spec.methods), 'method')}, {counted(len(spec.seeds), 'repetition')}"

    def is_simulated(self, spec: SpuriousSpec) -> bool:
        return kind_of(spec).simulated

    def files_read(self, spec: SpuriousSpec) -> tuple[Path, ...]:
        own = tuple(Path(spec.options[name]) for name in _PATHS if spec.options.get(name))
        return own + (sources.files_read(**_of_table(spec)) if _SOURCE in spec.options else ())

    def portable(self, spec: SpuriousSpec) -> SpuriousSpec:
        """A file or folder is named without its path."""
        names = {name: PurePath(spec.options[name]).name for name in _PATHS if name in spec.options}
        if _SOURCE in spec.options:
            names[_SOURCE] = sources.portable(spec.options[_SOURCE])
        return replace(spec, options={**spec.options, **names}) if names else spec

    def check_portable(self, spec: SpuriousSpec) -> None:
        if not isinstance(spec.options.get(_SOURCE, ""), str):
            raise ValueError("The source of the run's table is not a name.")
        kind_of(spec)
        if _SOURCE in spec.options:
            sources.check_portable(**_of_table(spec))
        for path in (spec.options.get(name, "") for name in _PATHS):
            if not isinstance(path, str) or PurePath(path).name != path:
                raise ValueError("The run names a file of this machine by its path; a shared one names it without.")

    def check_local(self, spec: SpuriousSpec) -> None:
        if any(spec.options.get(name) and not PurePath(str(spec.options[name])).is_absolute() for name in _PATHS):
            raise ValueError("The data of this run are not on this machine; it was opened without them.")
        sources.check_local(spec.options.get(_SOURCE, ""))

    def headline(self, result: SpuriousResult) -> str:
        from diffoci.labs.spurious.words import headline

        return headline(result)

    def read_result(self, content: Mapping[str, Any], name: str) -> SpuriousResult:
        from diffoci.labs.spurious.result_file import read_result

        return read_result(content, name)


def _of_table(spec: SpuriousSpec) -> dict[str, Any]:
    """A table as `diffoci.data.sources` names it."""
    given = spec.options
    return {"data": given[_SOURCE], "options": given.get("of_source", {}), "twin": bool(given.get("twin", False))}


SPURIOUS_LAB = SpuriousLab()
