# SPDX-License-Identifier: Apache-2.0
# Installs what tools are built with: headers, and a PIN_ROOT for makefiles written for Pin. Included from the top Makefile.
PIN_COMPAT_DIR = $(DESTDIR)$(PREFIX)/share/linchpin/pin
HEADER_DIR = $(DESTDIR)$(PREFIX)/include/linchpin-pin

# Makefiles that call the compiler themselves name the libraries of Pin's kit. Here they are linker scripts: those of Pin are empty (the engine has what a tool calls), those of its C library
# stand for the ordinary ones.
PIN_EMPTY_LIBS := lib/libpin.a lib/libsapin.a lib/libxed.a lib/libpinplay.a lib/libcontroller.a lib-ext/libpin3dwarf.a lib-ext/libpindwarf.a lib-ext/libdwarf.a lib-ext/libelf.a
PIN_CRT_LIBS := c-dynamic:c m-dynamic:m dl-dynamic:dl pthread-dynamic:pthread stlport-dynamic:stdc++ c++:stdc++ c++abi:stdc++ unwind-dynamic:gcc_s

.PHONY: install-dev
install: install-dev
install-dev:
	install -d $(HEADER_DIR)/linchpin $(HEADER_DIR)/extras $(addprefix $(HEADER_DIR)/components/,atomic util) $(PIN_COMPAT_DIR)/source/tools/Config $(PIN_COMPAT_DIR)/source/include
	install -d $(addprefix $(PIN_COMPAT_DIR)/,intel64/bin intel64/lib intel64/lib-ext intel64/runtime/pincrt extras/components/lib/intel64 extras/xed-intel64/include extras/xed2-intel64)
	install -m 644 $(wildcard include/*.h include/*.H) $(HEADER_DIR)
	install -m 644 include/linchpin/tool.map $(HEADER_DIR)/pintool.ver
	install -m 644 $(wildcard include/linchpin/*) $(HEADER_DIR)/linchpin
	install -m 644 $(wildcard include/extras/*) $(HEADER_DIR)/extras
	install -Dm 644 include/ia32/asm/unistd.h $(HEADER_DIR)/ia32/asm/unistd.h
	install -m 644 $(wildcard include/components/*.h include/components/*.hpp) $(HEADER_DIR)/components
	install -m 644 $(wildcard include/components/atomic/*) $(HEADER_DIR)/components/atomic
	install -m 644 $(wildcard include/components/util/*) $(HEADER_DIR)/components/util
	install -m 644 $(wildcard share/pin-compat/source/tools/Config/*) $(PIN_COMPAT_DIR)/source/tools/Config
	install -m 644 share/pin-compat/source/tools/makefile.gnu.config $(PIN_COMPAT_DIR)/source/tools
	install -m 755 share/pin-compat/pin $(PIN_COMPAT_DIR)/pin
	ln -sfn ../../../../../include/linchpin-pin $(PIN_COMPAT_DIR)/source/include/pin
	ln -sfn ../../../../../include/linchpin-pin/components $(PIN_COMPAT_DIR)/extras/components/include
	ln -sfn ../../../../../../include/linchpin-pin $(PIN_COMPAT_DIR)/extras/xed-intel64/include/xed
	ln -sfn ../../../../../include/linchpin-pin $(PIN_COMPAT_DIR)/extras/xed2-intel64/include
	for dir in InstLib Utils Memory; do ln -sfn ../../../../../include/linchpin-pin/extras $(PIN_COMPAT_DIR)/source/tools/$$dir; done
	for name in pin pinbin; do ln -sfn ../../pin $(PIN_COMPAT_DIR)/intel64/bin/$$name; done
	for lib in $(PIN_EMPTY_LIBS); do echo '/* Nothing: the engine has it. */' >$(PIN_COMPAT_DIR)/intel64/$$lib; done
	echo '/* Nothing: it is all in the headers. */' >$(PIN_COMPAT_DIR)/extras/components/lib/intel64/libatomic.a
	for lib in $(PIN_CRT_LIBS); do echo "INPUT ( -l$${lib#*:} )" >$(PIN_COMPAT_DIR)/intel64/runtime/pincrt/lib$${lib%:*}.so; done
	echo 'PROVIDE_HIDDEN(__dso_handle = _DYNAMIC);' >$(PIN_COMPAT_DIR)/intel64/runtime/pincrt/crtbeginS.o
	echo '/* Nothing. */' >$(PIN_COMPAT_DIR)/intel64/runtime/pincrt/crtendS.o
