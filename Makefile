# `make` lists the targets. Nothing here that swift, clang or make can't run by themselves.

CLANG ?= clang
BUILD := .build
RUNTIME := $(BUILD)/runtime
RUNTIME_SOURCES := $(wildcard Runtime/Recorder/*.c)
RUNTIME_HEADERS := $(wildcard Runtime/Recorder/*.h Runtime/Recorder/include/*.h Runtime/TraceFormat/include/*.h)
RUNTIME_FLAGS := -std=c11 -O2 -gdwarf-4 -fPIC -Wall -Wextra -Werror -IRuntime/Recorder/include -IRuntime/TraceFormat/include

.PHONY: help build runtime test
.DEFAULT_GOAL := help

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16

build: ## the command and the recorder, in release mode
	swift build -c release
	$(MAKE) -s runtime

runtime: $(RUNTIME)/orderfile_rt.o $(RUNTIME)/liborderfile_rt.a ## the recorder alone: one object, one archive

# DWARF 4, because the valgrind of Debian 12 refuses to run a program with version 5 of clang 21.
# One relocatable object whose hidden symbols have become local: only the contract is left to link to.
$(RUNTIME)/orderfile_rt.o: $(RUNTIME_SOURCES) $(RUNTIME_HEADERS) Makefile
	@mkdir -p $(RUNTIME)
	@for source in $(RUNTIME_SOURCES); do \
	  $(CLANG) $(RUNTIME_FLAGS) -c $$source -o $(RUNTIME)/$$(basename $$source .c).part.o || exit 1; done
	@ld -r -o $@.new $(RUNTIME)/*.part.o
	@objcopy --localize-hidden $@.new
	@mv $@.new $@

$(RUNTIME)/liborderfile_rt.a: $(RUNTIME)/orderfile_rt.o
	@rm -f $@
	@ar rcsD $@ $<
