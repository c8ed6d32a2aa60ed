"""What other packages add appears wherever ours does."""
