# SPDX-License-Identifier: Apache-2.0
# make run: build and show a result; make check: the whole test suite; make install PREFIX=...; make help: all targets
.DEFAULT_GOAL := all
BUILD ?= build
ifneq ($(words $(CURDIR)) $(words $(BUILD)),1 1)
$(error make cannot work in folders with spaces in their names: this is "$(CURDIR)", and BUILD is "$(BUILD)")
endif
PREFIX ?= /usr/local
CC ?= cc
# The architecture of the engine. Its build.mk says what is to be built of src/, and with what.
ARCH ?= x86
include src/arch/$(ARCH)/build.mk
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Werror
LP_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARN) -Iinclude -Isrc -Isrc/arch/$(ARCH) -Isrc/os/linux/$(ARCH) -Isrc/launch/$(ARCH) -I$(BUILD)/gen/$(MACHINE) -fno-strict-aliasing $(CFLAGS)
VERSION := 0.1.0
# make V=1 shows the commands
Q := $(if $(V),,@)

ENGINE_SRC := $(wildcard src/base/*.c src/main/*.c $(ARCH_API) src/vm/*.c src/jit/*.c src/opt/*.c src/cache/*.c src/arch/$(ARCH)/*.c src/arch/$(ARCH)/*.S \
	src/os/*.c src/os/linux/*.c src/os/linux/$(ARCH)/*.c) $(ENGINE_MORE)
# src/fork.ld puts what runs in every child of a fork into one piece of code; these are beside it.
FORK_SRC := $(filter $(ENGINE_SRC),src/arch/$(ARCH)/raw.S src/arch/$(ARCH)/enter.S)
ENGINE_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(FORK_SRC) $(filter-out $(FORK_SRC),$(ENGINE_SRC)))
ENGINE := $(BUILD)/lib/linchpin/linchpin-vm
LAUNCHER := $(BUILD)/bin/linchpin

all: $(ENGINE) $(LAUNCHER)

# The table of system calls (docs/design/syscalls.md), in a folder for each architecture.
$(BUILD)/gen/%/syscalls.h: src/os/linux/syscall_structs.tsv src/os/linux/syscalls.tsv scripts/gen-syscalls
	@mkdir -p $(@D)
	@echo "  gen     $@"
	$(Q)awk -f scripts/gen-syscalls arch=$* $(filter %.tsv,$^) >$@.new && mv $@.new $@

$(addprefix $(BUILD)/obj/src/os/linux/,syscall.c.o sys_output.c.o hostcalls.c.o): $(BUILD)/gen/$(MACHINE)/syscalls.h
$(BUILD)/obj/src/os/linux/x86/int80.c.o: $(BUILD)/gen/i386/syscalls.h
$(BUILD)/obj/src/os/linux/x86/int80.c.o: LP_CFLAGS += -I$(BUILD)/gen

$(BUILD)/obj/%.c.o: %.c | deps-build
	@mkdir -p $(@D)
	@echo "  cc      $<"
	$(Q)$(CC) $(LP_CFLAGS) -fPIE -fno-stack-protector -fdata-sections -ffunction-sections $(ARCH_CFLAGS) -DLP_VERSION='"$(VERSION)"' -MMD -MP -c $< -o $@

# A function of the API has a frame of its own, by which messages about mistakes find its name and its caller.
$(BUILD)/obj/src/api/%.c.o: LP_CFLAGS += -fno-optimize-sibling-calls

$(BUILD)/obj/%.S.o: %.S | deps-build
	@mkdir -p $(@D)
	@echo "  as      $<"
	$(Q)$(CC) -Isrc -Isrc/arch/$(ARCH) -fPIE -MMD -MP -c $< -o $@

$(ENGINE): $(ENGINE_OBJ) src/api/exports.list src/fork.ld
	@mkdir -p $(@D)
	@echo "  link    $@"
	$(Q)$(CC) -pie -Wl,--dynamic-list=src/api/exports.list -Wl,-z,now -Wl,-z,noseparate-code -Wl,-T,src/fork.ld -Wl,--sort-section=alignment $(ENGINE_OBJ) -o $@.new $(ARCH_LIBS) -Wl,--exclude-libs,ALL -static-libgcc -lpthread -ldl && mv $@.new $@

# Every object waits for this, so the packages of the tests are there before the first of them is compiled. Packages that
# are missing are installed by `make deps`, and for the goals that a newcomer begins with; for others they are named.
deps-build:
	@scripts/deps $(if $(filter deps run check% fuzz% bench%,$(MAKECMDGOALS)),,--check) $(ARCH_DEPS) $(if $(filter check% fuzz%,$(MAKECMDGOALS)),test)
deps: deps-build

-include src/launch/build.mk
-include src/points/build.mk
-include src/system/build.mk
-include tests/unit/build.mk
-include tests/build.mk
-include tests/apps/build.mk
-include tests/fuzz/build.mk
-include bench/build.mk
-include share/build.mk
-include tools/build.mk
-include tests/api/build.mk
-include tests/attach/build.mk
-include tests/debug/build.mk
-include tests/deep/build.mk
-include tests/mutants/build.mk
-include tests/ia32/build.mk
-include tests/riscv64/build.mk
-include tests/system/build.mk
-include $(ENGINE_OBJ:.o=.d)

# One runner for all suites: unit tests, guests in all modes, the command line, the fuzzer, real programs. Its last line is the total.
check: check-run

help:
	@echo "make                   build the linchpin command and the engine (V=1 shows the commands)"
	@echo "make deps              install the Debian packages that a build needs (make run and make check do, too)"
	@echo "make run               build, and show a result"
	@echo "make check             the whole test suite"
	@echo "make check-layers      who uses whom in src/, against src/layers.list (a second)"
	@echo "make check-docs        files, functions and rules that the notes name, against the source; width and heads of files (a second)"
	@echo "make check-apps        all real programs (APPS_ARGS='--only git' for some)"
	@echo "make check-attach      1000 attaches and detaches on redis under load, and others"
	@echo "make check-debug       gdb on programs under the engine (DEBUG_ARGS='basic' for some)"
	@echo "make check-probe       probe mode: probes at every function of libc and the C++ library, 10,000 times in and out"
	@echo "make check-record      every test program recorded, and replayed three times under three tools"
	@echo "make check-opts        tools and programs with each optimisation off: the results must not change"
	@echo "make check-pristine    make run and make check on a pristine Debian 12 (PRISTINE_ARGS=--user: as an ordinary user)"
	@echo "make check-foreign     test programs of other systems, natively and under the engine (SUITES=dir)"
	@echo "make check-kit         the tests of a Pin kit that you have (KIT=dir)"
	@echo "make check-deep        other builds of the same sources: lock ranks, sanitizers, clang, lint, coverage (goes on where it was)"
	@echo "make check-ia32        IA-32 programs under the engine and its tools (docs/design/ia32.md)"
	@echo "make check-riscv64     the RISC-V 64 port under qemu, a test of the layers (docs/design/ports.md)"
	@echo "make check-system      whole systems under QEMU (docs/system.md)"
	@echo "make check-mutants     faults put into the engine, one at a time: the tests must see them"
	@echo "make check-api-checked names of the tool API made wrong, one at a time: the tests must see them"
	@echo "make api-status        write docs/api-status.md anew, from the headers and the tests of the tool API"
	@echo "make fuzz              the instruction fuzzer, also under tools, until it finds something"
	@echo "make fuzz-ia32         the same for IA-32 instructions"
	@echo "make fuzz-stops        signals at every address of the code cache, until it finds something"
	@echo "make fuzz-sys          the system call fuzzer (FUZZ_ARGS='--minutes 10'); make fuzz-elf: damaged ELF files"
	@echo "make bench             all benchmarks with the peers, writes docs/bench.md"
	@echo "make bench-quick       benchmarks on short inputs, 3 minutes (BENCH_ARGS='--compare old.json')"
	@echo "make install           PREFIX=/usr/local; make uninstall takes it away again"
	@echo "make deb               a Debian package in $(BUILD)"
	@echo "make clean"

run: all
	$(LAUNCHER) -t inscount -o $(BUILD)/inscount.out -- ls -l README.md
	@cat $(BUILD)/inscount.out

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/linchpin
	install -m 755 $(LAUNCHER) $(DESTDIR)$(PREFIX)/bin/linchpin
	install -m 755 $(ENGINE) $(DESTDIR)$(PREFIX)/lib/linchpin/linchpin-vm

# Every installed file is placed by a recipe of an install target, so a copy of the tree tells what there is to remove.
uninstall:
	rm -rf $(BUILD)/stage && $(MAKE) --no-print-directory install DESTDIR=$(abspath $(BUILD))/stage >/dev/null
	cd $(BUILD)/stage && find . ! -type d -print0 | (cd $(DESTDIR)/ && xargs -0 rm -f)
	cd $(BUILD)/stage && find . -depth -type d -path '*linchpin*' -print0 | (cd $(DESTDIR)/ && xargs -0 rmdir --ignore-fail-on-non-empty 2>/dev/null || true)
	rm -rf $(BUILD)/stage

# The package's architecture and the libraries that the tools and the engine are linked with are what this machine says.
DEB = $(BUILD)/linchpin_$(VERSION)_$(shell dpkg --print-architecture).deb
deb: all
	rm -rf $(BUILD)/deb && $(MAKE) --no-print-directory install PREFIX=/usr DESTDIR=$(abspath $(BUILD))/deb >/dev/null
	gzip -9nf $(BUILD)/deb/usr/share/man/man1/linchpin.1
	install -d $(BUILD)/deb/usr/share/doc/linchpin && install -m 644 LICENSE $(BUILD)/deb/usr/share/doc/linchpin/copyright
	scripts/deb-control $(VERSION) $(BUILD)/deb
	dpkg-deb --root-owner-group --build $(BUILD)/deb $(DEB) >/dev/null && rm -rf $(BUILD)/deb
	@echo $(DEB)

clean:
	rm -rf $(BUILD)

.PHONY: all run install uninstall deb clean check help deps deps-build
