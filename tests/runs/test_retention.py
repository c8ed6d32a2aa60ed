"""How long things are kept: what an operator sets, and what people are told."""

from __future__ import annotations

import time

import pytest

from diffoci.runs.retention import AUDITS, CACHES, DRAFTS, LIMITS, UPLOADS, Limit, seconds_of

DAY = 86_400


def test_uploads_are_kept_for_30_days_unless_the_operator_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [limit.days for limit in (UPLOADS, DRAFTS, AUDITS, CACHES)] == [30, 28, 365, 180]
    assert not UPLOADS.is_over(time.time() - 29 * DAY)
    assert UPLOADS.is_over(time.time() - 31 * DAY)
    monkeypatch.setenv("DIFFOCI_UPLOAD_DAYS", "7")
    assert UPLOADS.is_over(time.time() - 8 * DAY)
    assert UPLOADS.sentence == "Uploaded files are deleted after 7 days."
    monkeypatch.setenv("DIFFOCI_UPLOAD_DAYS", "1")
    assert UPLOADS.sentence == "Uploaded files are deleted after 1 day."
    assert AUDITS.sentence == "Audits are deleted 365 days after they were last worked on."


def test_things_can_be_kept_until_somebody_deletes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_AUDIT_DAYS", "none")
    assert not AUDITS.is_over(0.0)
    assert AUDITS.sentence == "Audits are kept until somebody deletes them."


@pytest.mark.parametrize("text", ["0", "-3", "30d", "1.5", "forever", "99999", "٣٠"])
@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_that_cannot_be_is_said_and_the_usual_one_holds(
    monkeypatch: pytest.MonkeyPatch, limit: Limit, text: str
) -> None:
    assert limit.problem is None
    monkeypatch.setenv(limit.variable, text)
    assert limit.days == limit.otherwise
    assert limit.problem is not None
    assert limit.variable in limit.problem


@pytest.mark.parametrize("text", ["", "30", "d", "30 days", "-1d", "1.5d", "30D", "٣d", "30d; rm"])
def test_an_age_that_is_none_gets_one_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not an age; give hours, days or weeks, such as 12h, 30d or 8w\.$"):
        seconds_of(text)
