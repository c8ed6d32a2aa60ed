"""The feature lab, a study: which columns of a table determine y, by FOCI, difFOCI and what people use today."""
