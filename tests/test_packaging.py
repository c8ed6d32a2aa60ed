"""What is installed is what is declared: the wheel, its dashboard, exact versions, licences."""

from __future__ import annotations

import ast
import os
import re
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

import diffoci
from diffoci.__main__ import main
from diffoci.app_folder import app_folder
from tests.supply.bill import only
from tests.supply.constraints import OF_TORCH
from tests.supply.licences import is_allowed, licence_of, problem_with
from tests.supply.lock import locked
from tests.supply.packages import ROOT, asked_for, direct, installed_below, pins

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is handed out."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture
def started(wheel: Path, tmp_path: Path) -> Iterator[str]:
    """The address of `diffoci dashboard`, installed from the wheel and started in an empty folder."""
    site, empty, log = tmp_path / "site", tmp_path / "empty", tmp_path / "log"
    empty.mkdir()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site)]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": str(site), "DIFFOCI_RUNS": str(tmp_path / "runs")}
    words = [sys.executable, str(site / "bin" / "diffoci"), "dashboard", "--port", str(port)]
    with log.open("wb") as out:
        server = subprocess.Popen(words, cwd=empty, env=environment, stdout=out, stderr=out)
    try:
        address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 60
        while server.poll() is None and time.monotonic() < deadline and not _answers(f"{address}/_stcore/health"):
            time.sleep(0.2)
        assert server.poll() is None, log.read_text()
        yield address
    finally:
        server.terminate()
        server.wait(20)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.mark.slow
def test_the_dashboard_of_the_wheel_starts_in_any_folder(started: str) -> None:
    assert _answers(f"{started}/_stcore/health")
    with urllib.request.urlopen(started, timeout=20) as answer:
        assert b'<div id="root">' in answer.read()


@pytest.mark.slow
def test_the_wheel_has_every_page_its_settings_and_what_the_library_reads(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    dashboard = {Path("app.py"), Path(".streamlit/config.toml"), *map(_from_the_top, (ROOT / "pages").glob("*.py"))}
    assert {f"diffoci/dashboard/{path.as_posix()}" for path in dashboard} <= names
    package = [path for path in (ROOT / "diffoci").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert {_from_the_top(path).as_posix() for path in package} <= names
    assert not [name for name in names if "secrets" in name or name.startswith(("tests/", "pages/", "app"))]


def _from_the_top(path: Path) -> Path:
    return path.relative_to(ROOT)


def test_a_checkout_has_its_dashboard_at_the_top() -> None:
    assert app_folder() == ROOT


def test_the_dashboard_takes_the_place_of_the_command_and_hears_its_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    became: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: became.append(words))
    assert main(["dashboard"]) == 0
    assert main(["dashboard", "--port", "9000", "--address", "::1"]) == 0
    plain, chosen = became
    assert plain[-3:] == ["streamlit", "run", str(ROOT / "app.py")]
    assert chosen == [*plain, "--server.port", "9000", "--server.address", "::1"]


def test_dir_lists_the_public_names() -> None:
    assert dir(diffoci) == sorted(diffoci.__all__)
    assert all(hasattr(diffoci, name) for name in dir(diffoci))


def test_the_package_asks_for_ranges_that_the_exact_pins_lie_in() -> None:
    ranges = {canonicalize_name(one.name): one.specifier for one in asked_for() if one.name in _named("dependencies")}
    exact = {canonicalize_name(one.name): one.specifier for one in direct()}
    assert set(ranges) == set(exact)
    for name, pin in exact.items():
        (version,) = (one.version for one in pin)
        assert str(pin) == f"=={version}", name
        assert not str(ranges[name]).startswith("=="), name
        assert ranges[name].contains(version), name


def _named(entry: str) -> set[str]:
    return {re.split(r"[^\w.-]", line)[0] for line in PROJECT[entry]}


def test_everything_below_is_pinned_to_what_is_tested() -> None:
    exact = {str(canonicalize_name(one.name)): one.specifier for one in (*direct(), *pins(ROOT / "constraints.txt"))}
    for name, package in installed_below(asked_for()).items():
        if not name.startswith(OF_TORCH):
            assert name in exact, f"{name} is not pinned: make constraints"
            assert exact[name].contains(Version(package.version).public), name


def test_everything_imported_is_declared() -> None:
    declared = {canonicalize_name(one.name) for one in asked_for(by_users=True)} | {"diffoci", "distributed"}
    packages = packages_distributions()
    for path in [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "diffoci").rglob("*.py")]:
        for name in _imported(path) - set(sys.stdlib_module_names):
            owners = {canonicalize_name(owner) for owner in packages.get(name, [name])}
            assert owners & declared, f"{path.name} imports {name}, which pyproject.toml does not name"


def _imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize(
    ("expression", "classifiers", "text", "licence"),
    [
        ("MIT", ["License :: OSI Approved :: BSD License"], "GPL", "MIT"),
        (None, ["License :: OSI Approved :: BSD License", "Topic :: Text"], "any", "BSD-3-Clause"),
        (None, ["License :: OSI Approved"], "Apache License 2.0\n\nand its text", "Apache-2.0"),
        (None, ["License :: OSI Approved :: MIT License", "License :: Other"], None, "MIT AND Other"),
        (None, [], None, ""),
    ],
)
def test_the_most_exact_statement_of_a_licence_counts(
    expression: str | None, classifiers: list[str], text: str | None, licence: str
) -> None:
    assert licence_of(expression, classifiers, text) == licence


def test_a_choice_of_licences_is_allowed_by_one_and_a_sum_by_all() -> None:
    assert is_allowed("GPL-3.0-only OR MIT")
    assert not is_allowed("GPL-3.0-only AND MIT")


def test_a_package_of_another_licence_is_named_in_a_sentence() -> None:
    assert problem_with("fine", "MIT") is None
    assert problem_with("nvidia-nccl-cu13", "LicenseRef-NVIDIA-Proprietary") is None
    said = problem_with("strange", "AGPL-3.0-only")
    assert said is not None
    assert said.startswith("strange is under 'AGPL-3.0-only', which is not among the licences we allow")
    assert str(problem_with("silent", "")).startswith("silent does not say its licence")


def test_a_lock_has_a_hash_for_every_file() -> None:
    file = {"metadata": {"name": "b", "version": "1"}, "download_info": {"archive_info": {"hashes": {"sha256": "ab"}}}}
    folder = {"metadata": {"name": "a", "version": "2"}, "download_info": {"dir_info": {}}}
    assert locked([file]) == "b==1 --hash=sha256:ab\n"
    with pytest.raises(SystemExit, match="There is no hash of a"):
        locked([file, folder])


def test_the_bill_lists_what_users_install_and_who_needs_whom() -> None:
    bill = {
        "metadata": {"component": {"bom-ref": "root"}},
        "components": [{"name": "Num_Py", "bom-ref": "n"}, {"name": "pytest", "bom-ref": "p"}],
        "dependencies": [{"ref": "root", "dependsOn": ["n", "p"]}, {"ref": "n"}, {"ref": "p", "dependsOn": ["n"]}],
    }
    found = only(bill, {"num-py"})
    assert [part["name"] for part in found["components"]] == ["Num_Py"]
    assert found["dependencies"] == [{"ref": "root", "dependsOn": ["n"]}, {"ref": "n"}]
