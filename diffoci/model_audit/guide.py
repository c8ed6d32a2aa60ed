"""The guide: a few questions about what a decision means, and which criteria matter for the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from diffoci.model_audit.result import CriterionName


@dataclass(frozen=True)
class Choice:
    """One answer to a question: the criteria that it makes matter, and why."""

    text: str
    criteria: tuple[CriterionName, ...]
    why: str


@dataclass(frozen=True)
class Question:
    """A question with its answers, by name."""

    name: str
    text: str
    choices: Mapping[str, Choice]


@dataclass(frozen=True)
class Advice:
    """A criterion that matters for the answers, and why."""

    criterion: CriterionName
    why: str


QUESTIONS: tuple[Question, ...] = (
    Question(
        "mistake",
        "Which mistake costs people more?",
        {
            "selected": Choice(
                "being selected wrongly (a punishment, a check, a refusal)",
                ("separation",),
                "People who did nothing should be wrongly selected equally often: compare false positive rates.",
            ),
            "passed over": Choice(
                "being passed over wrongly (a loan, a job, a treatment)",
                ("separation",),
                "People who deserve it should be passed over equally often: compare false negative rates.",
            ),
            "both": Choice(
                "both alike", ("separation",), "Both kinds of mistake should be equally common in all groups."
            ),
        },
    ),
    Question(
        "label",
        "Can the outcome be trusted?",
        {
            "yes": Choice(
                "yes: it records what happened, equally well for all",
                ("separation", "sufficiency"),
                "What happened is recorded alike for all, so mistakes can be counted by it.",
            ),
            "no": Choice(
                "no: it records a judgement, or some people are watched more closely",
                ("independence",),
                "Criteria that use the outcome repeat its errors; independence does not use it.",
            ),
        },
    ),
    Question(
        "factors",
        "Are there factors that justify a difference?",
        {
            "yes": Choice(
                "yes, and they are in the table",
                ("given_factors",),
                "Compare people who are alike in these factors, and ask who decides about the factors.",
            ),
            "no": Choice("no", ("independence",), "Then groups should be selected equally often."),
        },
    ),
    Question(
        "use",
        "How is the score used?",
        {
            "threshold": Choice(
                "people who reach a threshold are selected",
                (),
                "Look at the rates at your threshold, and at the ceiling.",
            ),
            "number": Choice(
                "people read the number itself",
                ("sufficiency",),
                "Whoever reads a score takes it to mean the same for everybody.",
            ),
        },
    ),
)


def check_answers(answers: Mapping[str, str]) -> None:
    """Refuse, in a sentence, answers to questions that are not asked, and answers that cannot be given."""
    known = {question.name: question for question in QUESTIONS}
    for name, answer in answers.items():
        if name not in known:
            raise ValueError(f"'{name}' is not a question of the guide; questions are {', '.join(known)}.")
        if answer not in known[name].choices:
            raise ValueError(f"'{answer}' is no answer to '{name}'; choose from {', '.join(known[name].choices)}.")


def advice(answers: Mapping[str, str]) -> tuple[Advice, ...]:
    """Which criteria matter for these answers, each with its first reason.

    >>> [one.criterion for one in advice({"label": "no", "use": "number"})]
    ['independence', 'sufficiency']
    """
    found: dict[CriterionName, str] = {}
    for question in QUESTIONS:
        choice = question.choices.get(answers.get(question.name, ""))
        for criterion in () if choice is None else choice.criteria:
            found.setdefault(criterion, "" if choice is None else choice.why)
    return tuple(Advice(criterion, why) for criterion, why in found.items())
