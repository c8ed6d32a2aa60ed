"""Audit a model that exists: its scores and decisions, whoever made them."""
