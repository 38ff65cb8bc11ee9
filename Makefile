# `make` lists the targets. Each target only runs swift, clang or a script of this repository.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
CLANG ?= clang
LIPO ?= $(firstword $(shell command -v lipo llvm-lipo llvm-lipo-19))
BUILD := .build
RUNTIME := $(BUILD)/runtime
RUNTIME_SOURCES := $(wildcard Runtime/Recorder/*.c)
RUNTIME_HEADERS := $(wildcard Runtime/Recorder/*.h $(addsuffix /include/*.h,$(addprefix Runtime/,Recorder TraceFormat InProcess)))
TASKS_SOURCES := Runtime/Tasks/orderfile_tasks.c Runtime/Tasks/include/orderfile_tasks.h
TASKS_FLAGS := -IRuntime/Tasks/include
RUNTIME_FLAGS := -std=c11 -O2 -gdwarf-4 -fPIC -Wall -Wextra -Werror $(addprefix -IRuntime/,Recorder/include TraceFormat/include InProcess/include)

# The names are Xcode's $(PLATFORM_NAME), and maccatalyst. watchOS has 64-bit pointers (arm64) since version 26 only.
DARWIN := macosx/arm64-apple-macos12.0 macosx/arm64e-apple-macos12.0 macosx/x86_64-apple-macos12.0 \
  maccatalyst/arm64-apple-ios15.0-macabi maccatalyst/x86_64-apple-ios15.0-macabi \
  iphoneos/arm64-apple-ios15.0 iphoneos/arm64e-apple-ios15.0 \
  iphonesimulator/arm64-apple-ios15.0-simulator iphonesimulator/x86_64-apple-ios15.0-simulator \
  appletvos/arm64-apple-tvos15.0 \
  appletvsimulator/arm64-apple-tvos15.0-simulator appletvsimulator/x86_64-apple-tvos15.0-simulator \
  xros/arm64-apple-xros1.0 xrsimulator/arm64-apple-xros1.0-simulator \
  watchos/arm64-apple-watchos26.0 \
  watchsimulator/arm64-apple-watchos9.0-simulator watchsimulator/x86_64-apple-watchos9.0-simulator
# OF_ONE_UNIT: see of_attributes.h.
DARWIN_FLAGS := $(filter-out -fPIC,$(RUNTIME_FLAGS)) -IRuntime/Recorder -DOF_ONE_UNIT

.PHONY: help demo sqlite-objects test test-integrations integrations other-examples test-fresh check lint apple-sdk \
  check-darwin tests-built core-examples quick build runtime runtime-darwin examples readme \
  goldens fuzz bench picture self-order install uninstall package tag clean
.DEFAULT_GOAL := help

# SUMMARY omits the thousands of lines of tests that pass, and repeats the failures at the end.
RESULTS = $(BUILD)/results$(addprefix -,$*).txt
SUMMARY = tee $(RESULTS) | grep -avE '^◇|^✔ (Suite|Test case|Test [^ ]+[(])' || { grep -aE '^(✘ Test .* recorded|↳)' $(RESULTS); exit 1; }
# No test may be skipped except for a reason in Tests/TestSupport/Requirement.swift.
NO_SKIPS = ! grep -aE '^➜' $(RESULTS) | grep -avE '^➜ .* skipped: .*, excused: ' || { echo 'these may not be skipped' >&2; exit 1; }
# LIMIT ends a test run after 40 minutes. Each wait of a test ends after a quarter of an hour (`hangLimit`), but a
# program in a test may hang.
LIMIT := $(addsuffix $(if $(shell command -v timeout), --foreground -s INT -k 1m 40m),$(shell command -v timeout))
# The flags of all builds, so that no build throws away what another has compiled. Package.swift says which targets are
# optimized.
FLAGS := -c release -debug-info-format none --explicit-target-dependency-import-check error
# With large pages, the compiler takes a twentieth less time.
export SWIFT_BUILD := env GLIBC_TUNABLES=glibc.malloc.hugetlb=1 swift build $(FLAGS)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

demo: ## install missing packages, build, and order the sqlite3 shell: record, gen, relink, diff
	@Scripts/bootstrap.sh demo
	@$(MAKE) -s -j2 build sqlite-objects
	@Examples/SQLite/run.sh

# Compiles sqlite3 while Swift compiles the command, because that build leaves a processor idle when a target waits for
# another. If the compilation of sqlite3 fails, Examples/SQLite/run.sh repeats it, and prints the error.
sqlite-objects:
	@nice Benchmarks/sqlite/release.sh >/dev/null 2>&1 || true

test: ## install what the tests need, then run check; CI runs this
	@Scripts/bootstrap.sh test
	@$(MAKE) -s check

# The suites that take long: other machines and systems in an emulator, other tools, many builds. The pattern matches
# the end of a suite's name, so that a suite needs nothing but its name to be left out of `make test`.
INTEGRATIONS := 'Integrations(/|$$)|MachOEmulatorTests[.]'
# Examples that need only a compiler and a linker. The slowest is first, because it starts first.
CORE_EXAMPLES := SQLite C CxxPlugin Split Tasks
OTHER_EXAMPLES := $(filter-out $(CORE_EXAMPLES),$(patsubst Examples/%/run.sh,%,$(wildcard Examples/*/run.sh)))
test-integrations: ## the tests and examples that test leaves out: build systems, emulated machines, BOLT, the tutorial, packages; CI runs them, too
	@Scripts/bootstrap.sh test integrations browser fleet
	@$(MAKE) -s tests-built runtime apple-sdk
	@$(MAKE) -s -j2 integrations other-examples
	@Scripts/test-report.sh
	@Scripts/check-tutorial.sh
	@Scripts/check-install.sh
	@$(MAKE) -s package
	@Scripts/check-package.sh

# MAKEFLAGS is empty, so that a make that a test or an example starts has none of the options and jobs of this make.
integrations:
	MAKEFLAGS= ORDERFILE_REQUIRE_ALL=1 $(LIMIT) swift test $(FLAGS) --skip-build --filter $(INTEGRATIONS) 2>&1 | $(SUMMARY)
	@$(NO_SKIPS)

other-examples:
	MAKEFLAGS= Examples/run-all.sh $(OTHER_EXAMPLES)

test-fresh: ## as root: run README's commands in a fresh Debian 12 and 13 with all updates; 20 to 40 minutes
	@Scripts/test-fresh.sh

check: ## format, warnings, imports, tests of the release build, the core examples, README
	@mkdir -p $(BUILD) && date +%s >$(BUILD)/test-start
	@$(MAKE) -s -j2 lint tests-built runtime check-darwin
	@$(MAKE) -s -j$(words x $(PARTS)) $(PARTS) core-examples
	@Scripts/check-readme.sh
	@Scripts/test-summary.sh $$(($$(date +%s) - $$(< $(BUILD)/test-start))) $(PARTS:tests-%=$(BUILD)/results-%.txt)

# `swift test` runs one test per processor at a time, even if all running tests only wait for programs. Three processes
# share the tests, so that the processors stay busy.
PARTS := tests-1 tests-2 tests-3
FILTER_1 := '^EndToEndTests[.][A-L]'
FILTER_2 := '^EndToEndTests[.](?![A-L])'
FILTER_3 := '^(?!EndToEndTests[.])'
.PHONY: $(PARTS)
$(PARTS): tests-%:
	MAKEFLAGS= ORDERFILE_REQUIRE_ALL=1 $(LIMIT) swift test $(FLAGS) --ignore-lock --skip-build \
	  --skip $(INTEGRATIONS) --filter $(FILTER_$*) 2>&1 | $(SUMMARY)
	@$(NO_SKIPS)

core-examples:
	MAKEFLAGS= Examples/run-all.sh $(CORE_EXAMPLES)

# lint and check-darwin run at the same time as the build, which leaves a processor idle while a target waits for
# another.
lint: ## format and usual mistakes of Swift, Python, JavaScript and C
	@Scripts/lint.sh

apple-sdk:
	@Scripts/apple-sdk.sh

check-darwin: apple-sdk ## type-check the Swift code for macOS, without a Mac
	@Scripts/check-darwin.py

tests-built:
	$(SWIFT_BUILD) --build-tests

quick: ## debug build, and the tests that start no process (no compiler, linker, emulator or launch) and take under a second
	@Scripts/room.sh debug 900
	swift build --build-tests
	ORDERFILE_QUICK=1 $(LIMIT) swift test --skip-build 2>&1 | $(SUMMARY)

# A build of all products would compile what only tests import.
PRODUCTS := orderfile orderfile-pages orderfile-stages orderfile-qemu
build: runtime ## the command and the recorder, in release mode
	@Scripts/room.sh release 150
	@for product in $(PRODUCTS); do $(SWIFT_BUILD) --product $$product || exit 1; done

HERE := $(if $(filter Darwin,$(shell uname -s)),runtime-darwin,$(RUNTIME)/orderfile_rt.o $(RUNTIME)/liborderfile_rt.a $(RUNTIME)/orderfile_tasks.o)
runtime: $(HERE) ## the recorder alone: one object, one archive; and the object that runs start-up tasks

# DWARF 4, because the valgrind of Debian 12 refuses to run a program with version 5 of clang 21.
# One relocatable object whose hidden symbols are made local: only the public symbols can be linked to.
$(RUNTIME)/orderfile_rt.o: $(RUNTIME_SOURCES) $(RUNTIME_HEADERS) Makefile
	@mkdir -p $(RUNTIME)
	@rm -f $(RUNTIME)/*.part.o
	@for source in $(RUNTIME_SOURCES); do \
	  $(CLANG) $(RUNTIME_FLAGS) -c $$source -o $(RUNTIME)/$$(basename $$source .c).part.o || exit 1; done
	@ld -r -o $@.new $(RUNTIME)/*.part.o
	@objcopy --localize-hidden $@.new
	@mv $@.new $@

$(RUNTIME)/liborderfile_rt.a: $(RUNTIME)/orderfile_rt.o
	@rm -f $@
	@ar rcsD $@ $<

$(RUNTIME)/orderfile_tasks.o: $(TASKS_SOURCES) Makefile
	@mkdir -p $(RUNTIME)
	@$(CLANG) $(RUNTIME_FLAGS) $(TASKS_FLAGS) -c $< -o $@

runtime-darwin: $(RUNTIME)/iphoneos/orderfile_rt.o $(RUNTIME)/iphoneos/orderfile_tasks.o ## the recorder for Apple's systems and their simulators, cross-compiled

# One object for each platform, with a slice for each architecture. All sources are one unit, because lld can't make one
# Mach-O object of several. On a Mac, uses the Mac's SDKs; elsewhere the folder that Scripts/apple-sdk.sh makes.
$(RUNTIME)/iphoneos/orderfile_rt.o: $(RUNTIME_SOURCES) $(RUNTIME_HEADERS) Makefile
	@mkdir -p $(RUNTIME)
	@for source in $(notdir $(RUNTIME_SOURCES)); do echo "#include \"$$source\""; done >$(RUNTIME)/whole.c
	@$(call for-all-slices,orderfile_rt.o,$(DARWIN_FLAGS) -c $(RUNTIME)/whole.c)

$(RUNTIME)/iphoneos/orderfile_tasks.o: $(TASKS_SOURCES) Makefile
	@$(call for-all-slices,orderfile_tasks.o,$(DARWIN_FLAGS) $(TASKS_FLAGS) -c $<)

# Says what is missing elsewhere than on a Mac. clang would only say that it has no <sys/types.h>.
CAN_BUILD_FOR_DARWIN = { command -v xcrun >/dev/null || [[ -d $(BUILD)/apple/sdk ]] || \
	  { echo "make runtime-darwin: missing Darwin's headers in $(BUILD)/apple/sdk: run 'make apple-sdk' first, which needs python3 with pip" >&2; exit 1; }; } && \
	{ [[ -n "$(LIPO)" ]] || \
	  { echo "make runtime-darwin: missing lipo: install llvm-19 (Scripts/bootstrap.sh test does), or give its path with LIPO=" >&2; exit 1; }; }

# $(call for-all-slices,NAME,ARGUMENTS): compiles NAME for each platform and architecture.
for-all-slices = $(CAN_BUILD_FOR_DARWIN) && mkdir -p $(addprefix $(RUNTIME)/,$(sort $(foreach slice,$(DARWIN),$(dir $(slice))))) && \
	rm -f $(RUNTIME)/*/*-$(1).part.o && \
	for slice in $(DARWIN); do folder=$(RUNTIME)/$${slice%/*} target=$${slice\#*/}; \
	  name=$${slice%/*}; name=$${name/maccatalyst/macosx}; \
	  sdk=$$(xcrun --sdk $$name --show-sdk-path 2>/dev/null || echo $(BUILD)/apple/sdk); \
	  $(CLANG) -target $$target -isysroot $$sdk $(2) -o $$folder/$${target%%-*}-$(1).part.o && \
	  $(LIPO) -create $$folder/*-$(1).part.o -output $$folder/$(1) || exit 1; done

examples: build ## run every example; one line each
	Examples/run-all.sh

readme: examples ## compare README.md's terminal block with a run of its command, ignoring numbers
	Scripts/check-readme.sh

goldens: ## record the expected texts again; fails if one changed, so that you look at the diff
	RECORD_GOLDENS=1 swift test

TIME := 60
fuzz: ## TIME=seconds: all fuzz targets, each for that long
	@Scripts/fuzz.sh $(TIME)

bench: build ## speed and cost, as ratios within one run
	@Scripts/bootstrap.sh bench
	@for script in sqlite/layout.sh sqlite/blocks.sh sqlite/cost.sh speed.sh breakpoints layouts prediction; do \
	  printf '\n%s\n' $$script; Benchmarks/$$script || exit 1; done

picture: build ## draw README's pictures again, from real runs
	@Scripts/bootstrap.sh bench browser
	Scripts/picture.sh
	Scripts/test-report.sh $(BUILD)/report-pictures
	for theme in light dark; do \
	  cp $(BUILD)/report-pictures/sqlite3-$$theme-desktop-map.png docs/pictures/report-$$theme.png; \
	  cp $(BUILD)/report-pictures/orderfile-$$theme-desktop-bytes.png docs/pictures/report-bytes-$$theme.png; \
	  cp $(BUILD)/report-pictures/redis-$$theme-desktop-limits.png docs/pictures/report-limits-$$theme.png; \
	done

self-order: build ## record one of the tool's own runs, and relink the tool in that order
	@Scripts/self-order.sh

install: build ## PREFIX=dir [DESTDIR=dir]: the command, the recorder, completions and man pages
	@DESTDIR="$(DESTDIR)" Scripts/install.sh install "$(PREFIX)"

uninstall: ## PREFIX=dir [DESTDIR=dir]: remove what install put there
	@DESTDIR="$(DESTDIR)" Scripts/install.sh uninstall "$(PREFIX)"

package: ## a Debian package and a tarball for machines without Swift, in .build/packages
	@Scripts/bootstrap.sh package
	@$(MAKE) -s build
	@Scripts/package.sh

tag: ## tag this commit as a release: the version in the sources, with its part of CHANGELOG.md
	@Scripts/tag.sh

clean: ## remove all build products
	rm -rf .build .build-static
