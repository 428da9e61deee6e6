# SPDX-License-Identifier: Apache-2.0
# Unit tests: stand-alone cmocka programs, each linked with the engine modules it needs and no others. `make check-unit` runs them all.
UNIT_TESTS := base maps hostmem gmap malloc hostfd procfs

UNIT_HOSTMEM := base/base os/linux/hostmem os/linux/hostranges os/linux/freelist os/linux/mapsfile os/linux/gmap
UNIT_base := base/base
UNIT_maps := base/base os/linux/mapsfile
UNIT_hostmem := $(UNIT_HOSTMEM)
UNIT_gmap := $(UNIT_HOSTMEM)
UNIT_malloc := $(UNIT_HOSTMEM) os/linux/hostheap os/linux/hostmalloc
UNIT_hostfd := $(UNIT_HOSTMEM) os/linux/hostfd os/linux/streams os/linux/hosttask
# What hostmem makes its own system calls with.
UNIT_RAW := $(BUILD)/obj/src/arch/x86/raw.S.o
UNIT_procfs := $(UNIT_HOSTMEM) os/linux/hostfd os/linux/streams os/linux/hosttask os/linux/procfs os/linux/procread os/linux/procview

UNIT_TESTS += sigframe
UNIT_sigframe := base/base os/linux/altstack os/linux/x86/sigframe os/linux/x86/sigframe32 arch/x86/narrow

UNIT_TESTS += facts
UNIT_facts := base/base opt/events $(addprefix arch/x86/,narrow decoder facts ins_facts forms layout request facts_fix facts_format facts_memory regs xed_names) \
	$(addprefix api/,ins_facts ins_basic ins_kind ins_operand ins_memory reg xed xed_operand xed_text xed_inst xed_enums xed_fields xed_encode xed_values)
UNIT_LIBS_facts := -lZydis

UNIT_TESTS += forms
UNIT_forms := base/base $(addprefix arch/x86/,narrow decoder facts forms layout facts_fix regs xed_names) api/xed_enums
UNIT_LIBS_forms := -lZydis

UNIT_TESTS += encode
UNIT_encode = $(UNIT_facts)
UNIT_LIBS_encode := -lZydis

UNIT_TESTS += quick
UNIT_quick := base/base $(addprefix arch/x86/,quick decode decoder effect transcode narrow)
UNIT_LIBS_quick := -lZydis

UNIT_TESTS += transcode
UNIT_transcode := $(UNIT_quick)
UNIT_LIBS_transcode := -lZydis

# The routine form: functions compiled at three levels, without what sanitizers and others would add to them, and an interpreter.
UNIT_TESTS += rop summary fold
UNIT_FORM := base/base arch/x86/lift arch/x86/decoder opt/rop opt/form
UNIT_rop := $(UNIT_FORM)
UNIT_summary := $(UNIT_FORM) opt/summary opt/events
UNIT_fold := $(UNIT_FORM) $(addprefix opt/,body body_emit fold routine routine_result) arch/x86/emit_rop arch/x86/narrow
UNIT_LIBS_rop := -lZydis
UNIT_LIBS_fold := -lZydis
UNIT_LIBS_summary := -lZydis
UNIT_LEVELS := 0 1 2
UNIT_MORE_rop := $(BUILD)/obj/tests/unit/rop_run.c.o $(UNIT_LEVELS:%=$(BUILD)/obj/tests/unit/routines_%.o)
UNIT_MORE_fold := $(UNIT_LEVELS:%=$(BUILD)/obj/tests/unit/routines_%.o)
UNIT_MORE_summary := $(UNIT_LEVELS:%=$(BUILD)/obj/tests/unit/counters_%.o)
UNIT_COMPILE = $(Q)$(CC) -fno-sanitize=all -std=gnu11 -O$* -g -fPIE -mgeneral-regs-only -Isrc -MMD -MP -c $< -o $@
$(UNIT_LEVELS:%=$(BUILD)/obj/tests/unit/routines_%.o): $(BUILD)/obj/tests/unit/routines_%.o: tests/unit/routines.c
	@mkdir -p $(@D)
	@echo "  cc      $< (-O$*)"
	$(UNIT_COMPILE) -DROUTINES=routines_$*
$(UNIT_LEVELS:%=$(BUILD)/obj/tests/unit/counters_%.o): $(BUILD)/obj/tests/unit/counters_%.o: tests/unit/counters.c
	@mkdir -p $(@D)
	@echo "  cc      $< (-O$*)"
	$(UNIT_COMPILE) -DCOUNTS=counts_$* -DOTHERS=others_$*
-include $(wildcard $(BUILD)/obj/tests/unit/rop_run.c.d $(BUILD)/obj/tests/unit/routines_*.d $(BUILD)/obj/tests/unit/counters_*.d)

UNIT_TESTS += records
UNIT_records := base/base cache/statemap opt/counts

UNIT_TESTS += hold
UNIT_hold := base/base opt/hold opt/carry opt/pass

UNIT_TESTS += links
UNIT_links := cache/link cache/records cache/tables $(UNIT_HOSTMEM)

UNIT_TESTS += regions
UNIT_regions := cache/region cache/open cache/records cache/tables arch/x86/narrow $(UNIT_HOSTMEM)

UNIT_TESTS += recover
UNIT_recover := base/base arch/x86/recover arch/x86/narrow cache/statemap cache/place opt/carry_at

# Images and symbols: of files, and of the test's own process. What a trace is they need not know (image_tools.h).
UNIT_TESTS += image image_live
UNIT_image := $(patsubst src/%.c,%,$(wildcard src/image/*.c)) $(addprefix api/,callback_list img sec rtn sym source ins_facts) base/misuse opt/objects opt/events base/options os/events \
	$(addprefix arch/x86/,decode decoder effect transcode narrow quick facts ins_facts forms layout request facts_fix facts_format facts_memory regs xed_names) $(UNIT_HOSTMEM)
UNIT_image_live := $(UNIT_image)
UNIT_LIBS_image := -lZydis -l:libdw.a -l:libelf.a -l:libz.a -l:liblzma.a -l:libbz2.a -l:libiberty.a -ldl
UNIT_LIBS_image_live := $(UNIT_LIBS_image)

# The table of system calls, with the system call fuzzer's own and what the kernel's headers say.
UNIT_TESTS += syscalls
UNIT_syscalls := base/base
UNIT_MORE_syscalls := $(BUILD)/obj/tests/fuzz/sys/sys_table.c.o
$(BUILD)/obj/tests/unit/test_syscalls.c.o: $(patsubst %,$(BUILD)/gen/%/syscalls.h,x86_64 i386 arm aarch64 riscv64) $(patsubst %,$(BUILD)/gen/%/numbers.h,x86_64 i386)
$(BUILD)/obj/tests/unit/test_syscalls.c.o: LP_CFLAGS += -I$(BUILD)/gen
$(BUILD)/gen/x86_64/numbers.h: UNISTD := asm/unistd_64.h
$(BUILD)/gen/i386/numbers.h: UNISTD := asm/unistd_32.h
$(BUILD)/gen/%/numbers.h: | deps-build
	@mkdir -p $(@D)
	$(Q)echo '#include <$(UNISTD)>' | $(CC) -E -dM - | sed -nE 's/^#define __NR_([a-z0-9_]+) ([0-9]+)$$/UNISTD(\1, \2)/p' >$@.new && mv $@.new $@

UNIT_FORGOTTEN := $(filter-out $(UNIT_TESTS:%=tests/unit/test_%.c),$(wildcard tests/unit/test_*.c))
ifneq ($(UNIT_FORGOTTEN),)
$(error tests/unit/build.mk does not list $(UNIT_FORGOTTEN) in UNIT_TESTS)
endif

UNIT_BINS := $(UNIT_TESTS:%=$(BUILD)/tests/unit/test_%)

define UNIT_RULE
$(BUILD)/tests/unit/test_$(1): $(BUILD)/obj/tests/unit/test_$(1).c.o $(UNIT_$(1):%=$(BUILD)/obj/src/%.c.o) $(UNIT_MORE_$(1)) \
		$(if $(filter os/linux/hostmem,$(UNIT_$(1))),$(UNIT_RAW))
	@mkdir -p $$(@D)
	$$(CC) -pie $$^ -o $$@ -lcmocka -lpthread $(UNIT_LIBS_$(1))
endef
$(foreach t,$(UNIT_TESTS),$(eval $(call UNIT_RULE,$(t))))

# The compiler must not reason about malloc: it is what is tested.
$(BUILD)/obj/tests/unit/test_malloc.c.o: LP_CFLAGS += -fno-builtin

check-unit: $(UNIT_BINS)
	@for t in $(UNIT_BINS); do echo "== $$t"; $$t || exit 1; done

check-build: $(UNIT_BINS)
.PHONY: check-unit
-include $(UNIT_TESTS:%=$(BUILD)/obj/tests/unit/test_%.c.d)
