# Everything is installed into .venv by the first target that needs it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data
STAMP := $(VENV)/.installed

.PHONY: demo test quick check lowest wheels coverage mutation docs cookbook newcomer bench results clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

demo: $(STAMP)  ## the main job on real text: make demo DOCS="one.txt folder/"
	$(BIN)/python cookbook/demo.py $(DOCS)

test: $(STAMP)  ## every test
	$(BIN)/python -m pytest -n auto

quick: $(STAMP)  ## the tests that take under a minute together
	$(BIN)/python -m pytest -n auto -m "not slow"

docs: $(STAMP)  ## the site, from the pages and the docstrings; warnings are errors
	$(BIN)/mkdocs build --strict --quiet --site-dir site

cookbook: $(STAMP)  ## run every page of the cookbook and keep its output in the notebook
	$(BIN)/python cookbook/execute.py

newcomer: $(STAMP)  ## a fresh clone, the two commands and each page, with times, in docs/newcomer.md
	$(BIN)/python cookbook/newcomer.py --out docs/newcomer.md

check: $(STAMP)  ## lint, format, types and the site, then every test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy seams_core seams_langchain seams_llamaindex
	$(MAKE) docs
	$(MAKE) test

lowest:  ## every test with the lowest versions that pyproject.toml allows
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --upgrade pip
	.venv-lowest/bin/python -m pip install --quiet --editable '.[dev]' --constraint tests/lowest.txt
	.venv-lowest/bin/python -m pytest

wheels: $(STAMP)  ## the wheel in an empty environment per extra: make wheels PYTHONS="python3.10 python3.13"
	$(BIN)/python tests/packaging/wheels.py --python $(or $(PYTHONS),$(PYTHON))

coverage: $(STAMP)  ## lines and branches that no test reaches
	$(BIN)/python -m pytest -n auto --cov --cov-report=term-missing:skip-covered

mutation: $(STAMP)  ## what changes of the core's rules no test notices
	HYPOTHESIS_PROFILE=mutation $(BIN)/mutmut run
	$(BIN)/mutmut results

results: $(STAMP)  ## what Seams is worth against its alternatives: make results DATA=folder
	PYTHONPATH=cookbook $(BIN)/python -m seams_core.evaluation $(DATA) --sets faqs:odd chroma peps:odd \
		--model models:static --out cookbook/results --experiments main
	PYTHONPATH=cookbook $(BIN)/python -m seams_core.evaluation $(DATA) --sets faqs:odd peps:odd \
		--model models:static --out cookbook/results --experiments shifted-grid half-widths chunk-sizes

bench: $(STAMP)  ## the recorded benchmarks
	$(BIN)/python benchmarks/cutting.py --out benchmarks/results/cutting.md
	$(BIN)/python benchmarks/fusing.py --out benchmarks/results/fusing.md
	$(BIN)/python benchmarks/importing.py --out benchmarks/results/importing.md
	$(BIN)/python benchmarks/querying.py --out benchmarks/results/querying.md

clean:
	rm -rf $(VENV) .venv-lowest .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
