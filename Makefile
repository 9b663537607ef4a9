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
LOWEST_VENV := .venv-lowest
DOCS_VENV := .venv-docs
# An interpreter with torch for the jobs that tests/real starts. Set it to use one that exists already.
XPUDBG_TORCH_PYTHON ?= $(CURDIR)/$(TORCH_VENV)/bin/python

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test test-torch test-lowest lint format bench accuracy screenshots docs docs-serve links wheel clean

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

test-lowest: $(VENV)/.installed-dev ## run them with the lowest versions that pyproject.toml allows
	$(BIN)/python -m venv --clear $(LOWEST_VENV)
	$(BIN)/python tests/packaging/lowest_versions.py > $(LOWEST_VENV)/lowest.txt
	$(LOWEST_VENV)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(LOWEST_VENV)/bin/python -m pip install --quiet --constraint $(LOWEST_VENV)/lowest.txt --editable . --group dev
	PYTHONDONTWRITEBYTECODE= $(LOWEST_VENV)/bin/pytest -m "not torch" -n $(JOBS) --dist worksteal -p no:cacheprovider

bench: $(VENV)/.installed-dev ## measure, compare with bare libraries, write docs/benchmarks.md
	$(BIN)/python -m pip install --quiet --group bench
	@if [ -x "$(XPUDBG_TORCH_PYTHON)" ]; then export XPUDBG_TORCH_PYTHON="$(XPUDBG_TORCH_PYTHON)"; \
	  else unset XPUDBG_TORCH_PYTHON; echo "no torch at $(XPUDBG_TORCH_PYTHON): its side is left out"; fi; \
	  $(BIN)/python -m benchmarks.collect

accuracy: $(VENV)/.installed-dev $(if $(findstring $(TORCH_VENV),$(XPUDBG_TORCH_PYTHON)),$(TORCH_VENV)/.installed) ## tell scenarios, cases and real jobs beside torch's tools, write docs/accuracy.md
	XPUDBG_TORCH_PYTHON="$(XPUDBG_TORCH_PYTHON)" $(BIN)/python -m accuracy $(if $(RECORDED),--recorded "$(RECORDED)")

screenshots: $(VENV)/.installed-dev ## take the pictures of screenshots/ from the running demo
	$(BIN)/python -m screenshots.make
	$(BIN)/python -m screenshots.tour

docs: $(DOCS_VENV)/.installed ## build the documentation as a site into site/; a link that leads nowhere is an error
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/mkdocs build --strict --clean

docs-serve: $(DOCS_VENV)/.installed ## show the documentation on this machine, new after each change
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/mkdocs serve

links: $(VENV)/.installed-dev ## ask every address that the documents link to; needs a network
	$(BIN)/python -m tests.docs.external_links

wheel: $(VENV)/.installed-dev ## build sdist and wheel into dist/
	rm -rf dist
	$(BIN)/python -m build

clean: ## remove environments, caches and what was built
	rm -rf $(VENV) $(TORCH_VENV) $(LOWEST_VENV) $(DOCS_VENV) build dist site snapshot_report.html
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are younger than pyproject.toml as long as the environment has what it asks for.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "xpudbg needs Python 3.11 or later; name one: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot make virtual environments; on Debian: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The folders under the names that they are imported by; a checkout has these links, an unpacked sdist does not.
.links/xpudbg/%:
	mkdir -p .links/xpudbg && ln -s ../../$* $@

$(VENV)/.installed: pyproject.toml | $(BIN)/python .links/xpudbg/services .links/xpudbg/tui
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

# MkDocs needs nothing of xpudbg, and xpudbg's tests nothing of MkDocs.
$(DOCS_VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(DOCS_VENV)/bin/python -m pip install --quiet --group docs
	@touch $@
