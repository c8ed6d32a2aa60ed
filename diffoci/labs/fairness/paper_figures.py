"""The paper's figures of its fairness study, as its tables have them."""

from __future__ import annotations

# Accuracies in per cent of y and of the attribute on training, validation and test rows [tab:fairness_experiments].
ACCURACY: dict[str, dict[str, dict[str, tuple[float, float, float]]]] = {
    "bank": {
        "standard": {"y": (91.32, 93.27, 90.05), "S": (89.09, 72.26, 70.93)},
        "dF3": {"y": (90.81, 92.13, 89.35), "S": (63.12, 62.24, 63.81)},
    },
    "student": {
        "standard": {"y": (88.35, 79.63, 75.67), "S": (95.68, 72.16, 71.21)},
        "dF3": {"y": (80.18, 72.16, 72.73), "S": (59.47, 58.95, 48.89)},
    },
    "acs-income": {
        "standard": {"y": (83.49, 85.10, 81.30), "S": (68.97, 67.67, 66.00)},
        "dF3": {"y": (82.80, 81.99, 82.95), "S": (56.58, 55.01, 52.73)},
    },
}

COLUMNS = ("GUS", "SPer", "FPR", "FDR", "FWE", "KBest", "UMAP", "LDA", "PCA", "FOCI", "vec-dF1", "vec-dF3")
# Log-loss of hard predictions of a logistic regression, in the order of COLUMNS [tab:fairness_data].
_HARD_LOG_LOSS: dict[str, tuple[float, ...]] = {
    "student": (13.30, 14.14, 11.36, 11.64, 11.36, 10.53, 8.87, 8.31, 8.59, 10.25, 8.41, 8.52),
    "bank": (3.45, 3.19, 3.19, 3.19, 3.19, 3.10, 3.32, 3.01, 3.32, 3.01, 2.68, 2.90),
    "acs-income": (10.39, 10.39, 7.62, 7.62, 7.62, 7.71, 7.49, 7.86, 8.02, 7.96, 7.65, 7.92),
    "acs-employment": (12.09, 11.23, 8.31, 8.31, 8.31, 8.41, 14.60, 8.67, 9.01, 8.43, 7.81, 7.97),
}
HARD_LOG_LOSS = {data: dict(zip(COLUMNS, losses, strict=True)) for data, losses in _HARD_LOG_LOSS.items()}
# What stands after its ± there.
SPREAD: dict[str, dict[str, float]] = {
    "student": {"vec-dF1": 0.82, "vec-dF3": 0.89},
    "bank": {"vec-dF1": 0.04, "vec-dF3": 0.07},
    "acs-income": {"vec-dF1": 0.01, "vec-dF3": 0.01},
    "acs-employment": {"vec-dF1": 0.03, "vec-dF3": 0.02},
}
