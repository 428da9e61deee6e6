# SPDX-License-Identifier: Apache-2.0
# Installs what tools are built with: headers, and a PIN_ROOT for makefiles written for Pin. Included from the top Makefile.
PIN_COMPAT_DIR = $(DESTDIR)$(PREFIX)/share/linchpin/pin
HEADER_DIR = $(DESTDIR)$(PREFIX)/include/linchpin-pin

.PHONY: install-dev
install: install-dev
install-dev:
	install -d $(HEADER_DIR)/linchpin $(HEADER_DIR)/extras $(PIN_COMPAT_DIR)/source/tools/Config $(PIN_COMPAT_DIR)/source/include $(PIN_COMPAT_DIR)/intel64/bin
	install -m 644 $(wildcard include/*.h include/*.H) $(HEADER_DIR)
	install -m 644 $(wildcard include/linchpin/*) $(HEADER_DIR)/linchpin
	install -m 644 $(wildcard include/extras/*) $(HEADER_DIR)/extras
	install -m 644 $(wildcard share/pin-compat/source/tools/Config/*) $(PIN_COMPAT_DIR)/source/tools/Config
	install -m 755 share/pin-compat/pin $(PIN_COMPAT_DIR)/pin
	ln -sfn ../../../../../include/linchpin-pin $(PIN_COMPAT_DIR)/source/include/pin
	ln -sfn ../../pin $(PIN_COMPAT_DIR)/intel64/bin/pin
