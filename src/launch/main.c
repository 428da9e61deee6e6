/* SPDX-License-Identifier: Apache-2.0
 * The linchpin command: checks everything that can be checked first, then chooses the way in. */
#include "launch/options.h"
#include "launch/target.h"
#include "os/linux/privilege.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* True: this process inherits orphans (pid 1 of a container, a subreaper), and would get the injector as a stray
 * child. */
static bool inherits_orphans(void)
{
    int reaper = 0;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &reaper) == 0 && reaper);
}

/* In a new pid namespace (clone, unshare) the /proc of the outer one shows other processes under the numbers that
 * the injector knows. */
static bool proc_shows_our_pids(void)
{
    char self[16] = "";
    return readlink("/proc/self", self, sizeof self - 1) > 0 && atoi(self) == getpid();
}

void need_proc(void)
{
    if (access("/proc/self/maps", R_OK))
        die(1, "/proc is not mounted here: it is needed to see what a process has mapped (mount -t proc proc /proc)");
}

static void check_tools(const struct launch *l)
{
    const char *const tools[] = {l->tool, l->narrow_tool, l->wide_tool};
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (tools[i])
            program_check_tool(tools[i]);
}

/* A chain may well have programs without one. */
static void say_if_without_tool(const struct launch *l, const struct program *p)
{
    const char *other = p->elf.narrow ? l->wide_tool : l->narrow_tool;
    if (other && !l->tool && !(p->elf.narrow ? l->narrow_tool : l->wide_tool) && !l->exec_path)
        msg("%s is %s program and runs without a tool: give it one by %s", p->path,
            p->elf.narrow ? "an IA-32" : "a 64-bit", p->elf.narrow ? "-t32" : "-t64");
}

int main(int argc, char **argv)
{
    static struct launch launch;
    static struct program program;
    const struct command *command = argc >= 2 ? command_find(argv[1]) : NULL;
    if (command)
        return command->run(argc - 2, argv + 2);
    options_parse(&launch, argc, argv);
    need_proc();
    if (launch.attach_status)
        return target_status(launch.pid);
    check_tools(&launch);
    host_prepare();
    if (launch.pid)
        return attach_main(launch.pid);
    program_resolve(&program, &launch);
    say_if_without_tool(&launch, &program);
    if (program.elf.narrow && launch.injection == INJECT_PTRACE)
        die(1, "%s is an IA-32 program, into which the engine does not get by ptrace: leave out -injection",
            program.path);
    bool by_ptrace = launch.injection == INJECT_PTRACE ||
                     (launch.injection == INJECT_AUTO && !inherits_orphans() && proc_shows_our_pids());
    by_ptrace &= !program.elf.narrow;
    bool privileged = privilege_changes(program.file);
    if (privileged && launch.privileged_natively)
        program_run_natively(&program);
    if (by_ptrace && (!privileged || privilege_kept_when_traced())) {
        int err = inject_launch(&program);
        if (launch.injection == INJECT_PTRACE)
            die(1, "ptrace is not possible here (%s): try -injection inprocess, and see linchpin doctor",
                strerror(err));
    }
    if (privileged)
        program_refuse_privileged(&program);
    inproc_launch(&program);
}
