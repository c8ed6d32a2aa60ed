"""Files arrive whole and verified, or the message says what to do by hand."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from diffoci.data import bank, student
from diffoci.data.acs._person_files import person_file
from diffoci.data.fetching import _download as download
from diffoci.data.fetching._download import Patience
from diffoci.data.fetching.files import DataUnavailable, RemoteFile, accept, fetch, locate, sha256_of
from diffoci.data.sources import load
from tests.data.conftest import Server, cut, trickle

CONTENT = b"a,b\n" + b"1,2\n" * 5000
HURRIED = Patience(timeout=2.0, attempts=2, pause=0.01, window=0.3)


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def published(**changes: object) -> RemoteFile:
    known = {
        "name": "table.csv",
        "folder": "things",
        "address": "https://publisher.example/static/my+things.zip",
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
    }
    return RemoteFile(**{**known, **changes})  # type: ignore[arg-type]


def left_behind(cache: Path) -> list[str]:
    return [path.name for path in cache.rglob("*") if path.is_file() and not path.name.endswith(".lock")]


def sentence(file: RemoteFile, cache: Path, reason: str) -> str:
    return (
        f"Could not get table.csv from {file.address}: {reason}. Download my+things.zip from that address by"
        f" other means and put it, as it is or unpacked, in the folder {cache / 'things'}."
    )


def test_a_zip_is_downloaded_unpacked_and_kept(server: Server, cache: Path) -> None:
    server.serve("/static/my+things.zip", zipped({"folder/table.csv": CONTENT}))
    seen: list[tuple[int, int | None]] = []
    local = fetch(published(), patience=HURRIED, progress=lambda *step: seen.append(step))
    assert local.path == cache / "things" / "table.csv"
    assert local.path.read_bytes() == CONTENT
    assert local.notes == ()
    assert seen
    assert seen[-1][0] == seen[-1][1]
    fetch(published())
    assert server.asked == ["/static/my+things.zip"]


def test_a_zip_inside_a_zip_is_opened(server: Server) -> None:
    server.serve("/static/my+things.zip", zipped({"inner.zip": zipped({"table.csv": CONTENT})}))
    assert fetch(published(), patience=HURRIED).path.read_bytes() == CONTENT


def test_a_file_that_stays_packed_is_kept_packed(server: Server, cache: Path) -> None:
    server.serve("/static/my+things.zip", zipped({"table.csv": CONTENT}))
    local = fetch(published(sha256=None, unpack=False), patience=HURRIED)
    assert local.path == cache / "things" / "my+things.zip"


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        (lambda server, path: None, "the server answered 404 Not Found"),
        (
            lambda server, path: server.answers.update({path: cut(zipped({"table.csv": CONTENT}))}),
            "the connection was cut after 10,060 of 20,120 bytes",
        ),
        (
            lambda server, path: server.serve(path, b"<!DOCTYPE html><html>Sorry</html>"),
            "a web page came instead of a zip file",
        ),
        (
            lambda server, path: server.serve(path, zipped({"table.csv": CONTENT})[:-30]),
            "what came is not a whole zip file",
        ),
        (
            lambda server, path: server.serve(path, zipped({"other.csv": CONTENT})),
            "my+things.zip holds no file called table.csv",
        ),
        (
            lambda server, path: server.answers.update({path: trickle(CONTENT)}),
            "the server sent fewer than 1,024 bytes a second",
        ),
    ],
    ids=["404", "cut connection", "web page", "damaged zip", "wrong zip", "slow trickle"],
)
def test_a_failed_download_names_address_file_and_folder_and_leaves_nothing(
    server: Server, cache: Path, prepare: Callable[[Server, str], None], reason: str
) -> None:
    prepare(server, "/static/my+things.zip")
    with pytest.raises(DataUnavailable) as caught:
        fetch(published(), patience=HURRIED)
    assert str(caught.value) == sentence(published(), cache, reason)
    assert left_behind(cache) == []


def test_a_wrong_checksum_is_refused_and_not_kept(server: Server, cache: Path) -> None:
    server.serve("/static/my+things.zip", zipped({"table.csv": b"altered"}))
    with pytest.raises(DataUnavailable) as caught:
        fetch(published(), patience=HURRIED)
    found, expected = hashlib.sha256(b"altered").hexdigest(), published().sha256
    reason = f"what came is not the original (sha256 {found[:12]}…, expected {str(expected)[:12]}…) and was not kept"
    assert str(caught.value) == sentence(published(), cache, reason)
    assert left_behind(cache) == []


def test_a_silent_server_is_given_up(server: Server, cache: Path) -> None:
    server.serve("/static/my+things.zip", CONTENT, after=1.0)
    with pytest.raises(DataUnavailable) as caught:
        fetch(published(), patience=Patience(timeout=0.2, attempts=1))
    assert str(caught.value) == sentence(published(), cache, "the server was silent for 0.2 seconds")


def test_a_cut_connection_is_tried_again(server: Server) -> None:
    body = zipped({"table.csv": CONTENT})
    answers = iter([cut(body)])

    def answer(handler: object) -> None:
        first = next(answers, None)
        if first is not None:
            return first(handler)  # type: ignore[arg-type]
        server.serve("/static/my+things.zip", body)
        return server.answers["/static/my+things.zip"](handler)  # type: ignore[arg-type]

    server.answers["/static/my+things.zip"] = answer
    assert fetch(published(), patience=HURRIED).path.read_bytes() == CONTENT
    assert len(server.asked) == 2


def test_a_missing_page_is_not_asked_for_twice(server: Server) -> None:
    with pytest.raises(DataUnavailable):
        fetch(published(), patience=HURRIED)
    assert len(server.asked) == 1


def test_no_network_at_all_is_said(cache: Path, monkeypatch: pytest.MonkeyPatch, without_data: None) -> None:
    monkeypatch.setenv("DIFFOCI_MIRROR", "http://127.0.0.1:9")
    with pytest.raises(DataUnavailable) as caught:
        fetch(published(), patience=HURRIED)
    assert str(caught.value) == sentence(published(), cache, "the connection failed")


def test_a_full_disk_is_said(server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.serve("/static/my+things.zip", zipped({"table.csv": CONTENT}))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(download, "_copy", full)
    with pytest.raises(DataUnavailable, match=r"could not be written \(No space left on device\)"):
        fetch(published(), patience=HURRIED)
    assert left_behind(cache) == []


def test_two_processes_fetching_the_same_file_download_it_once(server: Server, cache: Path) -> None:
    server.serve("/static/my+things.zip", zipped({"table.csv": CONTENT}), after=0.5)
    program = (
        "from diffoci.data.fetching.files import RemoteFile, fetch\n"
        f"file = RemoteFile('table.csv', 'things', {published().address!r}, {published().sha256!r})\n"
        "print(fetch(file).path)"
    )
    both = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=60)[0].strip() for process in both] == [str(cache / "things" / "table.csv")] * 2
    assert len(server.asked) == 1
    assert left_behind(cache) == ["table.csv"]


def test_a_file_put_in_place_by_hand_is_found_packed_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_DATA", str(tmp_path / "mine"))
    folder = tmp_path / "mine" / "things"
    folder.mkdir(parents=True)
    (folder / "my+things.zip").write_bytes(zipped({"table.csv": CONTENT}))
    found = locate(published())
    assert found is not None
    assert found.path.read_bytes() == CONTENT
    (folder / "table.csv").write_bytes(CONTENT)
    found = locate(published())
    assert found is not None
    assert found.path == folder / "table.csv"


def test_an_altered_file_put_in_place_by_hand_is_used_and_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFFOCI_DATA", str(tmp_path))
    (tmp_path / "things").mkdir()
    (tmp_path / "things" / "table.csv").write_bytes(b"altered")
    assert fetch(published()).notes == (
        f"table.csv in {tmp_path / 'things'} differs from the published file (its sha256 is another).",
    )


def test_an_uploaded_archive_or_file_is_accepted(cache: Path, without_data: None) -> None:
    assert accept(published(), zipped({"x/table.csv": CONTENT})).path.read_bytes() == CONTENT
    assert accept(published(), CONTENT).path == cache / "things" / "table.csv"


def test_an_upload_of_something_else_is_refused(cache: Path, without_data: None) -> None:
    with pytest.raises(ValueError, match=re.escape("This is not my+things.zip nor table.csv: ")):
        accept(published(), b"something else")
    assert left_behind(cache) == []


def test_an_upload_that_is_no_census_file_is_refused_and_not_kept(cache: Path, without_data: None) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 the sentence is compared below
        accept(person_file("AL", 2018, "1-Year"), b"name,age\nAnn,3\n")
    assert str(caught.value) == (
        "This is not csv_pal.zip nor psam_p01.csv: what came does not read like psam_p01.csv: its first lines lack"
        " 'AGEP'."
    )
    assert left_behind(cache) == []


def test_an_archive_put_in_place_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_DATA", str(tmp_path / "mine"))
    (tmp_path / "mine" / "things").mkdir(parents=True)
    (tmp_path / "mine" / "things" / "my+things.zip").write_bytes(zipped({"table.csv": CONTENT}))
    first, second = locate(published()), locate(published())
    assert first is not None
    assert second is not None
    assert first.path == second.path
    assert len(left_behind(tmp_path)) == 2


def test_a_data_folder_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_DATA", "/nowhere/at/all")
    with pytest.raises(ValueError, match="DIFFOCI_DATA names /nowhere/at/all, which is not a folder"):
        locate(published())


def test_the_real_student_and_bank_archives_are_verified(server: Server, real_data: Path, cache: Path) -> None:
    mathematics = (real_data / "student" / "student-mat.csv").read_bytes()
    inner = zipped({"student-mat.csv": mathematics})
    server.serve("/static/public/320/student+performance.zip", zipped({"student.zip": inner}))
    calls = (real_data / "bank" / "bank-additional-full.csv").read_bytes()
    inner = zipped({"bank-additional/bank-additional-full.csv": calls})
    server.serve("/static/public/222/bank+marketing.zip", zipped({"bank-additional.zip": inner}))
    assert len(load("student")) == 395
    assert len(load("bank")) == 41_188
    assert load("student").notes == load("student").notes
    for file in (*student.files(subject="mat"), *bank.files()):
        assert sha256_of(cache / file.folder / file.name) == file.sha256


def test_a_real_acs_zip_is_read_without_unpacking(server: Server, real_data: Path, cache: Path) -> None:
    raw = (real_data / "acs" / "2017" / "1-Year" / "psam_p01.csv").read_bytes()
    path = "/programs-surveys/acs/data/pums/2017/1-Year/csv_pal.zip"
    server.serve(path, zipped({"psam_p01.csv": raw, "ACS2017_PUMS_README.pdf": b""}))
    assert len(load("acs-income", year=2017)) == 2321
    assert (cache / "acs" / "2017" / "1-Year" / "csv_pal.zip").is_file()
    assert not (cache / "acs" / "2017" / "1-Year" / person_file("AL", 2017, "1-Year").name).exists()


def test_a_failed_load_offers_the_simulated_twin(server: Server, cache: Path) -> None:
    with pytest.raises(DataUnavailable) as caught:
        load("student")
    assert str(caught.value).endswith(
        f"in the folder {cache / 'student'}. Or use its simulated twin: twin=True, on the command line --twin."
    )


def test_a_trickle_is_given_up_soon(server: Server) -> None:
    server.answers["/static/my+things.zip"] = trickle(CONTENT)
    begun = time.monotonic()
    with pytest.raises(DataUnavailable):
        fetch(published(), patience=HURRIED)
    assert time.monotonic() - begun < 5
