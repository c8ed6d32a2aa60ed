"""Two audits side by side, in pictures and in words."""
