"""difFOCI: rank coefficients, differentiable and exact, and fairness audits built on them."""
