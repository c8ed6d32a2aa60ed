"""Figures draw what the result holds."""
