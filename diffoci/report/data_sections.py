"""The data in the report: where they come from, who is in them, which features give an attribute away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from diffoci.figures import Drawing
from diffoci.figures.foci_paths import paths
from diffoci.figures.proxies import heat_map
from diffoci.figures.reading import Result
from diffoci.figures.words import listed
from diffoci.report.blocks import Block, Picture, Points, Section, Table, Words
from diffoci.report.shortening import MOST_FEATURES, strongest

REAL = "REAL DATA: these rows describe people who exist."
SIMULATED = "SIMULATED DATA: nobody in these rows is real. Learn the method from this report; judge nobody by it."
# A picture of more rows would leave no room on a printed page; its table has more.
MOST_ROWS = 20


def provenance(result: Result) -> Section:
    """Source, licence, digest, what was left out, real or simulated."""
    about = result["provenance"]
    label = result["label"]
    facts = {
        "Data": about["title"],
        "Source": about["source"] or "not stated",
        "Licence": about["licence"] or "not stated",
        "Citation": about["citation"] or "none given",
        "Rows used": f"{about['rows']:,}",
        "Features": f"{len(result['features']['names']):,}",
        "Label": f"{label['name']} ({', '.join(map(str, label['classes']))})",
        "Sensitive attributes": ", ".join(result["groups"]),
        "sha256 of the data as used": about["sha256"],
    }
    blocks: list[Block] = [Words(REAL if about["real"] else SIMULATED, loud=True)]
    blocks.append(Table("Where the data come from", _facts(facts)))
    blocks.append(Words("Left out or changed when the data were read, and why:"))
    blocks.append(
        Points(
            tuple(about["notes"])
            or ("The loader noted nothing. Rows it may have left out without a note cannot be seen from the result.",)
        )
    )
    dropped = result["spec"]["options"].get("drop")
    if dropped:
        blocks.append(Words(f"Left out by the person who ran the audit: {listed(list(dropped))}."))
    return Section("Data and where they come from", tuple(blocks))


def groups(result: Result) -> Section:
    """How many people each group has, and how often the label."""
    two = len(result["label"]["classes"]) == 2
    rows = []
    for attribute, levels in result["groups"].items():
        total = sum(level["rows"] for level in levels.values())
        for name, level in levels.items():
            row = {"Group": f"{attribute}: {name}", "People": level["rows"]}
            row["Share"] = f"{100 * level['rows'] / total:.1f} %"
            if two:
                row[f"Has the label ({result['label']['classes'][1]})"] = f"{100 * level['label_rate']:.1f} %"
            rows.append(row)
    return Section("Who is in the data", (Table("Group sizes", pd.DataFrame(rows)),))


def proxies(result: Result) -> Section:
    """What single features tell, and the smallest sets that tell, before any training."""
    views = result["features"]["exact"]
    if not views or not views["columns"] or not any(one["sensitive"] for one in views["columns"].values()):
        return Section("Proxies", (Words("What single features give away was not measured in this audit."),))
    labels = dict(zip(result["features"]["names"], result["features"]["labels"], strict=True))
    blocks: list[Block] = [
        Words(
            "Before any training: T is Azadkia and Chatterjee's coefficient, 0 where a feature says nothing about the "
            "attribute and 1 where it gives it away. p-values say how often shuffled rows let any of the features "
            "tell as much. A feature that tells nothing alone may tell together with others; the steps below show that."
        ),
        Picture(_heat_map(views, labels), Table(_proxy_caption(views, len(labels)), _proxy_frame(views, labels))),
        Picture(paths(views), Table("Features that FOCI needs, in order", _path_frame(views))),
    ]
    return Section("Proxies: which features give an attribute away", tuple(blocks))


def _heat_map(views: Mapping[str, Any], labels: Mapping[str, str]) -> Drawing:
    leading = dict(sorted(views["columns"].items(), key=lambda item: -strongest(item[1]))[:MOST_ROWS])
    return heat_map({**views, "columns": leading}, labels)


def _proxy_caption(views: Mapping[str, Any], features: int) -> str:
    caption = "What each feature gives away"
    if len(views["columns"]) > MOST_ROWS:
        caption += f"; the picture shows the {MOST_ROWS} most telling"
    if features > MOST_FEATURES:
        caption += f", this table the {MOST_FEATURES} most telling of {features:,}, and the file proxies all"
    return caption


def _proxy_frame(views: Mapping[str, Any], labels: Mapping[str, str]) -> pd.DataFrame:
    rows = []
    for name, entry in sorted(views["columns"].items(), key=lambda item: -strongest(item[1]))[:MOST_FEATURES]:
        row: dict[str, Any] = {"Feature": name, "Meaning": labels.get(name, name), "T(y, X)": entry["T_y"]}
        for attribute, told in entry["sensitive"].items():
            row[f"T({attribute}, X)"] = told["T"]
            row[f"p ({attribute})"] = told["p_value"]
            row[f"T(y, X | {attribute})"] = told["T_y_given"]
        rows.append(row)
    frame = pd.DataFrame(rows)
    return frame.drop(columns="Meaning") if (frame["Meaning"] == frame["Feature"]).all() else frame


def _path_frame(views: Mapping[str, Any]) -> pd.DataFrame:
    rows = [
        {"For": target, "Step": str(step), "Feature added": name, "T of all so far": value}
        for target, path in views["paths"].items()
        for step, (name, value) in enumerate(zip(path["names"], path["T"], strict=True), start=1)
    ]
    return pd.DataFrame(rows, columns=["For", "Step", "Feature added", "T of all so far"])


def _facts(facts: Mapping[str, str]) -> pd.DataFrame:
    return pd.DataFrame({"What": list(facts), "Value": list(facts.values())})


def sections(result: Result) -> Iterator[Section]:
    """Everything about the data."""
    yield provenance(result)
    yield groups(result)
    yield proxies(result)
