"""A real server and a real browser, over folders that belong to the test."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.identity import Provider, provider
from tests.sample_audit import sample

ROOT = Path(__file__).parents[2]
ARTEFACTS = ROOT / "artefacts"
FAILED = pytest.StashKey[bool]()
PATIENCE = 60_000  # milliseconds for something to appear on a machine that does much else
BROWSER_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


# The server notes every file and folder it opens below its runs.
NOTING = """
import os, sys
runs, notes = os.environ.get("DIFFOCI_RUNS", ""), os.environ.get("DIFFOCI_RUNS", "") + "-opened"
def note(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith(runs + os.sep):
        file = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, (str(arguments[0]) + "\\n").encode())
        os.close(file)
if runs:
    sys.addaudithook(note)
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail("REQUIRE_BROWSER is set and there is no chromium on this machine")
        pytest.skip("needs Chromium: install the package chromium")
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE)
        chromium = playwright.chromium.launch(executable_path=path, args=list(BROWSER_ARGUMENTS))
        yield chromium
        chromium.close()


@dataclass
class Server:
    """The app on a port of its own; it can be stopped and started again over the same folders.

    `options` are added to its environment.
    """

    folder: Path
    port: int
    options: Mapping[str, str] = field(default_factory=dict)
    script: Path = ROOT / "app.py"
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        environment = {
            **os.environ,
            "DIFFOCI_RUNS": str(self.folder / "runs"),
            "DIFFOCI_CACHE": str(self.folder / "cache"),
        }
        environment.pop("DIFFOCI_DATA", None)
        environment.update(self.options)
        command = [sys.executable, "-m", "streamlit", "run", str(self.script), "--server.port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=2):
                    return
            except OSError:
                assert time.monotonic() < deadline, (self.folder / "server.log").read_text()
                time.sleep(0.2)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(20)
            self.process = None


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A fresh server with no data at hand and no audit yet; audits still running at the end are stopped."""
    running = Server(tmp_path, free_port())
    running.start()
    yield running
    for folder in (tmp_path / "runs").glob("*/spec.json"):
        (folder.parent / "cancel").touch()
    running.stop()


@pytest.fixture(scope="session")
def finished_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server over a folder with one finished audit, for tests that change nothing in it."""
    folder = tmp_path_factory.mktemp("finished")
    run = sample()
    shutil.copytree(run.folder, folder / "runs" / run.id)
    server = Server(folder, free_port())
    server.start()
    yield server.address
    server.stop()


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
    (tmp_path / "sitecustomize.py").write_text(NOTING)
    python = f"{tmp_path}{os.pathsep}{ROOT}"
    server = Server(tmp_path, port, {"STREAMLIT_SECRETS_FILES": str(secrets), "PYTHONPATH": python})
    server.start()
    yield server
    for folder in (tmp_path / "runs").glob("*/spec.json"):
        (folder.parent / "cancel").touch()
    server.stop()


@dataclass
class Visit:
    """A browser window on the server, and the hosts it spoke with."""

    context: BrowserContext
    address: str
    hosts: set[str] = field(default_factory=set)

    def open(self, path: str = "/") -> Page:
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda problem: print(f"The page's script failed: {problem}\n{problem.stack}"))
        page.on("console", lambda said: print(f"The browser said: {said.text}") if said.type == "error" else None)
        page.on("websocket", lambda socket: self.hosts.add(str(urlsplit(socket.url).hostname)))
        page.goto(self.address + path)
        page.wait_for_selector("h1")
        return page


@pytest.fixture
def visit(browser: Browser, server: Server, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A window on a fresh server; what it shows when a test fails is kept as a picture."""
    context = browser.new_context(viewport={"width": 1400, "height": 1100})
    visit = Visit(context, server.address)
    context.on("request", lambda request: _note(visit, request.url))
    yield visit
    if request.node.stash.get(FAILED, False):
        for k, page in enumerate(context.pages):
            picture(page, f"failed-{request.node.name}-{k}")
    context.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


def _note(visit: Visit, url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https"):
        visit.hosts.add(str(parts.hostname))


def picture(page: Page, name: str) -> None:
    """Keep a screenshot of the whole page, which Streamlit scrolls within itself."""
    ARTEFACTS.mkdir(exist_ok=True)
    size = page.viewport_size or {"width": 1400, "height": 1100}
    tall = page.evaluate("document.querySelector('[data-testid=stMain]')?.scrollHeight ?? 0")
    page.set_viewport_size({**size, "height": max(size["height"], min(tall, 6000))})
    page.screenshot(path=ARTEFACTS / f"{name}.png")
    page.set_viewport_size(size)
