# Two commands do everything on a fresh machine: `make demo` and `make test`.
VENV := .venv
BIN := $(VENV)/bin
LOWEST := $(VENV)/lowest

# The first of these that runs and is new enough; say PYTHON=... to choose another.
CANDIDATES := python3.11 python3 python3.12 python3.13 python3.14
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in $(CANDIDATES); do \
	$$python -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && command -v $$python && break; done)

INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

.PHONY: demo test lowest bench experiments docs clean

# Workers are interpreters of their own, and pip compiles nothing that is installed as editable.
demo: $(VENV)/.demo
	@$(BIN)/python -m compileall -q src examples
	$(BIN)/python -m examples.demo

# As above: hundreds of interpreters are started. Most tests wait for something, so that a second one runs
# beside them, on however many cores. What failed is tried once more, alone and in plain sight, as CPython
# does with its own tests: a host that takes the cores away for seconds spoils any test of real processes.
test: $(VENV)/.test
	@$(BIN)/python -m compileall -q src tests benchmarks examples
	$(BIN)/python -m pytest --numprocesses=2 --dist=worksteal || { test $$? -eq 1 && \
		$(BIN)/python -m pytest --last-failed --last-failed-no-failures=none; }

# The tests that other packages can break, with the oldest version of each that pyproject.toml admits.
lowest: $(LOWEST)/.test
	@$(LOWEST)/bin/python -m compileall -q src tests
	$(LOWEST)/bin/python -m pip check
	$(LOWEST)/bin/python -m pytest tests/contract tests/embed

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks.dispatch
	$(BIN)/python -m pytest tests/benchmarks/experiment_timings.py \
		--benchmark-columns=min,median,max,rounds --timeout=600

# Writes docs/experiments.md, docs/conclusions.md and docs/plots/; needs wrk for three of the fourteen.
experiments: $(VENV)/.test
	$(BIN)/python -m benchmarks.experiments

docs: $(VENV)/.test
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "This project needs Python 3.11 or newer and found none of: \
	$(CANDIDATES). Install one, or say: make PYTHON=/path/to/python $(MAKECMDGOALS)" >&2; exit 1; }
	@"$(PYTHON)" -c '$(NEW_ENOUGH)' || { echo "$(PYTHON) does not run or is older than \
	Python 3.11; say: make PYTHON=/path/to/a/newer/python $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Making $(VENV) with $(PYTHON)"
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); echo "$(PYTHON) cannot make a virtual \
	environment; on Debian and Ubuntu, install its -venv package" >&2; exit 1; }

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV), which takes a moment the first time ..."
	@$(INSTALL) '.[demo]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV), which takes a moment the first time ..."
	@$(INSTALL) '.[test]'
	@touch $@

# By uv, because pip always takes the newest.
$(LOWEST)/.test: pyproject.toml | $(BIN)/python
	@echo "Installing the oldest versions into $(LOWEST) ..."
	@rm -rf $(LOWEST)
	@$(BIN)/python -m venv $(LOWEST)
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	@$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --compile-bytecode \
		--resolution lowest-direct --editable '.[test]'
	@touch $@
