/* SPDX-License-Identifier: Apache-2.0
 * A plugin of QEMU's that knows nothing of Linchpin: it counts instructions and accesses by QEMU's own means, in the
 * same run as a tool. Beside the sums it has those of code in ranges, which are its options: name=from-to, in hex. */
#include "system/qemu.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST 32

int qemu_plugin_version = QEMU_INTERFACE_VERSION;
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

static struct part {
    char name[32];
    uint64_t from, to, instructions, loads, stores;
} part[MOST] = {{.name = "all", .to = ~0ull}};
static int nparts = 1;
static int one_cpu;

static void instruction(unsigned int vcpu, void *p)
{
    (void)vcpu;
    __atomic_fetch_add(&((struct part *)p)->instructions, 1, __ATOMIC_RELAXED);
}

/* An update that QEMU makes at once is a load and a store. */
static void access_made(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *p)
{
    (void)vcpu, (void)address;
    struct part *to = p;
    int both = (info >> 16 & QEMU_PLUGIN_MEM_RW) == QEMU_PLUGIN_MEM_RW;
    if (qemu_plugin_mem_is_store(info))
        __atomic_fetch_add(&to->stores, 1, __ATOMIC_RELAXED);
    if (both || !qemu_plugin_mem_is_store(info))
        __atomic_fetch_add(&to->loads, 1, __ATOMIC_RELAXED);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t pc = qemu_plugin_insn_vaddr(insn);
        for (struct part *p = part; p < part + nparts; p++) {
            if (pc < p->from || pc >= p->to)
                continue;
            if (one_cpu)
                qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &p->instructions, 1);
            else
                qemu_plugin_register_vcpu_insn_exec_cb(insn, instruction, QEMU_PLUGIN_CB_NO_REGS, p);
            qemu_plugin_register_vcpu_mem_cb(insn, access_made, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, p);
        }
    }
}

static void print(void)
{
    for (struct part *p = part; p < part + nparts; p++)
        fprintf(stderr, "qemu %s %lu %lu %lu\n", p->name, p->instructions, p->loads, p->stores);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    one_cpu = info->system.max_vcpus == 1;
    for (int i = 0; i < argc && nparts < MOST; i++)
        if (sscanf(argv[i], "%31[^=]=%lx-%lx", part[nparts].name, &part[nparts].from, &part[nparts].to) == 3)
            nparts++;
    atexit(print);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
