# SPDX-License-Identifier: Apache-2.0
# The bundled tools: tools/NAME.cpp becomes lib/linchpin/tools/NAME.so, where `linchpin -t NAME` finds it. Included from the top Makefile.
TOOLS := $(patsubst tools/%.cpp,$(BUILD)/lib/linchpin/tools/%.so,$(wildcard tools/*.cpp))

.PHONY: tools check-tools install-tools
all: tools
tools: $(TOOLS)

# What `linchpin cc` does; by hand, because it finds the headers only beside an installed launcher or in its own tree, and BUILD may be anywhere.
TOOL_FLAGS := -O2 -fPIC -fno-strict-aliasing -fno-stack-protector -fcf-protection=none -shared -Wl,-Bsymbolic -Wl,-z,noexecstack -Wl,--version-script=include/linchpin/tool.map

$(BUILD)/lib/linchpin/tools/%.so: tools/%.cpp $(wildcard tools/*.h include/*.H include/*.h include/linchpin/* include/extras/*) | deps-build
	@mkdir -p $(@D)
	@echo "  tool    $<"
	$(Q)$(CXX) $(TOOL_FLAGS) $(WARN) -Iinclude -Iinclude/extras $(TOOL_INCLUDES) $< -o $@ $(TOOL_LIBS)

# Those that read the engine's table of system calls.
SYSCALL_TOOLS := $(addprefix $(BUILD)/lib/linchpin/tools/,strace.so taint.so)
$(SYSCALL_TOOLS): TOOL_INCLUDES := -Isrc -I$(BUILD)/gen
$(SYSCALL_TOOLS): $(BUILD)/gen/x86_64/syscalls.h $(BUILD)/gen/i386/syscalls.h src/os/linux/syscall_info.h

# A reader for the files of one of them.
$(BUILD)/lib/linchpin/tools/memtrace.so: TOOL_LIBS := -lzstd
MEMTRACE := $(BUILD)/bin/linchpin-memtrace
tools: $(MEMTRACE)
$(MEMTRACE): tools/linchpin-memtrace.c tools/memtrace.h | deps-build
	@mkdir -p $(@D)
	@echo "  cc      $<"
	$(Q)$(CC) -O2 $(WARN) $< -o $@ -lzstd

check-tools: all
	@tests/tools/run.py

install: install-tools
install-tools: tools
	install -d $(DESTDIR)$(PREFIX)/lib/linchpin/tools $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(TOOLS) $(DESTDIR)$(PREFIX)/lib/linchpin/tools
	install -m 755 $(MEMTRACE) $(DESTDIR)$(PREFIX)/bin
