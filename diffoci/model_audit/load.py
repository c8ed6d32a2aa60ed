"""Load the people of a specification."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from msgspec.structs import replace

from diffoci.data.sources import load_table, source_of
from diffoci.data.tables.joining import join_by_keys
from diffoci.data.tables.table import raw_table
from diffoci.model_audit.onnx_model import score_table
from diffoci.model_audit.people import About, People, check_reference
from diffoci.model_audit.read_people import read_people
from diffoci.model_audit.spec import ModelAuditSpec, Roles


def load_people(spec: ModelAuditSpec) -> People:
    """Read the table of the source, and everybody in it by the roles."""
    raw = load_table(spec.data, **spec.options)
    table, notes, roles = raw.table, raw.notes, spec.roles
    if spec.joined is not None:
        joined = join_by_keys(table, raw_table(spec.joined.file).table, spec.joined.keys)
        table, notes = joined.table, (*notes, *joined.notes)
    if spec.model_file is not None:
        table, roles = _scored(table, roles, Path(spec.model_file))
    about = About(source_of(spec.data).name, raw.title, raw.real, raw.source, raw.licence, raw.citation, notes)
    people = read_people(table, roles, about)
    check_reference(people, spec.settings)
    return people


def _scored(table: pa.Table, roles: Roles, path: Path) -> tuple[pa.Table, Roles]:
    """The table with the model's score as a column, before scores that are there already."""
    if missing := [name for name in roles.features if name not in table.column_names]:
        raise ValueError(f"'{missing[0]}' is not a column of the table; columns are {', '.join(table.column_names)}.")
    name, score = score_table(path, table.select(list(roles.features)) if roles.features else table)
    while name in table.column_names:
        name += "'"
    return table.append_column(name, pa.array(score)), replace(roles, scores=(name, *roles.scores))
