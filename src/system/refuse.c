/* SPDX-License-Identifier: Apache-2.0
 * What cannot be had of a system is refused by its name: functions of the API that are not here (the build makes one
 * for each, which leads here) and arguments of analysis calls. */
#include "system/system.h"

#include <string.h>

void system_refuse(const char *what, const char *why)
{
    die(1, "%s: %s: not to be had of a whole system with this QEMU (docs/system.md says what is)", what, why);
}

static const char *const iarg_names[] = {
#include "iarg_names.h"
};

const char *iarg_name(u32 iarg)
{
    return iarg < ARRAY_LEN(iarg_names) && iarg_names[iarg] ? iarg_names[iarg] : "an IARG that has no name";
}

/* Why functions whose names begin so are not here. */
static const struct {
    const char *begins, *why;
} reasons[] = {
    {"RTN_", "the guest's routines have names (-symbols), and nothing more"},
    {"IMG_", "the guest's images are not known to the plugin, but for its kernel's name and place"},
    {"SEC_", "the guest's images are not known to the plugin"},
    {"SYM_", "the guest's symbols are not known to the plugin"},
    {"APP_", "there is no program, but a system"},
    {"CODECACHE_", "the translations are QEMU's"},
    {"PIN_GetContext", "QEMU 7.2 shows plugins no registers"},
    {"PIN_SetContext", "QEMU 7.2 lets plugins write no registers"},
    {"PIN_ExecuteAt", "QEMU 7.2 lets plugins write no registers"},
    {"INS_Delete", "QEMU executes all instructions"},
    {"INS_Insert", "QEMU executes the guest's instructions as they are"},
    {"INS_Rewrite", "QEMU executes the guest's instructions as they are"},
    {"PIN_AddSyscall", "system calls are the guest's kernel's"},
    {"PIN_GetSyscall", "system calls are the guest's kernel's"},
    {"PIN_AddContextChange", "signals are the guest's kernel's"},
    {"PIN_Intercept", "signals are the guest's kernel's"},
    {"OS_", "the guest's kernel is the operating system"},
};

/* For the functions that the build makes. */
void system_refuse_function(const char *name) NORETURN;
void system_refuse_function(const char *name)
{
    for (u32 i = 0; i < ARRAY_LEN(reasons); i++)
        if (strncmp(name, reasons[i].begins, strlen(reasons[i].begins)) == 0)
            system_refuse(name, reasons[i].why);
    system_refuse(name, "it is about a program");
}
