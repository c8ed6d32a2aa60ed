"""The audit: train representations, measure what can be guessed from them, and say what it means."""
