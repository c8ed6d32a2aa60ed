"""Numbers to teach with."""
