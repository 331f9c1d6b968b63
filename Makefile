# ringjet's commands. `make help` lists them. Each does all the set-up it needs, and repeats nothing that is up to date.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
export PYTHON
VENV := .venv
PY := $(VENV)/bin/python
# The files from which the wheel is built.
WHEEL_SOURCES := $(shell find python crates/ringjet crates/ringjet-math crates/ringjet-backend crates/ringjet-cpu crates/ringjet-cuda crates/ringjet-model crates/ringjet-fibers crates/ringjet-fhetch crates/ringjet-pim crates/ringjet-cli \
	-type f \( -name '*.rs' -o -name '*.toml' -o -name '*.py' -o -name '*.pyi' -o -name 'py.typed' -o -path "*/ringjet-cuda/kernels/*" -o -path "*/ringjet-cuda/emulator/*" -o -path "*/ringjet-fibers/include/*" -o -path "*/ringjet-pim/dpu/*" -o -path "*/ringjet-pim/emulator/*" \) \
	-not -path '*/tests/*' -not -path '*/.*' 2>/dev/null) Cargo.toml Cargo.lock

.PHONY: help setup demo demo-leveled test test-quick test-full bench bench-compare bench-exact bench-boot bench-ablate bench-heaan bench-scaling bench-train bench-cluster browser docs dist dist-test clean

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

setup: $(VENV)/.wheel ## Python environment in .venv with the ringjet wheel in it

demo: setup ## Train a model on encrypted data with bootstrapping; compare with training in the clear
	$(PY) -m ringjet train --data breast-cancer --preset n16-boot --iterations 30 --report target/demo.html

demo-leveled: setup ## The same data without bootstrapping: 8 iterations
	$(PY) examples/train_encrypted.py

test: $(VENV)/.requirements ## The gate: everything that must pass before a change goes in (cargo xtask check)
	cargo xtask check

test-quick: ## Formatting, lints and plain tests: between two edits
	cargo xtask check --quick

test-full: setup ## What `make test` leaves out: full-size tests, one after the other (up to 10 GB each), the wheel's optimised build, and an emulated aarch64
	cargo test --release --workspace -- --ignored --skip bless --test-threads=1
	RINGJET_FULL=1 $(PY) -m pytest -q python/tests
	cargo xtask full

bench: target/release/ringjet ## Time every operation at full size on this machine
	target/release/ringjet bench all sizes

# The next targets write a file in bench/results and its section of docs/benchmarks.md.
bench-compare: ## Compare with other libraries (needs an idle machine; half an hour)
	bench/compare/run.sh

bench-exact: ## Compare BGV and BFV with other libraries (needs an idle machine; half an hour)
	bench/exact/run.sh

bench-integers: setup ## Compare integers with any function with TFHE-rs (needs an idle machine; an hour)
	bench/integers/run.sh

bench-boot: ## Compare bootstrapping with another library (needs an idle machine with 24 GiB)
	bench/boot/run.sh

bench-ablate: ## Measure what each optimisation of bootstrapping brings (needs an idle machine with 24 GiB; hours)
	python3 bench/boot/ablate.py

bench-heaan: target/release/ringjet ## Compare HEAAN's multiplication as two papers describe it with ringjet's (needs an idle machine)
	bench/heaan/run.sh

bench-scaling: ## Compare two threads, one thread and two processes (needs an idle machine; ten minutes)
	bench/scaling/run.sh

bench-train: setup ## Train on four data sets at full size (downloads the data; a quarter of an hour)
	bench/train/run.sh

bench-cluster: setup ## Measure what a cluster of Ray costs beside one process (needs ringjet[ray] and 20 GB of memory)
	$(PY) bench/cluster/overhead.py

browser: ## Build the npm package js/ringjet-client, the client for browsers
	cargo xtask browser

docs: ## Build the documentation site in target/site; any warning and any dead link is an error
	docs/build.sh

dist: $(VENV)/.dist ## Wheels for x86-64 and aarch64, with glibc and with musl, the npm package, sources and checksums in target/dist (four optimised builds)
	cargo xtask dist

dist-test: dist ## Test what `make dist` built: on Python 3.10 to 3.13, from the sources, on an emulated aarch64
	cargo xtask dist-test

clean: ## Remove what was built (target, .venv)
	cargo clean
	rm -rf $(VENV)

.PHONY: FORCE
target/release/ringjet: FORCE
	cargo build --release -p ringjet-cli

# --- set-up: each stamp file says when a step was last done ---

$(PY):
	@command -v cargo >/dev/null || { echo "Rust >= 1.91 is needed (rustup installs it)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
		|| { echo "Python >= 3.10 is needed: set PYTHON to one, as in 'make PYTHON=python3.12 test'"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.requirements: python/requirements-dev.txt | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(VENV)/.dist: python/requirements-dist.txt $(VENV)/.requirements
	$(PY) -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(VENV)/.wheel: $(VENV)/.requirements $(WHEEL_SOURCES)
	rm -rf target/wheels
	$(PY) -m maturin build --release --locked --manifest-path python/Cargo.toml --out target/wheels
	$(PY) -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/ringjet-*.whl
	@touch $@
