# What one does with a checkout of xpudbg. `make` alone lists it.
# Needed beforehand: make and Python 3.11 or later. Virtual environments are made and kept up to date here.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
TORCH ?= torch==2.13.0
JOBS ?= 4

VENV := .venv
BIN := $(VENV)/bin
TORCH_VENV := .venv-torch
# An interpreter with torch for the jobs that tests/real starts. Set it to use one that exists already.
XPUDBG_TORCH_PYTHON ?= $(CURDIR)/$(TORCH_VENV)/bin/python

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test test-torch lint format bench screenshots wheel clean

help: ## list what can be made
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

demo: $(VENV)/.installed ## install xpudbg here and start the demo job in this terminal
	@$(BIN)/xpudbg demo

test: $(VENV)/.installed-dev ## run all tests that need no torch
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -m "not torch" -n $(JOBS) --dist worksteal

test-torch: $(VENV)/.installed-dev $(if $(findstring $(TORCH_VENV),$(XPUDBG_TORCH_PYTHON)),$(TORCH_VENV)/.installed) ## run the tests on real torch jobs (torch is installed apart from xpudbg)
	XPUDBG_TORCH_PYTHON="$(XPUDBG_TORCH_PYTHON)" $(BIN)/pytest -m torch tests/real

lint: $(VENV)/.installed-dev ## ruff, strict types, import contract
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed-dev ## let ruff put the code in order
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.installed-dev ## measure, and compare with bare libraries
	$(BIN)/python -m pip install --quiet --group bench
	@for file in benchmarks/bench_*.py; do $(BIN)/python -m "benchmarks.$$(basename "$$file" .py)"; done

screenshots: $(VENV)/.installed-dev ## take the pictures of screenshots/ from the running demo
	$(BIN)/python screenshots/make.py

wheel: $(VENV)/.installed-dev ## build sdist and wheel into dist/
	rm -rf dist
	$(BIN)/python -m build

clean: ## remove environments, caches and what was built
	rm -rf $(VENV) $(TORCH_VENV) build dist snapshot_report.html
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are younger than pyproject.toml as long as the environment has what it asks for.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "xpudbg needs Python 3.11 or later; name one: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot make virtual environments; on Debian: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

$(TORCH_VENV)/.installed: Makefile | $(BIN)/python
	$(BIN)/python -m venv $(TORCH_VENV)
	$(TORCH_VENV)/bin/python -m pip install --quiet "$(TORCH)" numpy jinja2 aiohttp tabulate py-spy
	@touch $@
