"""Decisions in pictures, words and tables: what a threshold does to each group."""
