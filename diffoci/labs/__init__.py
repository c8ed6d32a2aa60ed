"""Labs: the paper's own experiments rerun as studies, and the tables that put them beside its figures."""
