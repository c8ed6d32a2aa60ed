"""Reports and figures are made by a process that need not load what audits compute with."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

HEAVY = ("torch", "scipy.stats", "sklearn", "fairlearn", "streamlit", "folktables")
# Seconds of this process, not of the clock: other tests may use the same cores.
MEASURED = f"""
import json, sys, time
import pandas, plotly.graph_objects, plotly.offline, plotly.subplots
begun = time.process_time()
import diffoci.report.build, diffoci.figures.compare
seconds = time.process_time() - begun
print(json.dumps([[name for name in {HEAVY} if name in sys.modules], seconds]))
"""


def loaded() -> tuple[list[str], float]:
    """Which heavy packages the import of reports loads, and the seconds it takes beyond pandas and plotly."""
    done = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True)
    found, seconds = json.loads(done.stdout)
    return found, seconds


def test_importing_reports_loads_neither_torch_nor_other_heavy_packages() -> None:
    assert loaded()[0] == []


@pytest.mark.alone
def test_importing_reports_takes_less_than_half_a_second() -> None:
    best = loaded()[1]
    for _ in range(2):  # the best of three: the first may read from a cold disk
        if best >= 0.5:
            time.sleep(1)
            best = min(best, loaded()[1])
    assert best < 0.5


def test_no_module_of_figures_or_reports_loads_torch() -> None:
    code = """
import importlib, pkgutil, sys
import diffoci.figures, diffoci.report
for package in (diffoci.figures, diffoci.report):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
        assert "torch" not in sys.modules, module.name
"""
    subprocess.run([sys.executable, "-c", code], check=True)
