"""Two audits side by side: what changed, and whether it is more than noise."""
