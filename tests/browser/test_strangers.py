"""Strangers at a real server, in a real browser: hostile names on every page, ids that are none, files too large."""

from __future__ import annotations

import http.client
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from tests.browser.conftest import PATIENCE, Server, free_port
from tests.browser.settled import settle
from tests.hostile_audit import FEATURE, FILE, GROUP, LABEL, SECOND_GROUP, hostile_audit, write_table

OF_AUDITS = ("", "data", "proxies", "train", "compare", "features", "decisions", "report", "two_audits", "learn")
IDS = ("../../etc/passwd", "..%2F..%2Fetc%2Fpasswd", "<script>pwned=9</script>", "%00", "a" * 10_000)
CHARTED = {"proxies", "compare", "features", "decisions"}
# Whatever a name could have become: an element with a handler, a picture that is not there, a script, a link that runs.
MARKUP = (
    "[onerror], [onload], [onclick], img[src='x'], main script, svg svg[onload], a[href^='javascript'], iframe, "
    "[href*='stranger.example'], [src*='stranger.example'], [*|href*='stranger.example']"
)

OWN_CSV = "[aria-label^='Download as CSV']"  # Streamlit's own file of a table, in which cells are not made harmless


class Watched:
    """A window on the server that notes what must not happen."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server, self.heard = page, server, list[str]()
        self.own_csv = 0  # how often the button that must not be seen was there
        page.set_default_timeout(PATIENCE)
        page.on("dialog", self._dismiss)
        page.on("request", lambda one: self._note(one.url))
        page.on("websocket", lambda one: self._note(one.url.replace("ws://", "http://", 1)))

    def _dismiss(self, dialog: Dialog) -> None:
        self.heard.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _note(self, url: str) -> None:
        if not url.startswith((self.server.address, "data:", "blob:")):
            self.heard.append(url)

    def settle(self, *, charted: bool = False) -> None:
        """Wait until the page is drawn, then touch what shows names only when touched."""
        self.page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        self.page.wait_for_selector("[data-testid=stMain] :is(h1, h3)")
        if charted:
            self.page.wait_for_selector(".js-plotly-plot .main-svg")
        for summary in self.page.locator("[data-testid=stMain] summary").all():
            summary.click()
        for shown in self.page.locator(":is(.js-plotly-plot, [data-testid=stDataFrame]):visible").all():
            shown.hover()
        self.page.wait_for_timeout(200)

    def assert_nothing_ran(self, where: str) -> None:
        assert self.heard == [], where
        assert self.page.evaluate("window.pwned") is None, where
        assert self.page.locator(MARKUP).count() == 0, where
        assert self.page.locator(f"{OWN_CSV}:visible").count() == 0, where
        self.own_csv += self.page.locator(OWN_CSV).count()
        shown = self.page.locator("[data-testid=stMain]").inner_text()
        assert "Traceback" not in shown, where
        assert "Something unexpected" not in shown, where


@pytest.fixture(scope="module")
def server_with_hostile_audit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("strangers")
    run = hostile_audit()
    for identifier in (run.id, "f" * 32):  # a second one, to compare with
        shutil.copytree(run.folder, folder / "runs" / identifier)
    spec = folder / "runs" / ("f" * 32) / "spec.json"
    spec.write_text(spec.read_text().replace(run.id, "f" * 32))
    server = Server(folder, free_port())
    server.start()
    yield server
    server.stop()


@pytest.fixture
def watched(browser: Browser, server_with_hostile_audit: Server) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1400, "height": 1100})
    yield Watched(context.new_page(), server_with_hostile_audit)
    context.close()


def test_hostile_names_of_an_audit_run_nothing_on_any_page(watched: Watched) -> None:
    run, named = hostile_audit(), set[str]()
    for name in OF_AUDITS:
        more = f"&first={run.id}&second={'f' * 32}" if name == "two_audits" else ""
        watched.page.goto(f"{watched.server.address}/{name}?audit={run.id}{more}")
        watched.settle(charted=name in CHARTED)
        watched.assert_nothing_ran(name)
        shown = watched.page.locator("body").inner_text()
        named |= {text for text in (FEATURE, GROUP, SECOND_GROUP, LABEL, FILE) if text.lower() in shown.lower()}
    assert named == {FEATURE, GROUP, SECOND_GROUP, LABEL, FILE}, "they were shown, letter by letter"
    assert watched.own_csv, "the button is hidden where it is, and not called otherwise by now"


def choose(page: Page, key: str, value: str) -> None:
    """Pick an entry of a list by its words."""
    page.locator(f"[class*=st-key-{key}] input").first.click()
    page.get_by_role("option", name=value, exact=True).click()
    page.locator("h1").click()  # closes a list of several choices; Escape would clear a single one


def test_hostile_names_of_a_file_run_nothing_before_the_audit(watched: Watched, tmp_path: Path) -> None:
    page = watched.page
    page.goto(watched.server.address)
    settle(page)
    page.locator(".st-key-open-csv button").click()
    page.locator(".st-key-data-upload input[type=file]").set_input_files(write_table(tmp_path))
    choose(page, "data-label", LABEL)
    choose(page, "data-sensitive", GROUP)
    expect(page.locator("h1")).to_contain_text("400 people")
    for title in ("Data", "Proxies", "Train"):
        page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True).click()
        page.wait_for_function(f"() => document.title.startsWith('{title}')")
        watched.settle(charted=title != "Train")
        watched.assert_nothing_ran(title)


def test_ids_that_are_none_open_nothing(watched: Watched) -> None:
    for name, identifier in [("", IDS[0]), ("train", IDS[2]), *(("compare", identifier) for identifier in IDS)]:
        watched.page.goto(f"{watched.server.address}/{name}?audit={identifier}")
        watched.settle()
        watched.assert_nothing_ran(f"{name} {identifier[:30]}")
        if name:
            expect(watched.page.get_by_text("That is not the id of a run")).to_be_visible()
        assert "root:" not in watched.page.locator("body").inner_text()


def test_a_file_of_two_gigabytes_is_refused_before_it_is_sent(watched: Watched, tmp_path: Path) -> None:
    file, page = tmp_path / "large.csv", watched.page
    with file.open("wb") as empty:
        os.truncate(empty.fileno(), 2_000_000_000)
    page.goto(watched.server.address)
    settle(page)
    page.locator(".st-key-open-csv button").click()
    page.locator(".st-key-data-upload").wait_for()
    begun = time.monotonic()
    page.locator(".st-key-data-upload input[type=file]").set_input_files(file)
    expect(page.get_by_text("File must be 500.0MB or smaller.")).to_be_visible()
    assert time.monotonic() - begun < 10
    page.get_by_test_id("stSidebar").get_by_role("link", name="Home", exact=True).click()
    expect(page.locator("h1")).to_contain_text("What do your data reveal?")


def test_a_file_sent_past_the_page_is_refused(watched: Watched, tmp_path: Path) -> None:
    page = watched.page
    page.goto(watched.server.address)
    settle(page)
    page.locator(".st-key-open-csv button").click()
    field = page.locator(".st-key-data-upload input[type=file]")
    with page.expect_request(lambda request: request.method == "PUT") as sent:
        field.set_input_files(write_table(tmp_path))
    headers = sent.value.all_headers()
    allowed = {name: headers[name] for name in ("cookie", "x-xsrftoken", "content-type")}
    path = sent.value.url.removeprefix(watched.server.address)
    assert put(watched.server, path, allowed) == 413
    assert put(watched.server, path, {"content-type": headers["content-type"]}, size=2000) == 403


def put(server: Server, path: str, headers: Mapping[str, str], *, size: int = 2_000_000_000) -> int:
    """Announce a file, of two gigabytes unless said, and return the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.putrequest("PUT", path)
    for name, value in {**headers, "content-length": str(size)}.items():
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_page_of_another_site_cannot_speak_with_the_server(server_with_hostile_audit: Server) -> None:
    port = server_with_hostile_audit.port
    stream = f"ws://127.0.0.1:{port}/_stcore/stream"
    with connect(stream, origin=Origin(f"http://127.0.0.1:{port}"), subprotocols=[Subprotocol("streamlit")]):
        pass
    with pytest.raises(InvalidStatus, match="403"):
        connect(stream, origin=Origin("https://elsewhere.example"), subprotocols=[Subprotocol("streamlit")])


@pytest.mark.parametrize(("host", "answer"), [("127.0.0.1", 101), ("localhost", 101), ("stranger.example", 403)])
def test_a_name_that_a_stranger_gave_this_machine_s_address_is_refused(server: Server, host: str, answer: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.putrequest("GET", "/_stcore/stream", skip_host=True)
    name = f"{host}:{server.port}"
    asked = {"Host": name, "Origin": f"http://{name}", "Connection": "Upgrade", "Upgrade": "websocket"}
    asked |= {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    for header, value in {**asked, "Sec-WebSocket-Protocol": "streamlit"}.items():
        connection.putheader(header, value)
    connection.endheaders()
    assert connection.getresponse().status == answer
    connection.close()


def test_ten_thousand_columns_are_a_sentence_and_the_page_lives_on(watched: Watched, tmp_path: Path) -> None:
    file, page = tmp_path / "wide.csv", watched.page
    file.write_text(",".join(f"c{k}" for k in range(10_000)) + "\n" + (",".join("1" * 10_000) + "\n") * 50)
    page.goto(watched.server.address)
    settle(page)
    page.locator(".st-key-open-csv button").click()
    page.locator(".st-key-data-upload input[type=file]").set_input_files(file)
    expect(page.get_by_text("The file has more than 1,000 columns")).to_be_visible(timeout=PATIENCE)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Home", exact=True).click()
    expect(page.locator("h1")).to_contain_text("What do your data reveal?")
