"""Known-truth data, a source: people whose leaks are known by construction."""
