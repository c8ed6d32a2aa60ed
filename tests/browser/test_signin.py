"""Sign-in through OpenID Connect, with a real provider, a real server and a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, Server, free_port
from tests.browser.identity import Provider, provider
from tests.sample_audit import sample


@pytest.fixture
def people() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest.fixture
def guarded_server(tmp_path: Path, people: Provider) -> Iterator[Server]:
    """A server with sign-in set up, over a folder with one audit that belongs to nobody here."""
    port = free_port()
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(people.secrets(f"http://127.0.0.1:{port}"))
    run = sample()
    shutil.copytree(run.folder, tmp_path / "runs" / run.id)
    server = Server(tmp_path, port, {"STREAMLIT_SECRETS_FILES": str(secrets)})
    server.start()
    yield server
    for folder in (tmp_path / "runs").glob("*/spec.json"):
        (folder.parent / "cancel").touch()
    server.stop()


def sign_in(page: Page, server: Server) -> None:
    page.goto(server.address)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("text=What does your data give away?")


def test_audits_belong_to_whoever_made_them(browser: Browser, guarded_server: Server, people: Provider) -> None:
    ann, bob = (browser.new_context().new_page() for _ in range(2))
    for page in (ann, bob):
        page.set_default_timeout(PATIENCE)
    ann.goto(f"{guarded_server.address}/compare?audit={sample().id}")
    expect(ann.get_by_text("Sign in to see your audits")).to_be_visible()
    assert ann.locator("[data-testid=stSidebar]").get_by_role("link").count() == 0
    assert ann.get_by_text("guessed").count() == 0

    sign_in(ann, guarded_server)
    expect(ann.get_by_text("Signed in as Ann")).to_be_visible()
    expect(ann.get_by_text("None yet.")).to_be_visible()  # the audit in the folder is not hers
    ann.get_by_role("button", name="Run a 30-second audit").click()
    ann.wait_for_url("**/train?audit=*")
    address = ann.url
    expect(ann.get_by_role("button", name="Cancel")).to_be_visible()

    people.person = "bob"
    sign_in(bob, guarded_server)
    expect(bob.get_by_text("None yet.")).to_be_visible()
    bob.goto(address)
    expect(bob.get_by_text("This audit cannot be opened.")).to_be_visible()
    assert bob.get_by_text("Student").count() == 0

    ann.get_by_role("button", name="Sign out").click()
    expect(ann.get_by_text("Sign in to see your audits")).to_be_visible()
    for page in (ann, bob):
        page.context.close()


def test_broken_secrets_close_the_server(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "secrets.toml").write_text("[auth\n")
    server = Server(tmp_path, free_port(), {"STREAMLIT_SECRETS_FILES": str(tmp_path / "secrets.toml")})
    server.start()
    page = browser.new_context().new_page()
    page.goto(server.address)
    expect(page.get_by_text("nothing is shown until they are put right")).to_be_visible()
    assert page.get_by_text("What does your data give away?").count() == 0
    page.context.close()
    server.stop()


def test_a_server_open_to_all_says_so(browser: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path, free_port(), {"STREAMLIT_SERVER_ADDRESS": "0.0.0.0"})
    server.start()
    page = browser.new_context().new_page()
    page.goto(server.address)
    expect(page.get_by_text("nobody has to sign in")).to_be_visible()
    page.context.close()
    server.stop()
