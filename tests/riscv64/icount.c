/* SPDX-License-Identifier: Apache-2.0
 * A plugin for qemu-user that counts the instructions of its guest: the count that the engine's is compared with.
 * Prototypes are our own, because no package has the header. Version 1 of the interface. Argument: out=PATH. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct qemu_plugin_tb;
typedef uint64_t plugin_id;
enum { INLINE_ADD_U64 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
void *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
void qemu_plugin_register_vcpu_insn_exec_inline(void *insn, int op, void *ptr, uint64_t imm);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*cb)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(plugin_id id, void (*cb)(plugin_id, void *), void *arg);

extern __attribute__((visibility("default"))) int qemu_plugin_version;
int qemu_plugin_version = 1;
static uint64_t count;
static char path[4096];

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
        qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_tb_get_insn(tb, i), INLINE_ADD_U64, &count, 1);
}

static void at_exit(plugin_id id, void *arg)
{
    (void)id, (void)arg;
    FILE *f = fopen(path, "w");
    if (!f)
        return;
    fprintf(f, "%lu\n", (unsigned long)count);
    fclose(f);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], "out=", 4) == 0)
            snprintf(path, sizeof path, "%s", argv[i] + 4);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, at_exit, NULL);
    return path[0] ? 0 : -1;
}
