# Needs Python 3.11 or later with venv, and make. Another interpreter: make PYTHON=python3.13 test
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Which of the tests that need a server: all, unless a folder is named.
TESTS ?=
# Anything, for test-docker to succeed where no Docker engine can be had.
WHERE_POSSIBLE ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo test test-neo4j test-neo4j-both test-docker check format docs bench soak

help:
	@echo 'make demo      build a small store, correct a source, show the affected answers'
	@echo 'make test      run the tests'
	@echo 'make test-neo4j  run the tests that need a Neo4j server: a given one, or one by Docker, or by Maven and Java'
	@echo 'make test-neo4j-both  the same on the long-term line and on the newest, one after the other; no test may be skipped'
	@echo 'make test-docker  a local image of Neo4j: its tests, and compose.yaml up to its health check; may start an engine'
	@echo 'make check     lint, formatting, types, layers'
	@echo 'make format    format, and fix what lint can fix'
	@echo 'make docs      write docs/reference.md from the commands'
	@echo 'make bench     run the benchmarks'
	@echo 'make soak      run the tests with many more random examples'
	@echo 'make install   make .venv with everything that development needs'

install: $(VENV)/.installed-dev

# The target is pip, not python: a venv that failed half-way has python already.
$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || { \
	  echo '$(PYTHON) is not installed: Python 3.11 or later is needed.' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is $$($(PYTHON) --version 2>&1): Python 3.11 or later is needed." >&2; \
	  echo 'Name a later one: make PYTHON=python3.13 $(MAKECMDGOALS)' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The stamps make an install repeat only when pyproject.toml changed.
$(VENV)/.installed-core: pyproject.toml | $(BIN)/pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[graphrag,dev]'
	@touch $(VENV)/.installed-core $@

demo: $(VENV)/.installed-core
	$(BIN)/lineage demo

test: install
	$(BIN)/python -m pytest -m 'not neo4j'

test-neo4j: install
	$(BIN)/python -m pytest -m neo4j $(TESTS)

# CI=true: a test that finds no server fails.
test-neo4j-both: install
	CI=true LINEAGE_TEST_NEO4J_VERSION=5.26 $(BIN)/python -m pytest -m neo4j $(TESTS)
	CI=true LINEAGE_TEST_NEO4J_VERSION=2026 $(BIN)/python -m pytest -m neo4j $(TESTS)

test-docker: install
	$(BIN)/python -m tests.neo4j_server.docker $(if $(WHERE_POSSIBLE),--where-possible) $(TESTS)

check: install
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports

format: install
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

# Written beside and moved, so that a failing run leaves the old page whole.
docs: install
	$(BIN)/python -m lineage_cli.reference >docs/reference.md.new
	mv docs/reference.md.new docs/reference.md

bench: install
	$(BIN)/python -m benchmarks

soak: install
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest tests/property
