"""Families of selectors: how they are drawn, and where a legend lists them."""

from diffoci.audit.methods.families import Family

REFERENCE, ONE_BY_ONE, PROJECTION, MODEL, OURS = "reference", "one by one", "projection", "model", "ours"
FAMILIES = {
    family.name: family
    for family in (
        Family(REFERENCE, "nothing selected", "#7F7F7F", "square", 0),
        Family(ONE_BY_ONE, "one column at a time", "#E69F00", "x", 1),
        Family(PROJECTION, "projections", "#CC79A7", "diamond", 2),
        Family(MODEL, "by a model", "#009E73", "triangle-up", 3),
        Family(OURS, "FOCI and difFOCI", "#0072B2", "circle", 4),
    )
}
