"""The data in the report: where they come from, who is in them, which features give an attribute away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from msgspec.structs import replace

from diffoci.audit.result import AuditResult, ExactViews, FeatureView
from diffoci.audit.words import listed
from diffoci.figures.before_training.foci_paths import paths
from diffoci.figures.before_training.proxy_map import heat_map
from diffoci.report._shortening import MOST_FEATURES
from diffoci.report.writing.blocks import Block, Follows, Picture, Points, Section, Table, Words

REAL = "REAL DATA: these rows describe people who exist."
SIMULATED = "SIMULATED DATA: nobody in these rows is real. Learn the method from this report; judge nobody by it."
# A picture of more rows would leave no room on a printed page; the appendix has them all.
MOST_ROWS = 12


def provenance(result: AuditResult) -> Section:
    """Source, licence, digest, what was left out, real or simulated."""
    about, label = result.provenance, result.label
    facts = {
        "Data": about.title,
        "Source": about.source or "not stated",
        "Licence": about.licence or "not stated",
        "Citation": about.citation or "none given",
        "Rows used": f"{about.rows:,}",
        "Features": f"{len(result.features.names):,}",
        "Label": f"{label.name} ({', '.join(label.classes)})",
        "Sensitive attributes": ", ".join(result.attributes),
        "sha256 of the data as used": about.sha256,
    }
    blocks: list[Block] = [Words(REAL if about.real else SIMULATED, loud=True)]
    known = {
        "Rows used": Follows(about, "count", "rows"),
        "sha256 of the data as used": Follows(about, "text", "sha256"),
    }
    follows = {"Value": [known.get(name) for name in facts]}
    blocks.append(Table("Where the data come from", _facts(facts), follows=follows))
    blocks.append(Words("Left out or changed when the data were read, and why:"))
    blocks.append(
        Points(
            about.notes
            or ("The loader noted nothing. Rows it may have left out without a note cannot be seen from the result.",)
        )
    )
    dropped = result.spec.options.get("drop")
    if dropped:
        blocks.append(Words(f"Left out by the person who ran the audit: {listed(list(dropped))}."))
    return Section("Data and where they come from", tuple(blocks))


def groups(result: AuditResult) -> Section:
    """How many people each group has, and how often the label."""
    rows = []
    every = [level for levels in result.groups.values() for level in levels.values()]
    has_label = f"Has the outcome ({result.label.classes[1]})"
    for attribute, levels in result.groups.items():
        total = sum(level.rows for level in levels.values())
        for name, level in levels.items():
            row = {"Group": f"{attribute}: {name}", "People": level.rows}
            row["Share"] = f"{100 * level.rows / total:.1f} %"
            if level.label_rate is not None:
                row[has_label] = f"{100 * level.label_rate:.1f} %"
            rows.append(row)
    follows: dict[str, list[Follows | None]] = {
        "People": [Follows(level, "count", "rows") for level in every],
        "Share": [Follows(level, "share of all groups", "rows") for level in every],
    }
    if any(level.label_rate is not None for level in every):
        rates = [None if level.label_rate is None else Follows(level, "percent", "label_rate") for level in every]
        follows[has_label] = rates
    return Section("Who is in the data", (Table("Group sizes", pd.DataFrame(rows), follows=follows),))


def proxies(result: AuditResult) -> Section:
    """What the most telling features tell, before any training."""
    views = result.features.exact
    if views is None or not any(view.sensitive for view in views.columns.values()):
        return Section("Proxies", (Words("What single features reveal was not measured in this audit."),))
    labels = result.features.meanings
    leading = _most_telling(views)[:MOST_ROWS]
    many = len(views.columns) > MOST_ROWS
    caption = f"The {MOST_ROWS} features that reveal most" if many else "What each feature reveals"
    blocks: list[Block] = [
        Words(
            "Before any training: T is Azadkia and Chatterjee's coefficient, 0 where a feature says nothing about the "
            "attribute and 1 where it reveals it completely. p-values say how often shuffled rows make any of the "
            "features look as revealing. Where nothing is shaded, this test detected nothing; a feature may still "
            "reveal it together with others."
        ),
        Picture(heat_map(replace(views, columns=dict(leading)), labels), _proxy_table(leading, labels, caption)),
    ]
    return Section("Proxies: which features reveal an attribute", tuple(blocks))


def _every_proxy(result: AuditResult) -> Iterator[Section]:
    """What all features tell, where the body of the report has room for some, and the sets that FOCI chose."""
    views = result.features.exact
    if views is None or not any(view.sensitive for view in views.columns.values()):
        return
    labels, blocks = result.features.meanings, list[Block]()
    if len(views.columns) > MOST_ROWS:
        caption = "What each feature reveals"
        if len(labels) > MOST_FEATURES:
            caption += f"; this table has the {MOST_FEATURES} most telling of {len(labels):,}, and the file proxies all"
        blocks.append(_proxy_table(_most_telling(views)[:MOST_FEATURES], labels, caption))
    blocks.append(Words("FOCI adds one feature after the other and may miss features that tell only together."))
    blocks.append(Picture(paths(views.paths, rows=views.rows), _path_table(views)))
    yield Section("What every feature reveals, and FOCI's steps", tuple(blocks), folded=True)


def _most_telling(views: ExactViews) -> list[tuple[str, FeatureView]]:
    return sorted(views.columns.items(), key=lambda item: -item[1].strongest)


def _proxy_table(shown: Sequence[tuple[str, FeatureView]], labels: Mapping[str, str], caption: str) -> Table:
    rows = []
    follows: dict[str, list[Follows | None]] = {}
    for name, view in shown:
        row: dict[str, Any] = {"Feature": name, "Meaning": labels.get(name, name), "T(y, X)": view.T_y}
        follows.setdefault("T(y, X)", []).append(Follows(view, "three digits", "T_y"))
        for attribute, told in view.sensitive.items():
            entries = {
                f"T({attribute}, X)": "T",
                f"p ({attribute})": "p_value",
                f"T(y, X | {attribute})": "T_y_given",
            }
            for heading, entry in entries.items():
                row[heading] = getattr(told, entry)
                follows.setdefault(heading, []).append(Follows(told, "three digits", entry))
        rows.append(row)
    frame = pd.DataFrame(rows)
    same = (frame["Meaning"] == frame["Feature"]).all()
    return Table(caption, frame.drop(columns="Meaning") if same else frame, follows=follows)


def _path_table(views: ExactViews) -> Table:
    steps = [
        (target, path, step, name)
        for target, path in views.paths.items()
        for step, name in enumerate(path.names, start=1)
    ]
    rows = [
        {"For": target, "Step": str(step), "Feature added": name, "T of all so far": path.T[step - 1]}
        for target, path, step, name in steps
    ]
    frame = pd.DataFrame(rows, columns=["For", "Step", "Feature added", "T of all so far"])
    follows = {"T of all so far": [Follows(path, "three digits", f"T/{step - 1}") for _, path, step, _ in steps]}
    return Table("Features that FOCI needs, in order", frame, follows=follows)


def _facts(facts: Mapping[str, str]) -> pd.DataFrame:
    return pd.DataFrame({"What": list(facts), "Value": list(facts.values())})


def sections(result: AuditResult) -> Iterator[Section]:
    """Which features give an attribute away, where the data come from, and who is in them."""
    yield proxies(result)
    yield provenance(result)
    yield groups(result)


def appendix(result: AuditResult) -> Iterator[Section]:
    """Every feature, and FOCI's steps."""
    yield from _every_proxy(result)
