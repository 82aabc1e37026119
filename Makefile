# The two commands of the README are `make demo` and `make test`; both make the environment first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: env demo test format requirements clean

env: $(STAMP)

# Hashes are checked for everything that is installed; the package itself comes last, without
# its dependencies, since those are there.
$(STAMP): requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Ricordo needs Python 3.11 or newer: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $(STAMP)

demo: env
	$(BIN)/ricordo demo

# Everything that must hold before a commit; CI runs the same.
test: env
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

format: env
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

requirements:
	$(BIN)/pip-compile --quiet --all-extras --generate-hashes --allow-unsafe --strip-extras \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-annotate --no-header \
		--output-file requirements.txt pyproject.toml

clean:
	rm -rf $(VENV) build dist src/*.egg-info .mypy_cache .ruff_cache .hypothesis
