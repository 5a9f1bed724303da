# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Compiled Python files are kept, also where the machine says otherwise: tests start thousands of processes.
export PYTHONDONTWRITEBYTECODE :=
# How many times the usual number of cases `make trials` tries, and for how many seconds it tortures and how
# many processes it kills at least, with each of three seeds.
CASES ?= 30
KILLS ?= 170
SECONDS ?= 180

# Rust tests keep their folders in memory where there is room: on a disk that does not give the inodes of removed files
# out again at once they take half as long again. Half of them wait for others, so more run at once than there are cores.
MEMORY = $(shell $(BIN)/python tests/memory_folder.py)
THREADS = $(shell $(BIN)/python -c 'import os; print((os.cpu_count() or 1) + 2)')
RUST_TESTS = $(addprefix TMPDIR=,$(MEMORY)) RUST_TEST_THREADS=$(THREADS) \
	$(BIN)/python tests/hermetic.py cargo test --workspace --locked

.PHONY: demo test core compiled-tests test-times test-agents trials install release bench docs site clean

demo: core
	$(BIN)/chant-mcp demo

# The first time both take minutes: Rust tests are compiled while what pytest needs is downloaded.
test:
	$(MAKE) --jobs 2 install compiled-tests
	$(RUST_TESTS)
	$(BIN)/python -m pytest -n auto

# What each folder of tests costs, and the slowest tests.
test-times: install
	$(BIN)/python -m pytest -n auto --quiet --times

# Published agents at work on a spec against a model on this machine; AGENTS="claude codex" tries those alone. Downloads
# about two gigabytes the first time, into the user's caches. Needs npm, and Linux with Landlock.
test-agents: install
	$(BIN)/python tests/agents_live $(AGENTS)

# The long forms of tests, run by hand: laws on many cases, crashes and failing disks for minutes.
trials: install
	CHANT_TRIALS=$(CASES) $(BIN)/python -m pytest -n auto --quiet tests/server/test_fuzz.py tests/server/test_envelopes.py \
		tests/server/test_budgets.py \
		tests/chant/test_edit_laws.py tests/chant/test_add.py tests/demo/test_agent_document.py tests/confine tests/vine tests/tickets \
		tests/work/test_state_checkouts.py tests/work/test_run_whole.py tests/leases/test_lease_model.py tests/leases/test_double_start.py tests/leases/test_items_of_clones.py \
		tests/leases/test_machines.py tests/leases/test_ticket_numbers.py tests/work/test_power_cuts.py tests/work/test_cheats.py
	PROPTEST_CASES=$$((256 * $(CASES))) PROPTEST_MAX_GLOBAL_REJECTS=$$((1024 * $(CASES))) $(RUST_TESTS)
	$(BIN)/python -m bench.torture.oddities --seconds $(SECONDS)
	$(BIN)/python -m bench.torture.file_systems
	$(BIN)/python -m bench.torture.long_server --calls 200000 --sessions 4000 --runs 100
	$(BIN)/python -m bench.torture.caches
	$(BIN)/python -m bench.torture.clones
	$(BIN)/python -m bench.torture.cluster
	$(BIN)/python -m bench.torture.managers
	for seed in 1 2 3; do $(BIN)/python -m bench.torture --seed $$seed --seconds $(SECONDS) --kills $(KILLS) || exit 1; done

# The package with its core as it is tested: one build with the Rust tests, in a virtual environment.
install: core $(VENV)/.ready

core: $(VENV)/.made
	$(BIN)/maturin develop --locked --quiet

compiled-tests: core
	cargo test --workspace --locked --no-run --quiet

# The same, optimised as wheels are: for figures.
release: $(VENV)/.ready
	$(BIN)/maturin develop --release --locked --quiet

# The package itself is installed: none of that name is looked for.
$(VENV)/.ready: pyproject.toml | core
	$(BIN)/python -m pip install --quiet 'chant-mcp[dev]'
	touch $@

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip 'maturin>=1.9,<2'
	touch $@

bench: release
	$(BIN)/python -m bench.run

# The API reference, from the docstrings, in docs/reference/.
docs: install
	$(BIN)/python docs/reference.py

# The guide and the API reference as a site in site/.
site: docs
	$(BIN)/python -m pip install --quiet 'chant-mcp[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

clean:
	cargo clean
	rm -rf $(VENV) docs/reference
