"""The report of a model audit: document, tables, model card, and what verify checks of it."""
