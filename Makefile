# One command does it all: `make demo` and `make test` set up what they need in .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# the library with what its study needs; and with what the other tasks need
USABLE := $(VENV)/.usable
READY  := $(VENV)/.ready
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# it has wheels for Linux on x86-64 alone; elsewhere the scripts are not checked
BIOME   = $(if $(wildcard $(BIN)/biome),$(BIN)/biome,@echo 'no Biome here, so skipped:')
# what checks that pages are accessible: a test tool, not part of the library
AXE    := $(VENV)/axe/node_modules/axe-core/axe.min.js
DATA   ?=
DEMO   := results/demo

.PHONY: help demo test test-all snapshots check dist matrix format docs pictures bench reproduce clean
.DEFAULT_GOAL := help

help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(USABLE): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "atfnb needs Python 3.11 or newer; set PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e '.[study]'
	@touch $@

$(READY): $(USABLE)
	$(INSTALL) -e '.[test,check,study,excel,leaf,scale,peers,export,docs]'
	@touch $@

$(AXE): $(READY)
	@if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix $(VENV)/axe axe-core@4.14.0; \
	else echo 'no npm here, so whether pages are accessible is not checked'; fi

demo: $(USABLE) ## one table from question to page, and the paper's comparison on the sets that need no download: under two minutes
	mkdir -p $(DEMO)
	$(BIN)/atfnb datasets titanic -o $(DEMO)/titanic.csv
	$(BIN)/atfnb evaluate $(DEMO)/titanic.csv --target class --repeats 1
	$(BIN)/atfnb train $(DEMO)/titanic.csv --target class -o $(DEMO)/model.json
	$(BIN)/atfnb predict $(DEMO)/model.json $(DEMO)/titanic.csv -o $(DEMO)/classified.csv --proba --explain
	$(BIN)/atfnb report $(DEMO)/model.json $(DEMO)/titanic.csv -o $(DEMO)/report.html
	$(BIN)/atfnb page $(DEMO)/model.json -o $(DEMO)/page.html
	$(BIN)/atfnb export $(DEMO)/model.json -o $(DEMO)/model.sql
	$(BIN)/atfnb reproduce --splits 2 --out $(DEMO)/study
	@echo
	@echo 'Look at these next, in a browser:'
	@echo '  $(DEMO)/report.html         the model: how good it is, what counts, where it is wrong'
	@echo '  $(DEMO)/page.html           the same model as a form in which values can be tried'
	@echo '  $(DEMO)/study/report.html   the paper compared with what we measure'
	@echo 'docs/README.md is the guide; make docs builds it as a site.'

reproduce: $(USABLE) ## the paper's comparison on all 50 sets: make reproduce DATA=folder
	@test -n "$(DATA)" || { echo 'give the folder with the CSV files: make reproduce DATA=folder'; exit 2; }
	$(BIN)/atfnb reproduce --data "$(DATA)" --out results/all

# a test has one core, as there is one for each; what it starts finds its modules compiled
test test-all: export OMP_NUM_THREADS = 1
test test-all: export OPENBLAS_NUM_THREADS = 1
test test-all: export PYTHONDONTWRITEBYTECODE =
test: check $(AXE) ## run every check, and the tests that most changes need; their coverage is 95 % at least
	rm -f .coverage .coverage.*
	$(BIN)/python -m pytest -n auto -m 'not slow' --cov --cov-report=term

test-all: $(AXE) ## run the tests that make test leaves out, and those with random examples once more, with more of them
	$(BIN)/python -m pytest -n auto -m 'slow or hypothesis' --hypothesis-profile=thorough

snapshots: $(READY) ## rewrite the texts that tests compare with: read what has changed before you commit it
	rm -rf tests/*/snapshots tests/*/*/snapshots
	$(BIN)/python -m pytest -q -m snapshot --rewrite-snapshots tests

check: $(READY) ## ruff, mypy (strict), import-linter; Biome for the page's scripts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIOME) check --error-on-warnings

dist: ## build the sdist and the wheel, check them, and try the wheel in empty environments: make dist EXTRAS='excel leaf'
	$(PYTHON) release/dist.py $(EXTRAS)

matrix: ## the core of the suite in each supported Python, and with the oldest dependencies: make matrix ONLY='3.12 oldest'
	$(PYTHON) release/matrix.py $(ONLY)

bench: $(READY) ## measure the speed, ours against others, side by side
	$(if $(DATA),ATFNB_DATA="$(DATA)") $(BIN)/python -m benchmarks.speed --out docs/performance

docs: $(READY) ## build the documentation site: site/index.html
	$(BIN)/python docs/make_site.py site

pictures: $(READY) ## draw the README's pictures and those of the examples again
	$(BIN)/python docs/pictures.py

format: $(READY) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIOME) check --write

clean: ## remove what the tasks made
	rm -rf $(VENV) build dist results site .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
