# SPDX-License-Identifier: Apache-2.0
#
# The short names of what one does here; CMakePresets.json and tools/ do the work.
#
#   DEPS=off    installs nothing
#   JOBS=<n>    compilers at once (default: processors, bounded by memory)
#   TESTS=<re>  runs only the tests whose names match

SHELL := /bin/bash
JOBS ?= $(shell tools/build_jobs.sh)
SEEDS ?= 2000
SEED ?= 0
TEST_FILTER = $(if $(TESTS),-R '$(TESTS)')
export NINJA_STATUS = [%f/%t %es]

.DEFAULT_GOAL := help
.PHONY: help demo build test bench bench-instructions simulate asan tsan format lint deps clean

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z -]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' Makefile

demo: build ## Installs what is needed, builds, runs a SQL job over 20,000 real flights
	@tools/demo.sh

build: deps ## Builds build/release/tidemark
	@tools/configure.sh release
	@cmake --build --preset release -j $(JOBS) --target tidemark

test: deps ## Installs what is needed, builds, runs every test
	@tools/configure.sh release
	@cmake --build --preset release -j $(JOBS)
	@tools/run_tests.sh release $(TEST_FILTER)

bench: deps ## Measures against hand-written loops; writes build/bench/results.json
	@tools/configure.sh release
	@cmake --build --preset release -j $(JOBS) --target benchmarks
	@tools/bench.py

bench-instructions: deps ## Counts instructions a row under valgrind
	@tools/configure.sh release
	@cmake --build --preset release -j $(JOBS) --target benchmarks
	@tools/bench_instructions.sh

simulate: deps ## Runs whole jobs with kills and faults over many seeds (SEEDS=<n>)
	@tools/configure.sh release
	@cmake --build --preset release -j $(JOBS) --target campaign
	@tools/simulate.sh $(SEEDS)

asan tsan: deps ## Runs every test under AddressSanitizer and UBSan, or ThreadSanitizer
	@tools/configure.sh $@
	@cmake --build --preset $@ -j $(JOBS)
	@tools/run_tests.sh $@ $(TEST_FILTER)

format: ## Formats every C++ file
	@tools/format.sh

lint: ## Checks format, include layers and tidiness
	@tools/format.sh --check
	@python3 tools/check_layers.py
	@python3 tools/tidy.py

deps: ## Installs the packages of tools/dependencies.txt that are missing
ifneq ($(DEPS),off)
	@tools/install_dependencies.sh
endif

clean: ## Removes everything that was built
	rm -rf build
