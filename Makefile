# SPDX-License-Identifier: GPL-2.0
# User verbs; `make help` lists them.  The module is built by Kbuild.
KDIR ?= $(shell tests/kdir)
DESTDIR ?=
PREFIX ?= /usr/local
V ?= 0

ifneq ($(V),1)
MAKEFLAGS += --no-print-directory
endif

.PHONY: all modules tools demo check test fuzz bench mutants style docs debug-kernel debug-test soak \
	install uninstall dkms-install dkms-remove clean help

all: modules tools

modules:
	@[ -n "$(KDIR)" ] || { echo "no kernel headers: install linux-headers-amd64 or set KDIR" >&2; exit 1; }
	@echo "building ktrc.ko for $(KDIR)" >&2
	$(if $(filter 1,$(V)),,@)$(MAKE) $(if $(filter 1,$(V)),,-s) -C $(KDIR) M=$(CURDIR) modules
	@+! grep -qs '^CONFIG_KUNIT=' "$(KDIR)/include/config/auto.conf" || KDIR="$(KDIR)" tests/kunit/build

tools:
	$(if $(filter 1,$(V)),,@)$(MAKE) $(if $(filter 1,$(V)),,-s) -C userspace

# Packages that a verb needs, and what it runs
demo bench: needs := build guest
check style fuzz: needs := build check
test: needs := build check guest
debug-kernel debug-test soak mutants: needs := build check guest debug

run-demo = $(MAKE) all >&2 && tests/demo/run
run-check = tests/total tests/check "$(MAKE) style"
run-style = tests/style/run
run-test = tests/total "$(MAKE) check" tests/functional/run tests/demo/readme
run-fuzz = tests/fuzz/run $(SECONDS)
run-bench = $(MAKE) all >&2 && tests/bench/run
run-mutants = tests/mutants/run
run-debug-kernel = tests/vm/debug_kernel
run-debug-test = KDIR=$$(tests/vm/debug_kernel) && export KDIR && \
	tests/total tests/kunit/run "tests/functional/run $(TESTS)"
run-soak = tests/soak $(HOURS)

demo check style test fuzz bench mutants debug-kernel debug-test soak:
	@tests/deps $(needs)
	@$(run-$@)

docs:
	@tests/abi/table docs >docs/events.md.new && mv docs/events.md.new docs/events.md
	@tests/promises >docs/promises.md.new && mv docs/promises.md.new docs/promises.md

install uninstall dkms-install dkms-remove:
	@DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) KDIR=$(KDIR) install/run $@

clean:
	@[ -z "$(KDIR)" ] || $(MAKE) -s -C $(KDIR) M=$(CURDIR) clean
	@$(MAKE) -s -C userspace clean
	@rm -rf build

help:
	@echo 'make            build the module for KDIR and the tools'
	@echo 'make demo       watch real page faults in a guest: builds, boots, records, explains'
	@echo 'make test       check, then one test for each promise in a guest'
	@echo 'make check      unit tests, models, style, fresh docs; seconds, no root'
	@echo 'make fuzz       readers against damaged traces for a minute; SECONDS=3600 for an hour'
	@echo 'make bench      instructions and bytes per event'
	@echo 'make debug-test the same tests, and KUnit suites, on a kernel that complains'
	@echo 'make soak HOURS=n   the long form of all tests; again: goes on; says what was not run'
	@echo 'make mutants    every test fails when what it guards is broken'
	@echo 'make install    module, tools, man pages, completions, udev rule; make uninstall'
	@echo 'make dkms-install   the same, and DKMS builds the module for kernels to come; dkms-remove'
	@echo 'make modules, tools, style, docs, debug-kernel, clean'
	@echo 'knobs: KDIR=$(KDIR) DESTDIR= PREFIX=$(PREFIX) V=1'
