"""``diffoci coef`` and ``diffoci foci``: the coefficients of the columns of a CSV file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def register(commands: Any) -> None:
    """Add the two commands."""
    coef = commands.add_parser("coef")
    coef.add_argument("file", type=Path, metavar="FILE.csv")
    coef.add_argument("--y", required=True, metavar="COL", help="response")
    coef.add_argument("--z", required=True, metavar="COL,COL", help="columns that may determine it")
    coef.add_argument("--given", metavar="COL,COL", help="columns already known")
    coef.add_argument("--standardize", choices=("none", "scale", "bounded"), default="none")
    coef.add_argument("--permutations", type=int, default=999, help="rearrangements behind the p-value (999)")
    coef.add_argument("--seed", type=int, default=0)
    coef.add_argument("--json", action="store_true", help="print one JSON object")
    coef.set_defaults(run=run_coef)

    foci = commands.add_parser("foci")
    foci.add_argument("file", type=Path, metavar="FILE.csv")
    foci.add_argument("--y", required=True, metavar="COL", help="response; all other columns are candidates")
    foci.add_argument("--standardize", choices=("none", "scale", "bounded"), default="scale")
    foci.add_argument("--n-features", type=int, metavar="N", help="most columns to choose")
    foci.add_argument("--no-stop", action="store_true", help="go on when nothing is gained")
    foci.add_argument("--json", action="store_true", help="print one JSON object")
    foci.set_defaults(run=run_foci)


def run_coef(arguments: argparse.Namespace) -> None:
    from diffoci.coefficients import (  # scipy takes half a second to import; other commands need not wait
        T_test,
        xi_test,
    )
    from diffoci.inputs import is_nominal

    frame = read_frame(arguments.file)
    y = pick(frame, [arguments.y])[arguments.y]
    z = pick(frame, split_names(arguments.z))
    given = None if arguments.given is None else pick(frame, split_names(arguments.given))
    test = T_test(
        y,
        z,
        given,
        standardize=arguments.standardize,
        permutations=arguments.permutations,
        seed=arguments.seed,
    )
    lone = z.iloc[:, 0] if z.shape[1] == 1 and given is None else None
    has_xi = lone is not None and (not is_nominal(lone) or lone.nunique() == 2)
    xi = xi_test(lone, y) if has_xi else None
    result = {
        "T": test.statistic,
        "xi": None if xi is None else xi.statistic,
        "n": test.n,
        "p_value": test.p_value,
        "xi_p_value": None if xi is None else xi.p_value,
    }
    if arguments.json:
        print(json.dumps(result))
        return
    condition = f" given {arguments.given}" if given is not None else ""
    print(f"how far {arguments.y} is determined by {arguments.z}{condition}, {test.n} rows")
    print(f"T   {test.statistic:.6f}   p-value {_p(test.p_value)}")
    print(f"xi  {xi.statistic:.6f}   p-value {_p(xi.p_value)}" if xi else "xi  none (it needs one ordered column)")


def run_foci(arguments: argparse.Namespace) -> None:
    from diffoci.foci import FOCI  # scikit-learn takes a second to import; other commands need not wait

    frame = read_frame(arguments.file)
    y = pick(frame, [arguments.y])[arguments.y]
    candidates = frame.drop(columns=arguments.y)
    selector = FOCI(n_features=arguments.n_features, stop=not arguments.no_stop, standardize=arguments.standardize).fit(
        candidates, y
    )
    names = [str(candidates.columns[k]) for k in selector.order_]
    if arguments.json:
        print(json.dumps({"selected": names, "T": selector.scores_.tolist()}))
        return
    if not names:
        print(f"no column says anything about {arguments.y}")
    for step, (name, score) in enumerate(zip(names, selector.scores_, strict=True), start=1):
        print(f"{step:3d}  {name}  {score:.6f}")


def read_frame(path: Path) -> pd.DataFrame:
    """Read a headed CSV file, compressed or not."""
    import pandas as pd

    if not path.is_file():
        raise ValueError(f"There is no file {path}; check the name.")
    try:
        return pd.read_csv(path)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as problem:
        raise ValueError(f"{path} is not a headed CSV file ({problem}).") from None


def split_names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def pick(frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """The named columns, or a sentence about the first that does not exist."""
    if not names:
        raise ValueError("Name at least one column.")
    for name in names:
        if name not in frame:
            known = [str(column) for column in frame.columns]
            shown = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
            raise ValueError(f"There is no column '{name}'; the columns are {shown}.")
    return frame[names]


def _p(value: float | None) -> str:
    return "none (no rows share the same given values)" if value is None else f"{value:.4g}"
