# SPDX-License-Identifier: Apache-2.0
# The plugin by which QEMU runs whole systems under a tool (docs/system.md). Included from the top Makefile. It is made of sources of its own and of those of the engine that tell what
# an instruction is and read a tool's calls; a function of the API that is in neither is one that says so by its name.
SYSTEM := $(BUILD)/lib/linchpin/linchpin-system.so
SYSTEM_OWN := $(wildcard src/system/*.c src/system/$(ARCH)/*.c)
SYSTEM_SHARED := $(addprefix src/,$(addsuffix .c,$(addprefix api/,ins_basic ins_facts ins_kind ins_memory ins_operand reg tool_regs xed xed_operand xed_text xed_inst xed_enums xed_fields xed_encode xed_values trace_api iarglist insert usage info locks) \
	$(addprefix opt/,objects events regset summary form rop fold routine_result) $(addprefix base/,base options suggest misuse) os/linux/hostconst \
	$(addprefix arch/x86/,decode decoder effect quick facts facts_fix facts_format facts_memory ins_facts xed_names regs forms layout request lift narrow transcode)))
SYSTEM_OBJ := $(patsubst src/%.c,$(BUILD)/obj/system/%.o,$(SYSTEM_OWN) $(SYSTEM_SHARED))
SYSTEM_GEN := $(BUILD)/gen/system
SYSTEM_DEMO := $(BUILD)/lib/linchpin/system-demo
all: $(SYSTEM) $(SYSTEM_DEMO)

$(SYSTEM_DEMO): share/system/demo
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

$(SYSTEM_GEN)/iarg_names.h: include/linchpin/iarg.h
	@mkdir -p $(@D)
	$(Q)sed -n 's/^    \(IARG_[A-Z0-9_]*\) = \([0-9]*\),.*/[\2] = "\1",/p' $< >$@.new && mv $@.new $@

$(BUILD)/obj/system/%.o: src/%.c | deps-build $(SYSTEM_GEN)/iarg_names.h
	@mkdir -p $(@D)
	@echo "  cc      $<"
	$(Q)$(CC) $(LP_CFLAGS) -I$(SYSTEM_GEN) -fPIC -fno-stack-protector $(ARCH_CFLAGS) -DLP_VERSION='"$(VERSION)"' -MMD -MP -c $< -o $@

# What tools and QEMU find in it: the API's patterns of the engine's list, without libc's functions.
$(SYSTEM_GEN)/exports.map: src/api/exports.list
	@mkdir -p $(@D)
	$(Q)(echo '{ global: qemu_plugin_version; qemu_plugin_install;'; sed -n '/pthread_create/d;s/^    //p' $<; echo 'local: *; };') >$@.new && mv $@.new $@

$(SYSTEM_GEN)/refused.c: $(ENGINE) $(SYSTEM_OBJ)
	@mkdir -p $(@D)
	$(Q)nm --defined-only $(SYSTEM_OBJ) | awk 'NF == 3 { print $$3 }' | sort -u >$(@D)/here
	$(Q)nm -D --defined-only $(ENGINE) | awk '$$2 == "T" && $$3 ~ /^[A-Za-z]+_|^Milli/ && $$3 !~ /^(pthread|posix|malloc|aligned)_/ { print $$3 }' | sort -u >$(@D)/all
	$(Q)(echo 'void system_refuse_function(const char *name);'; comm -23 $(@D)/all $(@D)/here | sed 's/.*/void &(void); void &(void) { system_refuse_function("&"); }/') >$@.new && mv $@.new $@

$(SYSTEM): $(SYSTEM_OBJ) $(SYSTEM_GEN)/refused.c $(SYSTEM_GEN)/exports.map
	@mkdir -p $(@D)
	@echo "  link    $@"
	$(Q)$(CC) -O2 -fPIC -fno-builtin -c $(SYSTEM_GEN)/refused.c -o $(SYSTEM_GEN)/refused.o
	$(Q)$(CC) -shared -Wl,-Bsymbolic -Wl,-z,noexecstack -Wl,--version-script=$(SYSTEM_GEN)/exports.map $(SYSTEM_OBJ) $(SYSTEM_GEN)/refused.o -o $@.new -lZydis -lpthread -ldl
	$(Q)! nm -D --undefined-only $@.new | grep -v '@\| w \| _*qemu_plugin_\| Zydis' >&2 || { echo "$@: these are in none of its sources (src/system/bottom.c)" >&2; exit 1; }
	$(Q)mv $@.new $@

install: install-system
.PHONY: install-system
install-system: $(SYSTEM)
	install -d $(DESTDIR)$(PREFIX)/lib/linchpin
	install -m 755 $(SYSTEM) $(DESTDIR)$(PREFIX)/lib/linchpin/linchpin-system.so
	install -m 755 $(SYSTEM_DEMO) $(DESTDIR)$(PREFIX)/lib/linchpin/system-demo

-include $(SYSTEM_OBJ:.o=.d)
