"""``diffoci audit-scores``: audit the scores and decisions of a model that exists."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import msgspec

from diffoci.commands.foreground import add_means, go_on, means_of, show_result
from diffoci.commands.runs import title_of
from diffoci.commands.source_options import add_any_option, given_options, read_value, split_assignments
from diffoci.data.sources import load_table, resolved, source_of
from diffoci.data.tables.table import raw_table
from diffoci.model_audit.guide import check_answers
from diffoci.model_audit.spec import ModelAuditSpec, ModelSettings, Roles, SecondFile
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.name_lists import split_names
from diffoci.runs.store import Run

_LISTS = ("scores", "decisions", "selected", "sensitive", "factors", "features")
ALL = "all"


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("audit-scores")
    parser.add_argument(
        "--data", required=True, metavar="NAME", help="berkeley, compas, lender, or csv:PATH for your own file"
    )
    roles = parser.add_argument_group("roles of columns (default: those of the source, or what names suggest)")
    roles.add_argument("--score", dest="scores", metavar="COL,…", help="scores, one column for each model")
    roles.add_argument("--decision", dest="decisions", metavar="COL,…", help="recorded decisions, in the same order")
    roles.add_argument("--selected", metavar="VALUE,…", help="values of a decision that count as selected")
    roles.add_argument("--label", metavar="COL", help="what happened; 'none' for no outcome")
    roles.add_argument("--positive", metavar="VALUE", help="the value of the outcome that counts, or a cut as '>5'")
    roles.add_argument("--sensitive", metavar="COL,…", help="attributes; numbers of many values stay numbers")
    roles.add_argument("--weights", metavar="COL", help="how many people each row stands for")
    roles.add_argument("--factors", metavar="COL,…", help="what may justify a difference")
    roles.add_argument("--features", metavar="COL,…", help="what the model looked at; 'all' for every other column")
    parser.add_argument("--join", type=Path, metavar="FILE", help="a second file with further columns")
    parser.add_argument("--keys", metavar="COL,…", help="columns that say which row of it belongs to whom")
    parser.add_argument("--model", type=Path, metavar="FILE.onnx", help="a model that scores the rows from --features")
    parser.add_argument("--answer", action="append", default=[], metavar="QUESTION=ANSWER", help="of the guide")
    parser.add_argument("--threshold", type=float, metavar="X", help="selected is whose score is at least this")
    parser.add_argument("--reference", metavar="GROUP", help="largest (default), overall, or the name of a group")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="minimum, rows, …")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run directory; an audit begun there is resumed")
    add_means(parser)
    add_any_option(parser)
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> None:
    spec = _spec(arguments)
    run = _run_for(spec, arguments.out)
    try:
        status = go_on(run, means_of(arguments))
    except (ValueError, OSError):
        run.discard()
        raise
    if status.state == "failed":
        run.discard()
    show_result(run, status, as_json=arguments.json)
    if not arguments.json:
        print(f"kept in {run.folder}")


def _spec(arguments: argparse.Namespace) -> ModelAuditSpec:
    data = resolved(arguments.data)
    options = given_options(arguments, source_of(data))
    joined = _joined(arguments)
    roles = _roles(arguments, data, options)
    answers = split_assignments(arguments.answer)
    check_answers(answers)
    return ModelAuditSpec(
        data=data,
        options=options,
        roles=roles,
        settings=_settings(arguments),
        joined=joined,
        model_file=None if arguments.model is None else str(arguments.model.resolve()),
        answers=answers,
    )


def _joined(arguments: argparse.Namespace) -> SecondFile | None:
    if (arguments.join is None) != (arguments.keys is None):
        raise ValueError("A second file needs its keys: give --join FILE and --keys COL,… together.")
    if arguments.join is None:
        return None
    return SecondFile(file=str(arguments.join.resolve()), keys=tuple(split_names(arguments.keys)))


def _roles(arguments: argparse.Namespace, data: str, options: dict[str, Any]) -> Roles:
    """What was said; for the rest what the source says, or what the columns of a file are called."""
    given: dict[str, Any] = {
        name: tuple(split_names(value)) for name in _LISTS if (value := getattr(arguments, name)) is not None
    }
    given |= {
        name: value for name in ("label", "positive", "weights") if (value := getattr(arguments, name)) is not None
    }
    if given.get("label") == "none":
        given["label"] = None
    source = source_of(data)
    usual: dict[str, Any] = dict(source.roles)
    columns: list[str] = []
    if source.takes_file or given.get("features") == (ALL,):
        columns = load_table(data, **options).table.column_names
        if arguments.join is not None:
            columns = [
                *columns,
                *(name for name in raw_table(arguments.join).table.column_names if name not in columns),
            ]
    if source.takes_file:
        from diffoci.model_audit.guess_roles import guess_roles

        usual = msgspec.structs.asdict(guess_roles(columns))
        used = {name for value in given.values() for name in ((value,) if isinstance(value, str) else value or ())}
        usual = {name: _unused(value, used) for name, value in usual.items()}
    if {"scores", "decisions"} & set(given) or arguments.model is not None:  # a model that is named stands alone
        usual = {name: value for name, value in usual.items() if name not in ("scores", "decisions", "selected")}
    if "label" in given:
        usual.pop("positive", None)
    roles = Roles(**{**usual, **given})
    if roles.features == (ALL,):
        others = set(msgspec.structs.replace(roles, features=()).columns)
        roles = msgspec.structs.replace(roles, features=tuple(name for name in columns if name not in others))
    return roles


def _unused(value: Any, used: set[str]) -> Any:
    """A guessed role without the columns that were given another."""
    if isinstance(value, tuple):
        return tuple(name for name in value if name not in used)
    return None if value in used else value


def _settings(arguments: argparse.Namespace) -> ModelSettings:
    values: dict[str, Any] = {name: read_value(text) for name, text in split_assignments(arguments.setting).items()}
    if arguments.threshold is not None:
        values["threshold"] = arguments.threshold
    if arguments.reference is not None:
        values["reference"] = arguments.reference
    try:
        return msgspec.convert(values, ModelSettings)
    except msgspec.ValidationError as problem:
        known = ", ".join(ModelSettings.__struct_fields__)
        raise ValueError(f"A setting cannot be: {problem}. Settings are {known}.") from None


def _run_for(spec: ModelAuditSpec, folder: Path | None) -> Run:
    """Open the run of this specification in `folder`, or begin one."""
    if folder is None or not (folder / "spec.json").exists():
        return Run.create(MODEL_AUDIT, spec, folder=folder)
    run = Run.open(folder)
    if run.spec.digest() != spec.digest():
        raise ValueError(f"{folder} holds another run ({title_of(run)}); choose another folder with --out.")
    return run
