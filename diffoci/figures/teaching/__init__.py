"""Pictures to teach with."""
