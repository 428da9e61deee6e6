# SPDX-License-Identifier: Apache-2.0
# The bundled tools: tools/NAME.cpp becomes lib/linchpin/tools/NAME.so, where `linchpin -t NAME` finds it. Included from the top Makefile.
TOOLS := $(patsubst tools/%.cpp,$(BUILD)/lib/linchpin/tools/%.so,$(wildcard tools/*.cpp))

.PHONY: tools check-tools install-tools
all: tools
tools: $(TOOLS) $(BUILD)/lib/linchpin/tools/list.tsv

# What `linchpin tools` prints: the rows of the table in docs/tools/README.md, name and text, without marks.
$(BUILD)/lib/linchpin/tools/list.tsv: docs/tools/README.md
	@mkdir -p $(@D)
	$(Q)sed -n 's/^| \[\([a-z0-9_]*\)\]([^)]*) | \(.*\) |$$/\1\t\2/p' $< | tr -d '`' >$@.new && mv $@.new $@

# What `linchpin cc` does; by hand, because it finds the headers only beside an installed launcher or in its own tree, and BUILD may be anywhere.
TOOL_OBJECT_FLAGS := -O2 -fPIC -fno-strict-aliasing -fno-stack-protector -fcf-protection=none
TOOL_FLAGS := $(TOOL_OBJECT_FLAGS) -shared -Wl,-Bsymbolic -Wl,-z,noexecstack -Wl,--version-script=include/linchpin/tool.map

TOOL_HEADERS := $(wildcard tools/*.h tools/lib/*.h include/*.H include/*.h include/linchpin/* include/extras/*)

# What tools share apart from headers: results and their formats. A tool takes what it uses.
TOOL_LIB := $(BUILD)/tools/lib.a
TOOL_LIB_OBJECTS := $(patsubst tools/lib/%.cpp,$(BUILD)/tools/lib/%.o,$(wildcard tools/lib/*.cpp))
$(TOOL_LIB_OBJECTS): $(BUILD)/tools/lib/%.o: tools/lib/%.cpp $(TOOL_HEADERS) | deps-build
	@mkdir -p $(@D)
	@echo "  c++     $<"
	$(Q)$(CXX) $(TOOL_OBJECT_FLAGS) $(WARN) -Iinclude -Iinclude/extras -Itools -c $< -o $@
$(TOOL_LIB): $(TOOL_LIB_OBJECTS)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/lib/linchpin/tools/%.so: tools/%.cpp $(TOOL_LIB) $(TOOL_HEADERS) | deps-build
	@mkdir -p $(@D)
	@echo "  tool    $<"
	$(Q)$(CXX) $(TOOL_FLAGS) $(WARN) -Iinclude -Iinclude/extras -Itools $(TOOL_INCLUDES) $< $(TOOL_LIB) -o $@ $(TOOL_LIBS)

# Those that read the engine's table of system calls.
SYSCALL_TOOLS := $(addprefix $(BUILD)/lib/linchpin/tools/,strace.so taint.so heapcheck.so)
$(SYSCALL_TOOLS): TOOL_INCLUDES := -Isrc -I$(BUILD)/gen
$(SYSCALL_TOOLS): $(BUILD)/gen/x86_64/syscalls.h $(BUILD)/gen/i386/syscalls.h src/os/linux/syscall_info.h

# A reader for the files of one of them.
# What writes Parquet, or a compressed trace.
$(addprefix $(BUILD)/lib/linchpin/tools/,memtrace.so itrace.so): TOOL_LIBS := -lzstd

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
	install -m 644 $(BUILD)/lib/linchpin/tools/list.tsv $(DESTDIR)$(PREFIX)/lib/linchpin/tools
	install -m 755 $(MEMTRACE) $(DESTDIR)$(PREFIX)/bin
