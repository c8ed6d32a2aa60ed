"""Decisions: who is selected at a threshold, how often and how rightly in each group, and how groups compare."""

from diffoci.audit.decisions.decide import Decisions, DecisionSettings, GroupComparison, compare_counts, decide

__all__ = ["DecisionSettings", "Decisions", "GroupComparison", "compare_counts", "decide"]
