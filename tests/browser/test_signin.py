"""Sign-in through OpenID Connect, with a real provider, a real server and a real browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from diffoci.ui.links import PAGES
from tests.browser.conftest import PATIENCE, ROOT, Server, free_port
from tests.browser.identity import Provider, sign_in
from tests.browser.settled import settle
from tests.sample_audit import sample


def audits_opened(server: Server) -> list[str]:
    """What the server opened below its runs, but for the queue and the access log, which it looks after by itself."""
    notes = server.folder / "runs-opened"
    lines = notes.read_text().splitlines() if notes.exists() else []
    own = tuple(f"{server.folder}/runs/{folder}" for folder in ("queue", "access"))
    return [line for line in lines if not line.startswith(own)]


def test_audits_belong_to_whoever_made_them(browser: Browser, guarded_server: Server, people: Provider) -> None:
    ann, bob = (browser.new_context().new_page() for _ in range(2))
    for page in (ann, bob):
        page.set_default_timeout(PATIENCE)
    ann.goto(f"{guarded_server.address}/compare?audit={sample().id}")
    expect(ann.get_by_text("Sign in to see your audits")).to_be_visible()
    assert ann.locator("[data-testid=stSidebar]").get_by_role("link").count() == 0
    assert ann.get_by_text("guessed").count() == 0

    sign_in(ann, guarded_server.address)
    expect(ann.get_by_text("Signed in as Ann")).to_be_visible()
    expect(ann.get_by_text("None yet.")).to_be_visible()  # the audit in the folder is not hers
    ann.get_by_role("button", name="Run a 30-second audit").click()
    ann.wait_for_url("**/train?audit=*")
    address = ann.url
    expect(ann.get_by_role("button", name="Cancel")).to_be_visible()

    people.person = "bob"
    sign_in(bob, guarded_server.address)
    expect(bob.get_by_text("None yet.")).to_be_visible()
    bob.goto(address)
    expect(bob.get_by_text("This audit cannot be opened.")).to_be_visible()
    assert bob.get_by_text("Student").count() == 0

    ann.get_by_role("button", name="Sign out").click()
    expect(ann.get_by_text("Sign in to see your audits")).to_be_visible()
    for page in (ann, bob):
        page.context.close()


def test_before_sign_in_no_page_shows_anything_and_no_audit_is_read(browser: Browser, guarded_server: Server) -> None:
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    for path in [Path(one.path) for one in PAGES if (ROOT / one.path).exists()]:
        page.goto(f"{guarded_server.address}/{'' if path.stem == 'app' else path.stem}?audit={sample().id}")
        expect(page.get_by_text("Sign in to see your audits")).to_be_visible()
        settle(page)
        shown = page.locator("body").inner_text()
        assert "sex" not in shown, path
        assert "Student" not in shown, path
        assert page.locator("[data-testid=stSidebar]").get_by_role("link").count() == 0, path
        (button,) = page.locator("[data-testid=stMain]").get_by_role("button").all_inner_texts()
        assert button.endswith("Sign in"), path
    assert audits_opened(guarded_server) == []
    sign_in(page, guarded_server.address)
    expect(page.get_by_text("None yet.")).to_be_visible()
    assert any(sample().id in line for line in audits_opened(guarded_server))  # it would have been noted
    page.context.close()


def test_who_is_not_named_is_turned_away_and_reads_nothing(
    browser: Browser, guarded_server: Server, people: Provider
) -> None:
    guarded_server.stop()
    guarded_server.options = {**guarded_server.options, "DIFFOCI_PEOPLE": "ann@example.org"}
    guarded_server.start()
    people.person = "bob"
    bob = browser.new_context().new_page()
    bob.goto(f"{guarded_server.address}/compare?audit={sample().id}")
    bob.get_by_role("button", name="Sign in").click()
    expect(bob.get_by_text("This account may not see audits here")).to_be_visible()
    bob.goto(f"{guarded_server.address}/compare?audit={sample().id}")
    expect(bob.get_by_text("You are signed in as Bob.")).to_be_visible()
    assert bob.locator("[data-testid=stSidebar]").get_by_role("link").count() == 0
    assert audits_opened(guarded_server) == []
    bob.get_by_role("button", name="Sign out").click()
    expect(bob.get_by_text("Sign in to see your audits")).to_be_visible()
    people.person = "ann"
    sign_in(bob, guarded_server.address)
    bob.context.close()


def test_broken_secrets_close_the_server(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "secrets.toml").write_text("[auth\n")
    server = Server(tmp_path, free_port(), {"STREAMLIT_SECRETS_FILES": str(tmp_path / "secrets.toml")})
    server.start()
    page = browser.new_context().new_page()
    page.goto(server.address)
    expect(page.get_by_text("nothing is shown until they are put right")).to_be_visible()
    assert page.get_by_text("What do your data reveal?").count() == 0
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
