# SPDX-License-Identifier: Apache-2.0
# The linchpin command. Included from the top Makefile, which defines CC, BUILD, LP_CFLAGS, VERSION and Q.
#
# It is static and lies at an address of its own (LAUNCH_BASE, by architecture), far from all that the kernel gives to programs, so that in-process loading finds the program's native
# addresses free. Code linked above 2 GiB must not hold absolute 32-bit addresses: hence our own objects are PIC, no relaxation of GOT loads, and no crtbegin (only the one for low addresses fits -static, and C needs none).

LAUNCH_SRC := $(addprefix src/launch/,main.c commands.c options.c help.c topics.c manual.c toollist.c points.c pinpoints.c record.c system.c child.c program.c elfmap.c plan.c stack.c maps.c host.c inproc.c libcweak.c $(ARCH_LAUNCH)) $(wildcard src/launch/$(ARCH)/*.c) src/base/base.c src/base/suggest.c src/os/linux/privilege.c $(wildcard src/report/*.c)
LAUNCH_OBJ := $(patsubst src/%.c,$(BUILD)/obj/launch/%.o,$(LAUNCH_SRC)) $(BUILD)/obj/launch/report/assets.o
LAUNCH_CRT = $(shell $(CC) -print-file-name=$(1))
LAUNCH_PLACED = -static -nostartfiles -Wl,--no-relax -Wl,-Ttext-segment=$(LAUNCH_BASE) -Wl,-z,noexecstack \
	$(call LAUNCH_CRT,crt1.o) $(call LAUNCH_CRT,crti.o) $(LAUNCH_OBJ) $(call LAUNCH_CRT,crtn.o)
# LAUNCH_ORDINARY=1: a position-independent program with shared libraries, as sanitizers with a runtime want it; the guest cannot be loaded in-process then.
# LAUNCH_MORE: more of its sources.

$(BUILD)/obj/launch/%.o: src/%.c | deps-build
	@mkdir -p $(@D)
	@echo "  cc      $<"
	$(Q)$(CC) $(LP_CFLAGS) -DLP_VERSION='"$(VERSION)"' -fPIE -MMD -MP -c $< -o $@

# The page of `linchpin report` is a part of the command.
$(BUILD)/obj/launch/report/assets.o: src/report/assets.S $(wildcard share/report/*) | deps-build
	@mkdir -p $(@D)
	@echo "  as      $<"
	$(Q)$(CC) -c $< -o $@

$(BUILD)/bin/linchpin: $(LAUNCH_OBJ) $(LAUNCH_MORE)
	@mkdir -p $(@D)
	@echo "  link    $@"
	$(Q)$(CC) $(if $(LAUNCH_ORDINARY),-pie $(LAUNCH_OBJ) $(LAUNCH_MORE),$(LAUNCH_PLACED)) -o $@

-include $(LAUNCH_OBJ:.o=.d)

# Manual page, completions and what pkg-config says, printed by the command itself from its tables. BASH_COMPLETIONS and ZSH_COMPLETIONS are where the shells look.
BASH_COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions
PAGES := $(addprefix $(BUILD)/share/,linchpin.1 linchpin.bash _linchpin)
$(BUILD)/share/linchpin.1: WORDS := manual
$(BUILD)/share/linchpin.bash: WORDS := completion bash
$(BUILD)/share/_linchpin: WORDS := completion zsh
$(PAGES): $(BUILD)/bin/linchpin $(BUILD)/lib/linchpin/tools/list.tsv
	@mkdir -p $(@D)
	$(Q)$(BUILD)/bin/linchpin $(WORDS) >$@.new && mv $@.new $@

.PHONY: install-pages
install: install-pages
install-pages: tools $(PAGES)
	install -d $(addprefix $(DESTDIR),$(PREFIX)/share/man/man1 $(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(PREFIX)/lib/pkgconfig)
	install -m 644 $(BUILD)/share/linchpin.1 $(DESTDIR)$(PREFIX)/share/man/man1/linchpin.1
	install -m 644 $(BUILD)/share/linchpin.bash $(DESTDIR)$(BASH_COMPLETIONS)/linchpin
	install -m 644 $(BUILD)/share/_linchpin $(DESTDIR)$(ZSH_COMPLETIONS)/_linchpin
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' share/linchpin.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/linchpin.pc
