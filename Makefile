# The project's own environment is .venv; it is rebuilt when what it is made from changes.
# Variables: PYTHON (the interpreter .venv is made with), GAME and LEAGUE (for demo),
# ARGS (handed to pytest, bench, soak or fuzz).

PYTHON ?= python3
BIN := .venv/bin
ARGS ?=

CHECKS := lint format types contracts texts

.PHONY: help demo test check $(CHECKS:%=check-%) format texts bench soak fuzz clean
.DELETE_ON_ERROR:

help:
	@echo "make demo [GAME=weaver] [LEAGUE=1]  play a whole game by mail between bots, here"
	@echo "make test [ARGS=...]                all tests (pytest)"
	@echo "make check                          lint, format, types, import contracts, catalogues"
	@echo "make texts                          update and compile the message catalogues"
	@echo "make format                         sort imports and format"
	@echo "make bench | soak | fuzz [ARGS=...] figures, long runs, fuzzing"

$(BIN)/python:
	$(PYTHON) -m venv .venv

.venv/.ready: pyproject.toml hatch_build.py | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[server]'
	@touch $@

.venv/.ready-dev: pyproject.toml hatch_build.py | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[server,dev]'
	@touch .venv/.ready $@

# Always asked, quick, and writes nothing where a catalogue is already compiled.
.PHONY: catalogues
catalogues: .venv/.ready-dev
	@$(BIN)/python hatch_build.py compile

demo: .venv/.ready
	$(BIN)/python -m sigilpost_server.demo $(if $(GAME),--game $(GAME)) $(if $(LEAGUE),--league) $(ARGS)

# On every core; ARGS="-n 0" runs one test after the other.
test: catalogues
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

# One target each, so that `make --keep-going check` reports all kinds of faults at once.
check: $(CHECKS:%=check-%)

check-lint: catalogues
	$(BIN)/ruff check .

check-format: catalogues
	$(BIN)/ruff format --check .

check-types: catalogues
	$(BIN)/mypy

check-contracts: catalogues
	$(BIN)/lint-imports

check-texts: catalogues
	$(BIN)/python hatch_build.py check

format: .venv/.ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

texts: .venv/.ready-dev
	$(BIN)/python hatch_build.py update

bench soak: catalogues
	$(BIN)/python -m tests.$@ $(ARGS)

# atheris is big and has wheels for few platforms, so only fuzzing installs it.
.venv/.ready-fuzz: pyproject.toml | .venv/.ready-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[server,dev,fuzz]'
	@touch $@

fuzz: catalogues .venv/.ready-fuzz
	$(BIN)/python -m tests.fuzz $(ARGS)

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
