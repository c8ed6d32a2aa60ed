"""Sections of the report of a fairness audit."""
