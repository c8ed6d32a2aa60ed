"""Measuring: one split prepared, and what can be guessed from a representation of it."""
