"""Tests of the model audit."""
