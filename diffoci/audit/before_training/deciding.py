"""Columns that decide the outcome by themselves: another outcome, a model's output, or a code of it.

An audit that learns from such a column is about nothing else. So it is asked about before anything is trained.
"""

from __future__ import annotations

from dataclasses import dataclass

from diffoci.audit.measuring.sampled import label_of, sample_features, some_rows
from diffoci.coefficients import T
from diffoci.data.dataset import Dataset

# T of the outcome and one column, from which on the column is said to decide it. Where both classes are as common, a
# column that is right about 97 or 98 of 100 people is there.
DECIDES = 0.9
ROWS = 10_000  # looked at, however many there are
FEWEST_ROWS = 30  # with fewer, a column may line up with the outcome by chance


@dataclass(frozen=True)
class Deciding:
    """A column, T of the outcome and it, and in how many rows."""

    column: str
    T: float
    rows: int

    def sentence(self, label: str) -> str:
        """What is said of it.

        >>> Deciding("paid_back", 0.997, 500).sentence("approved")
        "'paid_back' almost decides 'approved' by itself (T = 0.99 of at most 1, in 500 rows). It may be another \
outcome, a model's output or a code of 'approved'."
        """
        shown = min(self.T, 0.99) if self.T < 1 else 1.0  # 0.997 is not yet 1
        how = "decides" if self.T >= 1 else "almost decides"
        return (
            f"'{self.column}' {how} '{label}' by itself (T = {shown:.2f} of at most 1, in {self.rows:,} rows). It may "
            f"be another outcome, a model's output or a code of '{label}'."
        )


def deciding_columns(dataset: Dataset, *, rows: int = ROWS, seed: int = 0) -> tuple[Deciding, ...]:
    """The columns that decide the outcome, the strongest first; at most so many random rows are looked at.

    Values that nobody shares tell nothing as names. As numbers they tell what their neighbours do: an identifier
    decides nothing unless the outcome follows its order.

    >>> from diffoci.data.truth.source import make_truth
    >>> deciding_columns(make_truth(rows=500).dataset)
    ()
    """
    some = some_rows(dataset, rows, seed)
    if len(some) < FEWEST_ROWS or not dataset.has_outcome:
        return ()
    frame, label = sample_features(dataset, some), label_of(dataset).iloc[some].reset_index(drop=True)
    told = [Deciding(str(name), T(label, frame[[name]]), len(some)) for name in frame if frame[name].nunique() > 1]
    return tuple(sorted((one for one in told if one.T >= DECIDES), key=lambda one: -one.T))
