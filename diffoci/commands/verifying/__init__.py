"""``diffoci verify`` of the reports of each study: what is checked, and how it is said."""
