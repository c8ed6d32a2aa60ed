"""Before training: which columns reveal an attribute, and which decide the outcome by themselves."""
