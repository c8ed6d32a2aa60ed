"""Learning: difFOCI and how it is trained, exact objectives in soft form."""
