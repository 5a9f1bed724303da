# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test install bench docs clean

demo: $(VENV)/.made
	$(BIN)/maturin develop --release --locked --quiet
	$(BIN)/python -m chant_mcp.demo

test: install
	cargo test --locked
	$(BIN)/python -m pytest -n auto

# The package with its core, as it is used and as it is tested: an optimised build in a virtual
# environment of its own.
install: $(VENV)/.ready
	$(BIN)/maturin develop --release --locked --quiet

$(VENV)/.ready: pyproject.toml | $(VENV)/.made
	$(BIN)/maturin develop --release --locked --quiet --extras dev
	touch $@

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip 'maturin>=1.9,<2'
	touch $@

bench: install
	$(BIN)/python -m bench.run

# The API reference, from the docstrings, in docs/reference/.
docs: install
	$(BIN)/python docs/reference.py

clean:
	cargo clean
	rm -rf $(VENV) docs/reference
