# Two commands for a newcomer: `make demo` and `make test`. Both set up .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Tests run on all cores already; more threads in each would only fight over them.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

.PHONY: help setup demo examples test test-fast lint wheel clean

help:
	@echo "make demo       set up, clean noisy faces, leave robustnmf-demo.png"
	@echo "make examples   set up, run all examples, leave their pictures in robustnmf-examples/"
	@echo "make test       set up, run all tests and doctests"
	@echo "make test-fast  the same without the slow tests"
	@echo "make lint       ruff, mypy, import-linter"
	@echo "make wheel      build the wheel, install it into an empty environment, run the README example"
	@echo "make clean      remove what the above made"

setup: $(READY)

# The install is editable, so only a change of a pyproject.toml asks for it again.
$(READY): pyproject.toml studies/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "robustnmf needs Python 3.11 or newer; $$($(PYTHON) --version) is too old. Try: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[test,lint]' --editable './studies[trust]'
	@touch $(READY)

demo: $(READY)
	$(BIN)/robustnmf demo

examples: $(READY)
	mkdir -p robustnmf-examples
	for example in examples/*.py; do \
	  echo "== $$example"; $(BIN)/python $$example robustnmf-examples || exit 1; done

test: $(READY)
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto

test-fast: $(READY)
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto -m "not slow"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

wheel: $(READY)
	$(BIN)/python -m pytest -m slow tests/test_readme.py

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis robustnmf-demo.png robustnmf-examples
	find src tests studies -name __pycache__ -prune -exec rm -rf {} +
