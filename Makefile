# Every target does its own set-up on a machine that has Python 3.11 or newer and nothing else.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Exact versions: of what we import, and of everything below it.
EXACT := --requirement requirements.txt --constraint constraints.txt
FILES := requirements.txt constraints.txt pyproject.toml

.PHONY: run test setup lint imports browser measure bench constraints lock-hashes sbom
.DEFAULT_GOAL := run

.venv/pyvenv.cfg:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv

# The stamps make the second start instant: they are older than the files that decide what is installed only when those changed.
.venv/installed: $(FILES) | .venv/pyvenv.cfg
	$(PIP) $(EXACT) --editable .
	touch $@

.venv/installed-dev: $(FILES) | .venv/pyvenv.cfg
	$(PIP) $(EXACT) --editable '.[dev,cluster,onnx,selectors,signin,vision]'
	touch .venv/installed $@

setup: .venv/installed-dev

run: .venv/installed
	$(BIN)/python -m streamlit run app.py

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.supply.licences

imports: .venv/installed-dev
	$(BIN)/lint-imports

# Browser tests need Chromium; where we may install it we do, elsewhere they skip and say so (REQUIRE_BROWSER=1 makes that a failure).
browser:
	@if ! command -v chromium >/dev/null && [ -f /etc/debian_version ] && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; fi

# Several files at a time, since many tests wait for processes, each with one thread: more would only wait for each other;
# fewer files where each brings a browser and a server; then what measures seconds, with the machine to itself. Of what is
# not run nothing is read: every process would spend seconds on it.
test:
	$(MAKE) --jobs 2 setup browser
	$(MAKE) lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m 'not alone' --ignore tests/browser --numprocesses 4 --dist loadfile --no-loadscope-reorder
	$(BIN)/python -m pytest -m 'not alone' --numprocesses 2 --dist loadfile --no-loadscope-reorder tests/browser
	$(BIN)/python -m pytest -m alone $$(grep --recursive --files-with-matches --include='*.py' 'mark\.alone' tests)

# What is measured by hand, such as WHAT=bench or WHAT='same_numbers FOLDER'; without WHAT, a list.
measure: .venv/installed-dev $(if $(filter bench,$(WHAT)),.venv/peers/installed)
	PYTHONPATH=.venv/peers $(BIN)/python -m tests.measure$(if $(WHAT),.$(WHAT))

bench:
	$(MAKE) measure WHAT=bench

.venv/peers/installed: tests/measure/peers.txt | .venv/pyvenv.cfg
	$(PIP) --no-deps --ignore-requires-python --upgrade --target .venv/peers --requirement $<
	touch $@

# To take new versions: change the pins, empty constraints.txt, make test, make constraints.
constraints: .venv/installed-dev
	$(PIP) --editable '.[tools]'
	$(BIN)/python -m tests.supply.constraints

# The files of this machine's platform with their hashes, for installing with --require-hashes.
lock-hashes: .venv/installed-dev
	$(BIN)/python -m tests.supply.lock artefacts/requirements.lock

sbom: .venv/installed-dev
	$(PIP) $(EXACT) --editable '.[tools]'
	$(BIN)/python -m tests.supply.bill artefacts/sbom.json
