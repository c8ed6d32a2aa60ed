"""Signed reports and cards: verify says who signed them, and that nothing was changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from diffoci.__main__ import main
from diffoci.audit.result import AuditResult
from diffoci.report.build import build_report
from diffoci.report.model_card import model_card
from diffoci.report.taken_away import card_file, report_file
from diffoci.signing.keys import PrivateKey, make_key, read_private_key
from diffoci.signing.texts import signed_text, unsigned_text
from tests.sample_audit import sample

NAME = "Ann <b>of</b> the audit office"
Verify = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for file in ("ann.key", "eve.key"):
        make_key(folder / file, NAME)
    return folder


@pytest.fixture(scope="module")
def ann(keys: Path) -> PrivateKey:
    return read_private_key(keys / "ann.key")


@pytest.fixture(scope="module")
def eve(keys: Path) -> PrivateKey:
    return read_private_key(keys / "eve.key")


@pytest.fixture(scope="module")
def signed(result: AuditResult, ann: PrivateKey) -> str:
    return report_file(result, created=1.7e9, key=ann).decode()


@pytest.fixture
def verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Verify:
    def run(content: str | bytes, *words: str) -> tuple[int, str]:
        path = tmp_path / "file"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        code = main(["verify", str(path), *words])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


def test_verify_says_who_signed_a_report_and_that_nothing_was_changed(
    signed: str, keys: Path, ann: PrivateKey, verify: Verify
) -> None:
    code, said = verify(signed)
    assert code == 0
    assert f"signed by “{NAME}”, key {ann.public.fingerprint}: compare the fingerprint" in said
    assert said.endswith("Every number agrees. Nothing was changed since it was signed.\n")
    code, said = verify(signed, "--key", str(keys / "ann.key.pub"))
    assert code == 0
    assert "the key demanded" in said


def test_a_report_shows_its_signer_and_the_fingerprint(signed: str, ann: PrivateKey) -> None:
    visible = re.sub(r"<script.*?</script>|<!--.*?-->", "", signed, flags=re.DOTALL)
    assert ann.public.fingerprint in visible
    assert "Ann &lt;b&gt;of&lt;/b&gt; the audit office" in visible
    assert "<b>of" not in visible


def test_without_a_key_reports_and_cards_have_the_same_bytes_as_before(
    result: AuditResult, report: str, signed: str
) -> None:
    assert report_file(result, created=1.7e9).decode() == report
    assert "Who signed it" not in report
    assert "diffoci signature" not in report
    text, _ = unsigned_text(signed)
    added = re.compile(r"<h3>Who signed it</h3>.*?(?=<h3>Cite</h3>)", re.DOTALL)
    assert added.sub("", text) == report  # a signature adds these sentences and nothing else
    assert b"Signed by" not in card_file(result, None, kind="md")


def test_a_report_whose_every_number_is_right_is_refused_for_one_changed_byte(signed: str, verify: Verify) -> None:
    code, said = verify(signed.replace("line-height: 1.5;", "line-height: 1.6;", 1))
    assert code == 2
    assert "it was changed since, or the signature is that of another file" in said


def test_a_swapped_signature_is_refused(signed: str, result: AuditResult, ann: PrivateKey, verify: Verify) -> None:
    other = report_file(result, created=1.6e9, key=ann).decode()
    text, _ = unsigned_text(signed)
    signature = other.removeprefix(unsigned_text(other)[0])
    code, said = verify(text + signature)
    assert code == 2
    assert "the signature is that of another file" in said


def test_a_report_signed_with_another_key_of_the_same_name_is_refused_where_one_is_demanded(
    result: AuditResult, keys: Path, ann: PrivateKey, eve: PrivateKey, verify: Verify
) -> None:
    forged = report_file(result, created=1.7e9, key=eve)
    code, said = verify(forged, "--key", str(keys / "ann.key.pub"))
    assert code == 2
    assert f"signed by “{NAME}”, key {eve.public.fingerprint}, and the signature of" in said
    assert ann.public.fingerprint in said


def test_a_report_that_shows_one_signer_and_was_signed_by_another_is_refused(
    result: AuditResult, ann: PrivateKey, eve: PrivateKey, verify: Verify
) -> None:
    """Eve signs, with her own key, a report that shows Ann's fingerprint."""
    forged = signed_text(build_report(result, created=1.7e9, signer=ann.public), eve)
    code, said = verify(forged)
    assert code == 2
    assert "DIFFER" in said
    assert ann.public.fingerprint in said


def test_a_stripped_signature_is_found(signed: str, report: str, keys: Path, verify: Verify) -> None:
    text, _ = unsigned_text(signed)
    code, said = verify(text)
    assert code == 2  # what is left says that it was signed
    assert "Who signed it" in said
    code, said = verify(report, "--key", str(keys / "ann.key.pub"))  # the sentence taken out as well
    assert code == 2
    assert "This file is not signed, and the signature of" in said


@pytest.mark.parametrize("kind", ["md", "html"])
def test_a_signed_card_is_checked_by_its_signature_alone(
    result: AuditResult, keys: Path, ann: PrivateKey, verify: Verify, kind: str
) -> None:
    card = card_file(result, "dF3", kind=kind, key=ann)  # type: ignore[arg-type]
    assert ann.public.fingerprint in unsigned_text(card.decode())[0]
    code, said = verify(card, "--key", str(keys / "ann.key.pub"))
    assert code == 0
    assert "only the signature was checked. Nothing was changed since it was signed." in said
    assert verify(card.replace(b"Model card", b"Model cart", 1))[0] == 2
    assert verify(unsigned_text(card.decode())[0], "--key", str(keys / "ann.key.pub"))[0] == 2


def test_a_card_shows_its_signer(result: AuditResult, ann: PrivateKey) -> None:
    facts = next(model_card(result, "dF3", signer=ann.public).sections[0].tables()).frame
    assert facts.set_index("What")["Value"]["Fingerprint of the key"] == ann.public.fingerprint


def test_commands_sign_what_they_write(keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, key, public = str(sample().folder), str(keys / "ann.key"), str(keys / "ann.key.pub")
    for command, out in (("report", "r.html"), ("card", "c.md"), ("card", "c.html"), ("share", "s.zip")):
        file = str(tmp_path / out)
        assert main([command, run, "--out", file, "--sign", key]) == 0, capsys.readouterr().err
        assert main(["verify", file, "--key", public]) == 0, capsys.readouterr().err
        assert "Nothing was changed since it was signed." in capsys.readouterr().out
        assert main(["verify", file, "--key", str(keys / "eve.key.pub")]) == 2
        capsys.readouterr()
    assert main(["report", run, "--out", str(tmp_path / "x.html"), "--sign", public]) == 2
    assert "cannot sign" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()
