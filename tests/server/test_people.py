"""Who may see something: people are known by what their provider checked, and by nothing else."""

from __future__ import annotations

import pytest

from diffoci.server.people import is_welcome, owner_of


@pytest.mark.parametrize(
    ("named", "claims", "welcome"),
    [
        ("", {"sub": "7"}, True),
        ("ann@example.org", {"sub": "7", "email": "Ann@Example.org", "email_verified": True}, True),
        ("bob@example.org @example.org", {"sub": "7", "email": "ann@example.org", "email_verified": True}, True),
        ("7", {"sub": "7", "email": "ann@example.org", "email_verified": False}, True),
        ("aB7", {"sub": "aB7"}, True),
        ("aB7", {"sub": "Ab7"}, False),  # another person at this provider
        ("ab7", {"sub": "aB7"}, False),
        ("ann@example.org", {"sub": "7", "email": "ann@example.org", "email_verified": False}, False),
        ("ann@example.org", {"sub": "ann@example.org"}, False),  # people may choose what they are called
        ("ann@example.org", {"sub": "7", "email": "ann@example.org"}, False),
        ("@example.org", {"sub": "7", "email": "ann@evil-example.org", "email_verified": True}, False),
        ("@example.org", {"sub": "7", "email": "ann@example.org.evil.net", "email_verified": True}, False),
        ("@example.org", {"sub": "7"}, False),
        ("@", {"sub": "", "email": "", "email_verified": True}, False),
    ],
)
def test_people_are_known_by_what_the_provider_checked(
    monkeypatch: pytest.MonkeyPatch, named: str, claims: dict[str, object], welcome: bool
) -> None:
    monkeypatch.setenv("DIFFOCI_PEOPLE", named)
    assert is_welcome(claims) is welcome


def test_where_nobody_has_to_sign_in_everything_belongs_to_everybody() -> None:
    assert owner_of({}) == ""


def test_what_belongs_to_somebody_follows_issuer_and_subject_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diffoci.server.people.must_sign_in", lambda: True)
    ann = {"is_logged_in": True, "iss": "https://login.example", "sub": "7", "name": "Ann"}
    assert owner_of(ann) == owner_of({**ann, "name": "Anne", "email": "anne@example.org"})
    assert len({owner_of(ann), owner_of({**ann, "sub": "8"}), owner_of({**ann, "iss": "https://other.example"})}) == 3
    assert owner_of({**ann, "is_logged_in": False}) is None
    assert owner_of({**ann, "is_logged_in": "yes"}) is None
    monkeypatch.setenv("DIFFOCI_SIGN_IN", "requried")
    assert owner_of(ann) is None
