"""Runs: studies in directories of their own, that can be watched, cancelled, killed and resumed.

These names are what a study of one's own is written with; everything else is in the modules.
"""

from diffoci.runs.study import Cell, CellOutput, Failures, Made, Outputs, Result, Spec, Study, Watch

__all__ = ["Cell", "CellOutput", "Failures", "Made", "Outputs", "Result", "Spec", "Study", "Watch"]
