"""``diffoci compare``: two finished audits side by side."""

from __future__ import annotations

import argparse
import json

from diffoci.commands.runs import find


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("compare", help="two audits: what changed, and whether it is more than noise")
    for which in ("first", "second"):
        parser.add_argument(which, metavar=f"RUN_{'A' if which == 'first' else 'B'}", help="id or run directory")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> None:
    from diffoci.audit.contrast import contrast
    from diffoci.figures import contrast_words as words

    first, second = find(arguments.first).result(), find(arguments.second).result()
    found, names = contrast(first, second), words.names_of(first, second)
    asked = words.asked_differently(first, second)
    if arguments.json:
        content = {"first": first["id"], "second": second["id"], "names": names, **found.to_dict(), "asked": asked}
        print(json.dumps(content, ensure_ascii=False, indent=1))
        return
    print(f"{words.headline(found, names)}.\n")
    for title, table in (("guessed (AUC)", words.guessed_table(found)), ("y (accuracy)", words.y_table(found))):
        for entry in table.to_dict("records"):
            who = ", ".join(str(entry[name]) for name in ("Method", "Attribute", "Verdict") if name in entry)
            scores = f"{entry['First']} → {entry['Second']}, {entry['Difference']}"
            print(f"{title:14} {who}: {scores}: {entry['More than noise?']}")
    print(f"\n{words.method_note(found)}")
    for entry in words.dropped_table(found, names).to_dict("records"):
        print(f"given {entry['Given']}, {entry['Feature']}: {entry[names[0]]}, then {entry[names[1]]}")
    print("\nWhat is not the same:" if asked else "\nBoth were asked the same of the same data.")
    for line in asked:
        print(f"- {line}")
