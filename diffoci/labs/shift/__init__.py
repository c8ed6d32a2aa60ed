"""Domain shift: what a selection made in one domain loses in another, beside the paper's last appendix."""
