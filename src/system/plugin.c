/* SPDX-License-Identifier: Apache-2.0
 * The plugin as QEMU sees it: looked at, loaded with the tool, told of processors, blocks and the end. */
#include "system/system.h"

#include "arch/arch.h"

#include <stdlib.h>

/* Tools look whether it is there: processors are no threads that a program makes. */
extern const bool lp_whole_system;
const bool lp_whole_system = true;

__attribute__((visibility("default"))) int qemu_plugin_version = QEMU_INTERFACE_VERSION;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                                               char **argv);

struct cpu cpus[MAX_CPUS];
u32 cpu_most;
__thread u32 cpu_now __attribute__((tls_model("initial-exec"))) = ~0u;

static void cpu_is_there(qemu_plugin_id_t id, unsigned int vcpu)
{
    (void)id;
    cpu_starts(vcpu);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (!info->system_emulation)
        die(1, "the plugin is for whole systems, which qemu-system-* runs; linchpin itself runs a program");
    if (!guest_known(info->target_name))
        die(1, "a guest of the architecture %s is not supported; x86_64 and i386 are", info->target_name);
    if (info->system.max_vcpus > MAX_CPUS)
        die(1, "the guest may have %d processors, more than %d", info->system.max_vcpus, MAX_CPUS);
    cpu_most = (u32)info->system.max_vcpus;
    asked_read();
    guest_start();
    if (!asked.tool)
        return 0;
    symbols_read();
    tool_load();
    atexit(callbacks_system_ends);
    fault_watch();
    qemu_plugin_register_vcpu_init_cb(id, cpu_is_there);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate_block);
    qemu_plugin_register_flush_cb(id, translate_flushed);
    return 0;
}
