"""Simulated twins: the real sources' columns, margins and rank correlations, and no real row."""

from diffoci.data.twins._draw import OF_TWINS, PARAMETERS_FOLDER, SEED, draw_table, marked
from diffoci.data.twins.recipe import Origin, bands, itself, recipe

__all__ = ["OF_TWINS", "PARAMETERS_FOLDER", "SEED", "Origin", "bands", "draw_table", "itself", "marked", "recipe"]
