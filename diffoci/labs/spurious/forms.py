"""The two forms of the penalty, by name; apart from the code that computes them, which loads torch."""

from typing import Literal

# T(X_G, features) as in the paper, or T(X_G, features | Y), our extension.
Form = Literal["plain", "given the outcome"]
