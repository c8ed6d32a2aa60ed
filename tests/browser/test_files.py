"""Files in and out of a real server: for the person concerned alone, within limits, and a sentence where it fails."""

from __future__ import annotations

import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from playwright.sync_api import Browser, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from tests.browser.conftest import PATIENCE, ROOT, Server, free_port
from tests.browser.identity import Provider, sign_in
from tests.browser.settled import settle
from tests.sample_audit import sample

FILE = b"--x\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\ncontent\r\n--x--\r\n"
NO_REPORT = """
import diffoci.report.build

def build_report(*_, **__):
    raise ValueError("This report cannot be made: the *first* column is called www.stranger.example.")

diffoci.report.build.build_report = build_report
"""


def ask(url: str, headers: Mapping[str, str], body: bytes | None = None) -> tuple[int, str | None, str]:
    """Return status, how long it may be kept, and text of an answer."""
    request = urllib.request.Request(url, body, dict(headers), method="GET" if body is None else "PUT")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.headers["Cache-Control"], answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.headers["Cache-Control"], refused.read().decode()


@contextmanager
def session(address: str, headers: Mapping[str, str]) -> Iterator[str]:
    """Open a page as Streamlit's own script does, and keep it open; yields the id of its session."""
    asked = BackMsg()
    asked.rerun_script.query_string = ""
    with connect(
        f"{address.replace('http', 'ws', 1)}/_stcore/stream",
        origin=Origin(address),
        additional_headers={"Cookie": headers["Cookie"]},
        subprotocols=[Subprotocol("streamlit"), Subprotocol(headers["X-Xsrftoken"].replace("|", "%7C"))],
    ) as socket:
        socket.send(asked.SerializeToString())
        while not (message := ForwardMsg.FromString(socket.recv(timeout=30))).HasField("new_session"):
            pass
        yield message.new_session.initialize.session_id


def public_cookie(address: str) -> dict[str, str]:
    """The cookie against forged requests, which the server gives everybody, and the header that goes with it."""
    with urllib.request.urlopen(f"{address}/_stcore/health", timeout=20) as answer:
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
    return {
        "Cookie": cookie,
        "X-Xsrftoken": cookie.partition("=")[2],
        "Content-Type": "multipart/form-data; boundary=x",
    }


def test_item_4_a_stranger_cannot_upload_where_people_sign_in(guarded_server: Server) -> None:
    address = guarded_server.address
    headers = public_cookie(address)
    with session(address, headers) as opened:
        status, _, said = ask(f"{address}/_stcore/upload_file/{opened}/{uuid4()}", headers, FILE)
    assert status == 403
    assert said.startswith("Sign in first")


def test_where_nobody_signs_in_everybody_can_upload(server: Server) -> None:
    headers = public_cookie(server.address)
    with session(server.address, headers) as opened:
        assert ask(f"{server.address}/_stcore/upload_file/{opened}/{uuid4()}", headers, FILE)[0] == 204


def cookies(page: Page) -> dict[str, str]:
    return {"Cookie": "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())}


def access_log(server: Server) -> str:
    return (server.folder / "runs" / "access" / "log.jsonl").read_text()


def test_a_file_is_given_to_the_person_it_was_made_for_until_they_sign_out(
    browser: Browser, guarded_server: Server, people: Provider
) -> None:
    ann, bob = (browser.new_context().new_page() for _ in range(2))
    files: list[str] = []
    ann.on("request", lambda one: files.append(one.url) if "/media/" in one.url else None)
    for page, name in ((ann, "ann"), (bob, "bob")):
        page.set_default_timeout(PATIENCE)
        people.person = name
        sign_in(page, guarded_server.address)
    ann.goto(f"{guarded_server.address}/learn")
    ann.locator(
        "[class*='st-key-answer-'] label[data-baseweb=radio], [class*='st-key-answer-'] [role=radiogroup] label"
    ).first.click()
    ann.get_by_role("button", name="This is my answer").click()
    ann.wait_for_selector(".js-plotly-plot .main-svg")
    ann.wait_for_timeout(1000)
    file = files[-1]
    hers = cookies(ann)
    assert ask(file, {**hers, "Sec-Fetch-Mode": "cors"})[:2] == (200, "no-store")
    assert "exported" not in access_log(guarded_server)
    with ann.expect_download():
        ann.get_by_role("button", name="Numbers as CSV").first.click()
    assert access_log(guarded_server).count('"event": "exported", "what": "tables"') == 1
    for stranger in ({}, cookies(bob)):
        status, kept, said = ask(file, stranger)
        assert (status, kept) == (403, "no-store")
        assert said.startswith("Sign in first")
    ann.get_by_role("button", name="Sign out").click()
    expect(ann.get_by_text("Sign in to see your audits")).to_be_visible()
    assert ask(file, cookies(ann))[0] == 403
    for page in (ann, bob):
        page.context.close()


def test_more_than_the_server_holds_is_said_on_the_page(browser: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path, free_port(), {"DIFFOCI_UPLOAD_MB_PER_SESSION": "1"})
    server.start()
    (tmp_path / "large.csv").write_text("a,b\n" + "1,2\n" * 500_000)
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(server.address)
    settle(page)
    page.locator(".st-key-open-csv button").click()
    page.locator(".st-key-data-upload input[type=file]").set_input_files(tmp_path / "large.csv")
    expect(page.get_by_text("This window has sent as much as the server holds for one (1 MB)")).to_be_visible()
    page.close()
    server.stop()


def test_a_report_that_cannot_be_made_says_why(browser: Browser, tmp_path: Path) -> None:
    run = sample()
    shutil.copytree(run.folder, tmp_path / "runs" / run.id)
    (tmp_path / "sitecustomize.py").write_text(NO_REPORT)
    server = Server(tmp_path, free_port(), {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"})
    server.start()
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{server.address}/report?audit={run.id}")
    settle(page)
    page.get_by_role("button", name="Report (HTML)").click()
    said = page.get_by_text("This report cannot be made: the *first* column is called www.stranger.example.")
    expect(said).to_be_visible()
    page.wait_for_timeout(6000)  # Streamlit's own message is gone by now
    expect(said).to_be_visible()
    with page.expect_download():
        page.get_by_role("button", name="Tables (CSV)").click()
    page.close()
    server.stop()
