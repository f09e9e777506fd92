# The commands of this project; the work is in scripts/. Every target may be run again: what is done is not redone.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help quickstart setup setup-build setup-fuzz build build-all test test-nvcc test-gpu test-oracle test-grammar fuzz docs corpora format check-format tidy lint layers clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

quickstart: setup-build build ## install, build, and run the main job on a problem that ships with it
	@scripts/quickstart.sh

setup: ## install what is missing for all targets (Debian packages, CUTLASS headers)
	@scripts/setup.sh test

setup-build:
	@scripts/setup.sh build

build: setup-build ## leave the program at build/ucutlass
	@scripts/build.sh

build-all: setup
	@scripts/build.sh all

test: setup layers check-format build-all tidy ## set up, build, lint, run every test that needs no GPU
	@scripts/test.sh cpu

test-nvcc: build-all ## compile the whole matrix of kernels with nvcc (minutes; cached by content)
	@scripts/test.sh nvcc

test-gpu: build-all ## run the tests that need a GPU; says so and passes where there is none
	@scripts/test.sh gpu

test-oracle: build-all ## ask CUTLASS about the rule book with g++ alone, and write tests/oracle/*_cutlassNN.txt
	@scripts/test_oracle.sh $(or $(ASK),all)

test-grammar: build-all ## try the exported grammar in XGrammar (fetches PyTorch: gigabytes)
	@scripts/test.sh grammar

setup-fuzz:
	@scripts/setup.sh fuzz

fuzz: setup-fuzz ## fuzz what reads programs, captures and arrays, SECONDS_EACH=60 a target
	@scripts/fuzz.sh $(or $(SECONDS_EACH),60)

docs: setup-build ## write docs/generated, the generated files of editors/, the README's picture and tables of docs/sol_peer.md
	@scripts/build.sh programs
	@build/ucutlass language --all docs/generated
	@build/ucutlass language --editors editors
	@build/ucutlass report light-speed -o docs/images/light_speed.svg
	@python3 bench/sol_peer.py

corpora: setup-build ## write tests/language/corpus from the catalog
	@scripts/build.sh uc_corpus
	@build/tests/language/uc_corpus write tests/language/corpus

format: setup ## rewrite the sources as clang-format wants them
	@scripts/format.sh fix

lint: check-format layers tidy ## clang-format, layers and clang-tidy, nothing changed

check-format: setup
	@scripts/format.sh check

tidy: build-all
	@python3 scripts/tidy.py

layers: ## check that each folder of src/ includes only what docs/architecture.md allows
	@python3 scripts/check_layers.py

clean: ## remove the build; fetched headers and compiler caches stay
	rm -rf build
