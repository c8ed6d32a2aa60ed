"""Signed zip files: opened like others, refused for one changed byte, and by whom they were signed is said."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest

from diffoci.__main__ import main
from diffoci.runs.sharing import check_shared, open_shared, pack, signer_of
from diffoci.runs.store import list_runs, runs_root
from diffoci.signing.keys import PrivateKey, make_key, read_private_key
from tests.sample_audit import sample
from tests.shared_zip import files_of, zipped


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ann", "eve"):
        make_key(folder / name, name)
    return folder


@pytest.fixture(scope="module")
def ann(keys: Path) -> PrivateKey:
    return read_private_key(keys / "ann")


@pytest.fixture(scope="module")
def unsigned() -> bytes:
    return pack(sample())


@pytest.fixture(scope="module")
def signed(ann: PrivateKey) -> bytes:
    return pack(sample(), key=ann)


def test_a_signed_zip_is_opened_like_another(signed: bytes, unsigned: bytes, ann: PrivateKey) -> None:
    assert signer_of(io.BytesIO(signed)) == ann.public
    assert signer_of(io.BytesIO(unsigned)) is None
    assert files_of(signed) == files_of(unsigned)
    assert zipfile.ZipFile(io.BytesIO(signed)).testzip() is None  # to other programs it is an ordinary one
    run = open_shared(io.BytesIO(signed))
    assert run.result() == sample().result()


def test_without_a_key_a_zip_has_the_same_bytes_as_before(signed: bytes, unsigned: bytes) -> None:
    comment = zipfile.ZipFile(io.BytesIO(signed)).comment
    assert signed == unsigned[:-2] + len(comment).to_bytes(2, "little") + comment
    assert b"diffoci signature" not in unsigned


def test_a_changed_byte_anywhere_is_refused(signed: bytes) -> None:
    """A hundred places, and every byte of the end, the signature included."""
    size = len(signed)
    end = size - len(zipfile.ZipFile(io.BytesIO(signed)).comment) - 22
    places = [*random.Random(0).sample(range(size), 100), *range(10, 14), *range(end, size)]
    for place in places:  # 10 to 13: time and date of the first file, which no digest of the manifest covers
        changed = io.BytesIO(signed[:place] + bytes([signed[place] ^ 1]) + signed[place + 1 :])
        with pytest.raises(ValueError, match=r"\.$"):
            check_shared(changed)


def test_a_changed_file_whose_digest_was_mended_is_refused(signed: bytes) -> None:
    """What the manifest cannot find: the forger writes a zip of their own and keeps the signature."""
    files = files_of(signed)
    files["result.json"] = files["result.json"].replace(b'"seconds": ', b'"seconds": 1', 1)
    comment = zipfile.ZipFile(io.BytesIO(signed)).comment
    buffer = io.BytesIO(zipped(files))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = comment
    with pytest.raises(ValueError, match="was changed since, or the signature is that of another file"):
        open_shared(buffer)
    assert not list_runs()
    assert not any(path.is_file() for path in runs_root().rglob("*"))


def test_a_comment_that_is_no_signature_is_refused_as_before(unsigned: bytes) -> None:
    buffer = io.BytesIO(unsigned)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = b"hello"
    with pytest.raises(ValueError, match="not a zip file of a run"):
        open_shared(buffer)


def test_the_commands_demand_a_key(
    signed: bytes, unsigned: bytes, keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, plain = tmp_path / "signed.zip", tmp_path / "plain.zip"
    file.write_bytes(signed)
    plain.write_bytes(unsigned)
    for command in ("verify", "open"):
        assert main([command, str(file), "--key", str(keys / "eve.pub")]) == 2
        assert "is demanded" in capsys.readouterr().err
        assert main([command, str(plain), "--key", str(keys / "ann.pub")]) == 2
        assert "This file is not signed" in capsys.readouterr().err
        assert not list_runs()
    assert main(["open", str(file), "--key", str(keys / "ann.pub")]) == 0
    assert "signed by “ann”" in capsys.readouterr().out
    assert main(["verify", str(plain)]) == 0
    assert "It is not signed: nothing says who made it." in capsys.readouterr().out
