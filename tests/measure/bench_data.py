"""How fast ACS files load, against folktables: ``python -m tests.measure.bench_data``.

Alabama's file has about 48,000 rows; the sample at hand is repeated to that size in a temporary folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import statistics
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

ROWS = 48_000
REPEATS = 5


def alabama(folder: Path, sample: Path) -> None:
    """Write a file of Alabama's size in folktables' own layout, which is ours as well."""
    target = folder / "acs" / "2017" / "1-Year" / "psam_p01.csv"
    target.parent.mkdir(parents=True)
    lines = sample.read_bytes().splitlines(keepends=True)
    header, rows = lines[0], lines[1:]
    with target.open("wb") as file:
        file.write(header)
        for place in range(ROWS):
            file.write(rows[place % len(rows)])


def seconds(action: Callable[[], object], prepare: Callable[[], None] = lambda: None) -> float:
    """Return the median time of a few runs, preparation not counted."""
    times = []
    for _ in range(REPEATS):
        prepare()
        begun = time.perf_counter()
        action()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def measure(sample: Path) -> dict[str, float]:
    """Time folktables and our first and later loads of the same file."""
    from folktables import ACSDataSource, ACSIncome

    from diffoci.data.sources import load

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alabama(folder, sample)
        cache = folder / "cache"
        os.environ.update(DIFFOCI_DATA=str(folder), DIFFOCI_CACHE=str(cache))
        source = ACSDataSource(survey_year="2017", horizon="1-Year", survey="person", root_dir=str(folder / "acs"))

        def forget() -> None:
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(cache)

        times = {
            "folktables get_data": seconds(lambda: source.get_data(states=["AL"])),
            "folktables get_data and df_to_numpy": seconds(
                lambda: ACSIncome.df_to_numpy(source.get_data(states=["AL"]))
            ),
            "ours, first load": seconds(lambda: load("acs-income", year=2017), forget),
            "ours, from the second load on": seconds(lambda: load("acs-income", year=2017)),
        }
        raw = folder / "acs" / "2017" / "1-Year" / "psam_p01.csv"
        with zipfile.ZipFile(raw.with_name("csv_pal.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(raw, raw.name)
        raw.unlink()
        times["ours, first load out of the zip"] = seconds(lambda: load("acs-income", year=2017), forget)
    return times


def main() -> None:
    beside = Path(__file__).parents[2] / "shared" / "data"
    sample = Path(os.environ.get("DIFFOCI_DATA") or beside) / "acs" / "2017" / "1-Year" / "psam_p01.csv"
    if not sample.is_file():
        raise SystemExit("needs the ACS sample: set DIFFOCI_DATA to the folder of the real files")
    times = measure(sample)
    reference = times["folktables get_data"]
    print(f"ACS person records of Alabama's size ({ROWS:,} rows x 286 columns), median of {REPEATS}")
    for title, taken in times.items():
        print(f"{title:38} {taken:7.3f} s   {reference / taken:6.1f} x folktables")


if __name__ == "__main__":
    main()
