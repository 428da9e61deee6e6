# SPDX-License-Identifier: Apache-2.0
# What the top Makefile has to know of RISC-V 64: of src/api only what inserts calls is built, of src/launch what needs no ptrace
# (docs/design/ports.md); the tool, which counts, is a part of the engine.
MACHINE := riscv64
ARCH_API := src/api/insert.c src/api/trace_api.c tests/riscv64/tool.c
ARCH_CFLAGS :=
ARCH_LIBS := -latomic
ARCH_DEPS := riscv64
ARCH_LAUNCH :=
LAUNCH_BASE ?= 0x18000000
