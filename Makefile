# Every target does its own set-up on a machine that has Python 3.11 or newer and nothing else.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: run test setup lint bench browser
.DEFAULT_GOAL := run

.venv/pyvenv.cfg:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv

# The stamps make the second start instant: they are older than the files that decide what is installed only when those changed.
.venv/installed: requirements.txt pyproject.toml | .venv/pyvenv.cfg
	$(PIP) --editable .
	touch $@

.venv/installed-dev: requirements.txt pyproject.toml | .venv/pyvenv.cfg
	$(PIP) --editable '.[dev,cluster,onnx,signin]'
	touch .venv/installed $@

setup: .venv/installed-dev

run: .venv/installed
	$(BIN)/python -m streamlit run app.py

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Browser tests need Chromium; where we may install it we do, elsewhere they skip and say so (REQUIRE_BROWSER=1 makes that a failure).
browser:
	@if ! command -v chromium >/dev/null && [ -f /etc/debian_version ] && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; fi

# Several files at a time, since many tests wait for servers; then what measures seconds, with the machine to itself.
test:
	$(MAKE) --jobs 2 setup browser
	$(MAKE) lint
	$(BIN)/python -m pytest -m 'not alone' --numprocesses 3 --dist loadfile --no-loadscope-reorder
	$(BIN)/python -m pytest -m alone

bench: .venv/installed-dev
	$(BIN)/python -m tests.bench
