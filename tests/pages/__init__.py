"""Pages, opened as a browser would."""
