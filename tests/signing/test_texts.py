"""Signed texts: every byte counts, the signature's own included."""

from __future__ import annotations

from pathlib import Path

import pytest

from diffoci.signing.keys import PrivateKey, make_key, read_private_key
from diffoci.signing.signature import MARK, check_signer
from diffoci.signing.texts import signed_text, unsigned_text

TEXT = "# Card\n\nÄ text of two lines.\n"


@pytest.fixture
def ann(tmp_path: Path) -> PrivateKey:
    make_key(tmp_path / "ann.key", "Ann -->")  # which would end the comment that holds it
    return read_private_key(tmp_path / "ann.key")


@pytest.fixture
def eve(tmp_path: Path) -> PrivateKey:
    make_key(tmp_path / "eve.key", "Ann -->")
    return read_private_key(tmp_path / "eve.key")


def test_a_signed_text_says_who_signed_it_and_gives_the_text_back(ann: PrivateKey) -> None:
    signed = signed_text(TEXT, ann)
    assert unsigned_text(signed) == (TEXT, ann.public)
    assert signed.startswith(TEXT)
    assert signed.count("-->") == 1
    assert signed_text(TEXT, ann) == signed


def test_without_a_key_a_text_stays_as_it_is() -> None:
    assert signed_text(TEXT, None) == TEXT
    assert unsigned_text(TEXT) == (TEXT, None)


def test_every_changed_byte_is_refused(ann: PrivateKey) -> None:
    signed = signed_text(TEXT, ann).encode()
    for k in range(len(signed)):
        for other in {signed[k] ^ 1, ord("A")} - {signed[k]}:
            changed = (signed[:k] + bytes([other]) + signed[k + 1 :]).decode("utf-8", "replace")
            with pytest.raises(ValueError, match=r"\.$"):
                check_signer(unsigned_text(changed)[1], ann.public)


@pytest.mark.parametrize("more", ["x", "\n", "<p>more</p> -->\n", " "])
def test_what_is_added_after_the_signature_is_found(ann: PrivateKey, more: str) -> None:
    with pytest.raises(ValueError, match=r"added to this file|is damaged"):
        unsigned_text(signed_text(TEXT, ann) + more)


def test_a_signature_of_another_text_is_refused(ann: PrivateKey) -> None:
    signature = signed_text("another", ann).removeprefix("another")
    with pytest.raises(ValueError, match="changed since, or the signature is that of another file"):
        unsigned_text(TEXT + signature)


def test_a_signature_under_somebody_elses_key_is_false(ann: PrivateKey, eve: PrivateKey) -> None:
    signed, forged = signed_text(TEXT, ann), signed_text(TEXT, eve)
    keys = [text.split('"public":"')[1].split('"')[0] for text in (signed, forged)]
    with pytest.raises(ValueError, match="was not made with the key it names"):
        unsigned_text(forged.replace(keys[1], keys[0]))


def test_a_stripped_signature_and_another_key_are_refused_where_one_is_demanded(
    ann: PrivateKey, eve: PrivateKey
) -> None:
    check_signer(unsigned_text(signed_text(TEXT, ann))[1], ann.public)
    with pytest.raises(ValueError, match="is not signed, and the signature of"):
        check_signer(unsigned_text(TEXT)[1], ann.public)
    with pytest.raises(ValueError, match="is demanded"):
        check_signer(unsigned_text(signed_text(TEXT, eve))[1], ann.public)


def test_a_text_signed_twice_is_the_second_signers_with_the_first_signature_in_it(
    ann: PrivateKey, eve: PrivateKey
) -> None:
    text, signer = unsigned_text(signed_text(signed_text(TEXT, ann), eve))
    assert signer == eve.public
    assert MARK in text  # which no report has: verify finds it
