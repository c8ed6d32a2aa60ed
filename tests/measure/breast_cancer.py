"""What logistic regression can reach on Breast Cancer, on validation rows: ``python -m tests.measure.breast_cancer``.

The downstream model is fixed, so a selector can only choose columns, weigh them or mix them. Here are all columns at
several sizes, which is how strongly they are regularised, their first principal components, and columns whose far
values are drawn in. The splits have seeds that choices are made on; test rows are not looked at.
"""

from __future__ import annotations

import numpy as np

from diffoci.labs.feature_selection.downstream import HARD_ERROR
from diffoci.labs.feature_selection.problem import Task
from diffoci.labs.feature_selection.table import load_rows

SPLITS = range(5003, 5053)
SIZES = (0.2, 0.35, 0.5, 0.7, 1.0, 1.5, 2.0)
BOUNDED_SIZES = (0.35, 0.5, 1.0)
COMPONENTS = (3, 5, 7, 10, 15)


def representations(task: Task) -> dict[str, np.ndarray]:
    training = task.x[task.split.train]
    axes = np.linalg.svd(training - training.mean(axis=0), full_matrices=False)[2]
    sized = {f"all columns, times {size:g}": task.x * size for size in SIZES}
    sized |= {f"tanh of all columns, times {size:g}": np.tanh(task.x) * size for size in BOUNDED_SIZES}
    sized |= {f"all columns cut at 2 deviations, times {size:g}": task.x.clip(-2, 2) * size for size in BOUNDED_SIZES}
    return sized | {f"{count} principal components": task.x @ axes[:count].T for count in COMPONENTS}


def hard_log_loss(task: Task, z: np.ndarray) -> float:
    from sklearn.linear_model import LogisticRegression

    learned, held = task.split.train, task.split.validation
    wrong = LogisticRegression().fit(z[learned], task.y[learned]).predict(z[held]) != task.y[held]
    return HARD_ERROR * float(wrong.mean())


def main() -> None:
    rows = load_rows("breast-cancer", {}, "", "auto")
    found: dict[str, list[float]] = {}
    for seed in SPLITS:
        task = rows.task(seed)
        for name, z in representations(task).items():
            found.setdefault(name, []).append(hard_log_loss(task, z))
    print(f"log-loss of hard predictions, validation rows of {len(SPLITS)} splits: mean, deviation over splits,")
    print("and how much more than all columns, with the standard error of that")
    whole = np.array(found["all columns, times 1"])
    for name, values in found.items():
        more = values - whole
        error = more.std() / np.sqrt(len(more))
        print(f"{name}: {np.mean(values):.2f}, {np.std(values):.2f}, {more.mean():+.2f} ({error:.2f})")


if __name__ == "__main__":
    main()
