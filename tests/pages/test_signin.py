"""Where sign-in was meant and is not set up whole, every page is closed; where it is, nothing is read before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from pathlib import Path

import pytest
from streamlit import config
from streamlit.runtime.secrets import secrets_singleton

from diffoci.runs.store import Run
from diffoci.ui.links import PAGES
from diffoci.ui.runs import own_runs
from tests.pages.conftest import ROOT, Open, finished, shown

EVERY_PAGE = [page.path for page in PAGES if (ROOT / page.path).exists()]
WHOLE = {
    "redirect_uri": "http://127.0.0.1/oauth2callback",
    "cookie_secret": "x" * 40,
    "client_id": "diffoci",
    "client_secret": "secret",
    "server_metadata_url": "http://127.0.0.1:1/none",
}
SecretsAt = Callable[[Path], None]


@pytest.fixture
def secrets_at() -> Iterator[SecretsAt]:
    """Tell the server where its secrets lie, as a setting by hand."""
    before, where = config.get_option("secrets.files"), config.get_where_defined("secrets.files")

    def lie(path: Path) -> None:
        secrets_singleton._reset()
        config.set_option("secrets.files", [str(path)])

    yield lie
    secrets_singleton._reset()
    config.set_option("secrets.files", before, where)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every audit that is opened or listed."""
    seen: list[str] = []
    for name in ("list_runs", "run_with_id"):
        monkeypatch.setattr(own_runs, name, lambda *_, name=name: seen.append(name))
    monkeypatch.setattr(Run, "open", lambda folder: seen.append(str(folder)))
    return seen


def written(folder: Path, section: str, entries: dict[str, str]) -> Path:
    path = folder / "secrets.toml"
    path.write_text(f"[{section}]\n" + "".join(f'{name} = "{value}"\n' for name, value in entries.items()))
    return path


def assert_closed(open_at: Open, audit: str, sentence: str) -> None:
    for page in EVERY_PAGE:
        app = open_at(page, audit=audit)
        assert not app.exception
        assert shown(app).startswith(sentence), page
        assert len(app.error) == 1
        others: list[Sized] = [app.title, app.markdown, app.button, app.caption, app.sidebar.children]
        assert not any(len(kind) for kind in others), page


@pytest.mark.parametrize(
    ("section", "left_out"), [("Auth", ""), ("auth", "client_id"), ("auth", "cookie_secret"), ("auth", "redirect_uri")]
)
def test_a_server_that_requires_sign_in_is_closed_until_it_is_set_up_whole(
    open_at: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secrets_at: SecretsAt, section: str, left_out: str
) -> None:
    run = finished()
    monkeypatch.setenv("DIFFOCI_SIGN_IN", "required")
    secrets_at(written(tmp_path, section, {name: value for name, value in WHOLE.items() if name != left_out}))
    assert_closed(open_at, run.id, "This server shows nothing without sign-in")


def test_a_server_that_requires_sign_in_and_has_no_secrets_is_closed(
    open_at: Open, monkeypatch: pytest.MonkeyPatch, reads: list[str]
) -> None:
    monkeypatch.setenv("DIFFOCI_SIGN_IN", "required")
    assert_closed(open_at, "0" * 32, "This server shows nothing without sign-in")
    assert reads == []


def test_a_server_that_names_people_and_has_no_sign_in_is_closed(
    open_at: Open, monkeypatch: pytest.MonkeyPatch, reads: list[str]
) -> None:
    monkeypatch.setenv("DIFFOCI_PEOPLE", "ann@example.org")
    assert_closed(open_at, "0" * 32, "This server shows nothing without sign-in")
    assert reads == []


def test_another_word_in_the_switch_closes_the_server(open_at: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_SIGN_IN", "requried")
    assert_closed(open_at, "0" * 32, "The server's setting DIFFOCI_SIGN_IN can only be")


def test_secrets_named_by_hand_and_missing_close_the_server(
    open_at: Open, tmp_path: Path, secrets_at: SecretsAt, reads: list[str]
) -> None:
    secrets_at(tmp_path / "secretz.toml")
    assert_closed(open_at, "0" * 32, "The server was told where its secrets lie and no file is there")
    assert reads == []


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_before_sign_in_no_page_shows_or_reads_anything(
    open_at: Open, tmp_path: Path, secrets_at: SecretsAt, page: str, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFFOCI_SIGN_IN", "required")
    secrets_at(written(tmp_path, "auth", WHOLE))
    app = open_at(page, audit="0" * 32)
    assert not app.exception
    assert [title.value for title in app.title] == ["Sign in to see your audits"]
    assert [button.label for button in app.button] == ["Sign in"]
    assert len(app.markdown) == 1
    assert not app.sidebar.children
    assert reads == []
