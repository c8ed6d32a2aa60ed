"""Forms: what a page asks, as sources, methods and settings declare it."""
