"""The result of a fairness audit: what `result.json` holds, declared once.

Reading one (`diffoci.audit._result_file`) checks every entry: its kind, its limits, and that nothing else stands there.
Figures, report, `verify`, the command line and sharing read attributes of these types and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, field

from diffoci.audit.certificates.certificate import Certificate
from diffoci.audit.decisions.any_threshold import ScoreCeiling
from diffoci.audit.decisions.decide import Decisions
from diffoci.audit.decisions.local_law_144 import ImpactTables
from diffoci.audit.kinds import (
    MOST_ATTRIBUTES,
    MOST_FEATURES,
    MOST_LEVELS,
    MOST_METHODS,
    MOST_SEEDS,
    AttributeNames,
    Count,
    GroupNames,
    Names,
    Number,
    People,
    Positive,
    Seed,
    Share,
    Stored,
    Text,
)
from diffoci.audit.noise import Difference
from diffoci.audit.spec import AuditSpec
from diffoci.audit.splitting import overlap_of_splits
from diffoci.runs.study import Result

SCHEMA: Literal[1] = 1
Place = Literal["representation", "last_layer"]
Score = Literal["auc", "accuracy", "balanced_accuracy"]
Verdict = Literal["detected", "not detected", "insufficient evidence"]
PLACES: tuple[Place, ...] = get_args(Place)
SCORES: tuple[Score, ...] = get_args(Score)
Seeds = Annotated[tuple[Seed, ...], Meta(min_length=1, max_length=MOST_SEEDS)]


class Mean(Stored, frozen=True):
    """A mean over seeds with its 95 % interval, which one seed does not have; a seed may have no value."""

    mean: Number | None
    low: Number | None
    high: Number | None
    values: Annotated[tuple[Number | None, ...], Meta(max_length=MOST_SEEDS)]


class Rates(Stored, frozen=True, kw_only=True):
    """Three scores of one prediction."""

    accuracy: Mean
    balanced_accuracy: Mean
    auc: Mean

    def score(self, name: Score) -> Mean:
        """One score by its name."""
        found: Mean = getattr(self, name)
        return found


ByProbe = Annotated[dict[Text, Rates], Meta(max_length=100)]


class Predicted(Rates, frozen=True, kw_only=True):
    """How well the outcome is predicted: by the strongest probe of each seed (`probe`), and by every probe."""

    log_loss: Mean
    hard_log_loss: Mean
    majority: Share
    probe: Annotated[tuple[Text, ...], Meta(max_length=MOST_SEEDS)]
    probes: ByProbe


class Guessed(Rates, frozen=True, kw_only=True):
    """How well one sensitive attribute can be guessed in one place, beside what shuffled labels give."""

    majority: Share
    null_auc_low: Share | None
    null_auc_high: Share | None
    below_chance: bool
    probe: Text
    probes: ByProbe
    T: Mean
    p_value: Share | None
    not_judged: GroupNames
    test_rows: Count
    verdict: Verdict


class Leakage(Stored, frozen=True, kw_only=True, omit_defaults=True):
    """Every attribute by place; the places of the first attribute stand here once more, for those who audit one."""

    representation: Guessed | None = None
    last_layer: Guessed | None = None
    by_attribute: Annotated[dict[Text, dict[Place, Guessed]], Meta(min_length=1, max_length=MOST_ATTRIBUTES)]

    def of(self, attribute: str, place: Place = "representation") -> Guessed | None:
        """How well an attribute can be guessed in a place; None where it was not measured."""
        return self.by_attribute.get(attribute, {}).get(place)


class Decided(Decisions, frozen=True, kw_only=True):
    """Decisions of the strongest y-probe about everybody who was tested in some split.

    `any_threshold` has by attribute what no threshold on the first split's score exceeds, from the people tested there:
    scores of several models are not one score.
    """

    people: Count
    local_law_144: ImpactTables | None
    any_threshold: Annotated[
        dict[Text, Annotated[tuple[ScoreCeiling, ...], Meta(max_length=MOST_LEVELS)]], Meta(max_length=MOST_ATTRIBUTES)
    ] = field(default_factory=dict)


class Changed(Stored, frozen=True, kw_only=True):
    """Of the people tested, each once: how many only the standard data were right about, and only this method."""

    people: People
    lost: Count
    gained: Count


class MethodResult(Stored, frozen=True, kw_only=True):
    """One method: what it is, in words that stay with the numbers, and what was measured of it.

    `decisions` is None where the outcome has more than two classes, `certificate` where no attribute had people of two
    groups to count. `changed` compares predictions of the outcome with those from the standard data, where everybody
    was tested once.
    """

    name: Text
    title: Text
    short: Text = ""
    family: Text = ""
    marker: Text = ""
    description: Text = ""
    citation: Text = ""
    needs_sensitive_at_prediction: bool
    seeds: Seeds
    y: Predicted
    leakage: Leakage
    chosen: Annotated[tuple[dict[Text, Any], ...], Meta(max_length=MOST_SEEDS)]
    decisions: Decided | None
    certificate: Certificate | None = None
    changed: Changed | None = None

    @property
    def called(self) -> str:
        """The short name."""
        return self.short or self.name


class CurvePoint(Stored, frozen=True, kw_only=True):
    """One weight of a method's trade-off curve."""

    weight: Number
    seeds: Seeds
    y: Predicted
    leakage: Leakage


class Condition(Stored, frozen=True, kw_only=True, omit_defaults=True):
    """Weights of features trained given some attributes: mean size, every seed's values, what was dropped.

    A report that does without the values says in `trainings` how many there were.
    """

    given: AttributeNames
    theta: Annotated[tuple[Number, ...], Meta(max_length=MOST_FEATURES)]
    values: Annotated[tuple[tuple[Number, ...], ...], Meta(max_length=MOST_SEEDS)]
    dropped: Names
    frequency: Annotated[tuple[Share, ...], Meta(max_length=MOST_FEATURES)]
    cutoff: Positive
    trainings: Count = 0


class Revealed(Stored, frozen=True, kw_only=True):
    """What one feature tells of one attribute, and of y beyond it."""

    T: Number
    T_y_given: Number
    p_value: Share | None


class FeatureView(Stored, frozen=True, kw_only=True):
    """What one feature tells without any training."""

    T_y: Number
    T_y_given_all: Number | None
    sensitive: Annotated[dict[Text, Revealed], Meta(max_length=MOST_ATTRIBUTES)]

    @property
    def strongest(self) -> float:
        """How much it tells of the attribute it tells most of."""
        return max((told.T for told in self.sensitive.values()), default=0.0)


class Path(Stored, frozen=True):
    """The features FOCI chose, in order, with T of all chosen so far."""

    names: Names
    T: Annotated[tuple[Number, ...], Meta(max_length=MOST_FEATURES)]


class ExactViews(Stored, frozen=True):
    """Coefficients of single features, and FOCI's paths for y and every attribute."""

    rows: Count
    columns: Annotated[dict[Text, FeatureView], Meta(max_length=MOST_FEATURES)]
    paths: Annotated[dict[Text, Path], Meta(max_length=MOST_ATTRIBUTES + 1)]


class FeatureResult(Stored, frozen=True, kw_only=True):
    """What is known of single features."""

    names: Names
    labels: Names
    conditions: Annotated[tuple[Condition, ...], Meta(max_length=MOST_ATTRIBUTES + 2)]
    only_together: Names
    exact: ExactViews | None

    @property
    def meanings(self) -> dict[str, str]:
        """What each feature means, by its name."""
        return dict(zip(self.names, self.labels, strict=True))


class Provenance(Stored, frozen=True, kw_only=True):
    """Where the data come from, and what computed the numbers."""

    sha256: Text
    rows: Count
    real: bool
    name: Text
    title: Text
    source: Text
    licence: Text
    citation: Text
    notes: Annotated[tuple[Text, ...], Meta(max_length=1000)]
    versions: Annotated[dict[Text, Text], Meta(max_length=1000)]
    device: Text
    seconds: Positive


class Label(Stored, frozen=True):
    """The outcome that is predicted."""

    name: Text
    classes: Annotated[tuple[Text, ...], Meta(min_length=2, max_length=MOST_LEVELS)]


class Group(Stored, frozen=True):
    """People of one group; `label_rate` is None where the outcome has more than two classes."""

    rows: People
    label_rate: Share | None


class PaperPair(Stored, frozen=True):
    """The paper's test accuracies in per cent."""

    y: Positive
    sensitive: Positive


class PaperAccuracy(Stored, frozen=True):
    """What the paper reports for one attribute, by method."""

    attribute: Text
    methods: Annotated[dict[Text, PaperPair], Meta(max_length=MOST_METHODS)]


class PaperDropped(Stored, frozen=True, kw_only=True, omit_defaults=True):
    """What the paper dropped given some attributes: the names, or how many."""

    given: AttributeNames
    names: Names = ()
    count: Count = 0
    of: Count = 0
    more_than_unconditioned: Count = 0


class PaperFigures(Stored, frozen=True, kw_only=True, omit_defaults=True):
    """The paper's figures for these data; empty where it has none."""

    accuracy: PaperAccuracy | None = None
    dropped: Annotated[tuple[PaperDropped, ...], Meta(max_length=MOST_ATTRIBUTES)] = ()


Cost = Literal[
    "reference",
    "as well",
    "less well",
    "better",
    "no clear difference",
    "no better than the commonest class",
    "one seed",
    "nothing to compare with",
]
Selected = Literal["too few people", "everybody selected", "nobody selected", "within chance", "beyond chance"]
Answer = Literal["too few people", "worse than chance", "guessable", "guessable by its order alone", "not detected"]


class MethodFinding(Stored, frozen=True, kw_only=True):
    """How well a method predicts y against the data as they are, and whether only the linear probe finds it quiet.

    `difference` is that of y's accuracy; None for the data themselves and where they were not audited.
    """

    y: Cost
    difference: Difference | None
    only_linear_is_quiet: bool


class PlaceFinding(Stored, frozen=True, kw_only=True):
    """One attribute in one place: which method stands for the data as they are and what is found there, which method
    to speak of beside it, and what each method costs.
    """

    reference: Text
    answer: Answer
    best: Text | None
    methods: Annotated[dict[Text, MethodFinding], Meta(max_length=MOST_METHODS)]


class SelectionGap(Stored, frozen=True, kw_only=True):
    """How much more often one group is selected than another, under the method that stands for the data.

    None where too few people were seen; `limit` is what shuffled groups of the same sizes give. Where everybody or
    nobody is selected there is no verdict, and where the gap is zero no higher and no lower group.
    """

    answer: Selected
    value: Share | None
    low: Share | None
    high: Share | None
    highest: Text | None
    lowest: Text | None
    limit: Share | None
    beyond_chance: bool | None


class Sureness(Stored, frozen=True, kw_only=True):
    """How sure the findings are: the most seeds and tested people of a method, the widest interval of y's accuracy,
    how many verdicts were given and how many of them chance alone makes "guessable", and the AUC that a probe had to
    reach to be noticed where nothing was detected.
    """

    seeds: Count
    tested: Count
    widest: Positive
    verdicts: Count
    false_alarms: Positive
    noticed_from: Share | None


class Findings(Stored, frozen=True, kw_only=True):
    """The conclusions of an audit, which all of its words are taken from.

    `reference` stands for the data as they are, `chosen` is the method to speak of beside it; both are None where no
    method finished. Which features are dropped stands with their weights. `rules` goes up when the same numbers come
    to mean something else: findings of earlier rules are worked out anew.
    """

    rules: Literal[2] = 2
    reference: Text | None = None
    chosen: Text | None = None
    guessed: Annotated[dict[Text, dict[Place, PlaceFinding]], Meta(max_length=MOST_ATTRIBUTES)] = field(
        default_factory=dict
    )
    selection: Annotated[dict[Text, SelectionGap], Meta(max_length=MOST_ATTRIBUTES)] = field(default_factory=dict)
    sureness: Sureness | None = None


class AuditResult(Result, frozen=True, kw_only=True, omit_defaults=True):
    """Everything a fairness audit found.

    `left_out` names what a shortened one, inside a report, does without.
    """

    schema: Literal[1]
    id: Text
    study: Literal["audit"]
    spec: AuditSpec
    provenance: Provenance
    label: Label
    groups: Annotated[
        dict[Text, Annotated[dict[Text, Group], Meta(min_length=1, max_length=MOST_LEVELS)]],
        Meta(min_length=1, max_length=MOST_ATTRIBUTES),
    ]
    methods: Annotated[tuple[MethodResult, ...], Meta(max_length=MOST_METHODS)]
    curve: Annotated[
        dict[Text, Annotated[tuple[CurvePoint, ...], Meta(max_length=1000)]], Meta(max_length=MOST_METHODS)
    ]
    features: FeatureResult
    paper: PaperFigures
    failures: Annotated[dict[Text, Text], Meta(max_length=1_000_000)]
    findings: Findings = Findings()
    left_out: Annotated[tuple[Text, ...], Meta(max_length=100)] = ()

    def method(self, name: str) -> MethodResult:
        """One method by its name."""
        return next(one for one in self.methods if one.name == name)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the sensitive attributes."""
        return tuple(self.groups)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where leakage was measured for at least one method, the representation first."""
        found = {place for _, _, place, _ in self.measured()}
        return tuple(place for place in PLACES if place in found)

    @property
    def test_share(self) -> float:
        """What the spread over splits is widened by."""
        return overlap_of_splits(self.spec.settings, rows=self.provenance.rows, splits=len(self.spec.seeds))

    def measured(self) -> Iterator[tuple[MethodResult, str, Place, Guessed]]:
        """Every method with what can be guessed of each attribute in each place."""
        for one in self.methods:
            for attribute, places in one.leakage.by_attribute.items():
                for place, found in places.items():
                    yield one, attribute, place, found
