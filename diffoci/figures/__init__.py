"""Figures: results in, Plotly figures out, each with the numbers it draws and a text alternative."""

from diffoci.figures.drawing import Drawing
from diffoci.figures.template import themed

__all__ = ["Drawing", "themed"]
