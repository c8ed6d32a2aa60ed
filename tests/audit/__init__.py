"""Tests of the audit engine."""
