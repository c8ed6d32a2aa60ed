"""Keys: private to their owner, never written over, known by a fingerprint, refused in a sentence where damaged."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from diffoci.__main__ import main
from diffoci.signing.keys import make_key, public_file, read_private_key, read_public_key


def test_a_key_is_a_private_file_for_its_owner_alone_and_a_public_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ann.key"
    before = os.umask(0)
    try:
        assert main(["keys", "make", "--name", "Ann, audit office", "--out", str(path)]) == 0
    finally:
        os.umask(before)
    made = capsys.readouterr().out
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"PRIVATE" not in public_file(path).read_bytes()
    fingerprint = read_public_key(public_file(path)).fingerprint
    assert len(fingerprint.replace(" ", "")) == 32
    for file in (path, public_file(path)):
        assert main(["keys", "show", str(file)]) == 0
        assert capsys.readouterr().out == f"Ann, audit office\nfingerprint {fingerprint}\n"
    assert fingerprint in made


@pytest.mark.parametrize("there", ["ann.key", "ann.key.pub"])
def test_a_key_that_is_there_is_never_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], there: str
) -> None:
    (tmp_path / there).write_text("precious")
    assert main(["keys", "make", "--name", "Ann", "--out", str(tmp_path / "ann.key")]) == 2
    assert "is there already; nothing was written" in capsys.readouterr().err
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(there, "precious")]


@pytest.mark.parametrize("name", ["", " ", "Ann ", "a\nb", "x" * 101, "Ann\x1b[2J", "\u202eAnn"])
def test_a_name_that_cannot_be_shown_on_a_line_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="1 to 100 letters on one line"):
        make_key(tmp_path / "a.key", name)
    assert not list(tmp_path.iterdir())


def test_a_private_key_that_others_can_read_does_not_sign(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    make_key(path, "Ann")
    path.chmod(0o640)
    with pytest.raises(ValueError, match="Others can read the private key"):
        read_private_key(path)


def test_a_public_key_does_not_sign(tmp_path: Path) -> None:
    make_key(tmp_path / "a.key", "Ann")
    with pytest.raises(ValueError, match="is a public key, which cannot sign"):
        read_private_key(tmp_path / "a.key.pub")


# Keys of other kinds, as other programs write them.
OTHER = (
    "Name: Ann\n-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEAY5z4sF1pB9sUSVnS2CQ3cWJmJ3lVx3G0x4N8lGm0Tlk=\n"
    "-----END PUBLIC KEY-----\n"  # X25519, which cannot sign
)


@pytest.mark.parametrize(
    "content", [b"", b"Name: Ann\n", b"\xff\xfe\x00", b"Name: Ann\n-----BEGIN PUBLIC KEY-----\n?\n", OTHER.encode()]
)
def test_a_file_that_is_no_key_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (tmp_path / "a.key").write_bytes(content)
    assert main(["keys", "show", str(tmp_path / "a.key")]) == 2
    assert "is not a key of diffoci, or it is damaged" in capsys.readouterr().err
    assert main(["keys", "show", str(tmp_path / "none.key")]) == 2
    assert "There is no key file" in capsys.readouterr().err


def test_two_keys_of_one_name_have_different_fingerprints(tmp_path: Path) -> None:
    assert len({make_key(tmp_path / f"{k}.key", "Ann").fingerprint for k in range(2)}) == 2


WORDS = "seven quiet herons"


@pytest.fixture
def protected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a key with a passphrase that stands in a file."""
    file = tmp_path / "passphrase"
    file.write_text(f"{WORDS}\n")
    file.chmod(0o600)
    monkeypatch.setenv("DIFFOCI_SIGNING_PASSPHRASE_FILE", str(file))
    assert main(["keys", "make", "--name", "Ann", "--out", str(tmp_path / "a.key"), "--passphrase"]) == 0
    return tmp_path / "a.key"


def test_a_key_with_a_passphrase_signs_for_whoever_knows_it_alone(
    protected: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = read_public_key(public_file(protected))
    assert public.made(read_private_key(protected).sign(b"a report"), b"a report")
    monkeypatch.delenv("DIFFOCI_SIGNING_PASSPHRASE_FILE")
    assert read_private_key(protected, ask=lambda: WORDS).public == public
    with pytest.raises(ValueError, match="This is not the passphrase"):
        read_private_key(protected, ask=lambda: WORDS.upper())
    with pytest.raises(
        ValueError, match="has a passphrase; write it into a file and name that in DIFFOCI_SIGNING_PASS"
    ):
        read_private_key(protected)
    assert b"BEGIN ENCRYPTED PRIVATE KEY" in protected.read_bytes()


def test_a_key_whose_salt_was_changed_is_refused_in_a_sentence(protected: Path) -> None:
    text = protected.read_bytes()
    begins = text.index(b"Salt: ") + len(b"Salt: ")
    for salt in (b"0" * 32, b"zz", b""):
        protected.write_bytes(text[:begins] + salt + text[begins + 32 :])
        with pytest.raises(ValueError, match=r"This is not the passphrase .* or the file is damaged"):
            read_private_key(protected)


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (b"seven quiet herons", 0o644, "Others can read the passphrase"),
        (b"", 0o600, "is no passphrase"),
        (b"\xff\xfe", 0o600, "is no passphrase"),
        (b"short", 0o600, "at least 12 letters"),
    ],
)
def test_a_passphrase_that_cannot_be_used_makes_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    content: bytes, mode: int, said: str,
) -> None:  # fmt: skip
    file = tmp_path / "passphrase"
    file.write_bytes(content)
    file.chmod(mode)
    monkeypatch.setenv("DIFFOCI_SIGNING_PASSPHRASE_FILE", str(file))
    assert main(["keys", "make", "--name", "Ann", "--out", str(tmp_path / "a.key"), "--passphrase"]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [file]
