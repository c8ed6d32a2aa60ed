"""What verify checks: arithmetic worked out again, and what a file shows, compared piece by piece."""
