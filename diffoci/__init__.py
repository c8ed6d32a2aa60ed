"""difFOCI: rank coefficients, exact and differentiable, and fairness audits built on them."""

from diffoci.coefficients import DependenceTest, T, T_test, xi, xi_test
from diffoci.foci import FOCI
from diffoci.soft import soft_T

__all__ = ["FOCI", "DependenceTest", "T", "T_test", "soft_T", "xi", "xi_test"]
