# Every target that needs Python makes `.venv` by itself; `make help` lists them.
# Written for GNU Make 3.81 and a POSIX shell, so that it runs wherever make does.

VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.installed-bench
PIP_INSTALL := $(PY) -m pip install --disable-pip-version-check -c constraints.txt

CONFIG ?= configs/quick.yaml
JOBS ?= auto
ARGS ?=
MINUTES ?= 30
PYTHON ?=

# What is asked of an interpreter, and of one that is in a venv already.
IS_RECENT := import sys; sys.exit(sys.version_info < (3, 11))
HAS_PIP := import sys, pip; sys.exit(sys.version_info < (3, 11))

# One game and one step of the vector engine, so that the kernels are compiled once
# and lie in the cache before several test processes ask for them at the same time.
WARM_UP := from rummy_env import VectorEnv, manipulation_rummy_v0 as game; \
	game.raw_env().reset(seed=0); \
	envs = VectorEnv(num_envs=2, seed=0, num_threads=1); \
	envs.reset(); \
	envs.step(envs.action_mask.argmax(axis=1))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help venv train report test fuzz golden check bench coverage clean

help: ## Lists the targets and their variables
	@echo "Usage: make TARGET [VARIABLE=value]"
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  ARGS     what else to give train.py, pytest or bench: make test ARGS='-k r12'"
	@echo "  MINUTES  how long make fuzz looks ($(MINUTES))"
	@echo "  CONFIG   the configuration to train with ($(CONFIG))"
	@echo "  JOBS     how many test processes ($(JOBS)); 0 runs them in this one"
	@echo "  PYTHON   the interpreter to make $(VENV) with, 3.11 or newer"

venv: $(STAMP) ## Makes .venv and installs everything, if that is not done yet

train: $(STAMP) ## Trains an agent with CONFIG, settings overridden by ARGS
	@$(PY) train.py --config "$(CONFIG)" $(ARGS)

report: $(STAMP) ## Measures the shipped weights anew and writes agents/weights/REPORT.md
	@$(PY) -m agents.report $(ARGS)

test: $(STAMP) ## Runs all tests, the slow ones too
	-@$(PY) -c "$(WARM_UP)"
	@$(PY) -m pytest -n $(JOBS) --dist worksteal $(ARGS)

fuzz: $(STAMP) ## Compares fresh examples with the oracles for MINUTES
	@$(PY) -m tests.fuzz --minutes "$(MINUTES)" $(ARGS)

golden: $(STAMP) ## Writes the golden games and the digest of tests/golden anew
	@$(PY) -m tests.golden

check: $(STAMP) ## Checks format, lint, types and who imports whom
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(VENV)/bin/lint-imports --no-logo

bench: $(BENCH_STAMP) ## Measures the engine side by side with its peers
	@$(PY) -m benchmarks.compare $(ARGS)

coverage: $(STAMP) ## Runs the kernels uncompiled, reports lines not reached; minutes
	@NUMBA_DISABLE_JIT=1 $(PY) -m coverage run -m tests.kernel_coverage
	@$(PY) -m coverage report --show-missing

clean: ## Removes .venv, .bench, caches and builds; what training wrote stays
	rm -rf $(VENV) .bench build dist .mypy_cache .ruff_cache .pytest_cache
	rm -rf .hypothesis .import_linter_cache .coverage
	find rummy_env agents benchmarks tests -name __pycache__ -prune -exec rm -rf {} + \
		2>/dev/null || true

# The stamp is written last, so an install that was interrupted is done again; a venv
# that was left half made, or whose interpreter has gone, is made anew.
$(STAMP): pyproject.toml constraints.txt
	@set -e; \
	if ! $(PY) -c '$(HAS_PIP)' >/dev/null 2>&1; then \
		found=; no_pip=; \
		for python in $(if $(PYTHON),"$(PYTHON)",python3.13 python3.12 python3.11 python3); do \
			"$$python" -c '$(IS_RECENT)' >/dev/null 2>&1 || continue; \
			if "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
				found=$$python; break; \
			fi; \
			no_pip="$$no_pip $$python"; \
		done; \
		if [ -z "$$found" ]; then \
			if [ -n "$$no_pip" ]; then \
				echo "make:$$no_pip cannot make a virtual environment: install" \
					"its venv and ensurepip modules (on Debian and Ubuntu the" \
					"package python3-venv)" >&2; \
			else \
				echo "make: $(if $(PYTHON),'$(PYTHON)' is not a,there is no)" \
					"Python of 3.11 or newer; install one," \
					"or name one with PYTHON=/path/to/python3" >&2; \
			fi; \
			exit 1; \
		fi; \
		echo "Making $(VENV) with $$found"; \
		"$$found" -m venv --clear $(VENV); \
	fi
	@$(PIP_INSTALL) torch
	@$(PIP_INSTALL) -e '.[train,dev]'
	@touch $(STAMP)

$(BENCH_STAMP): $(STAMP)
	@$(PIP_INSTALL) -e '.[bench]'
	@touch $(BENCH_STAMP)
