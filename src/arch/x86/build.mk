# SPDX-License-Identifier: Apache-2.0
# What the top Makefile has to know of x86-64.
MACHINE := x86_64
ARCH_API := src/api/*.c src/image/*.c src/debug/*.c src/probe/*.c src/os/linux/record/*.c
ARCH_CFLAGS := -mfsgsbase
# It runs with the guest's vector registers: neither they nor functions that use them.
$(BUILD)/obj/src/os/linux/x86/native_find.c.o: ARCH_CFLAGS += -mgeneral-regs-only -fno-builtin
ARCH_LIBS := -lZydis -l:libdw.a -l:libelf.a -l:libz.a -l:liblzma.a -l:libbz2.a -l:libiberty.a -l:libzstd.a
ARCH_DEPS := build
ARCH_LAUNCH := remote.c inject.c doctor.c cc.c compat.c newtool.c gdb.c place.c tasks.c timeouts.c target.c attach.c rollback.c detach.c dump.c patch.c
LAUNCH_BASE ?= 0x6a0000000000
