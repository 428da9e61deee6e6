/* SPDX-License-Identifier: Apache-2.0
 * What the command does not do on RISC-V 64 yet: everything that needs ptrace, and the building of tools. */
#include "launch/launch.h"
#include "launch/target.h"

#include <errno.h>

static int refuse(const char *what) { die(1, "%s is not done on " MACHINE_NAME " yet", what); }

/* Programs are loaded without it. */
int inject_launch(const struct program *p) { return (void)p, ENOSYS; }
int doctor_main(int argc, char **argv) { return (void)argc, (void)argv, refuse("doctor"); }
int attach_main(int pid) { return (void)pid, refuse("attach"); }
int patch_main(int argc, char **argv) { return (void)argc, (void)argv, refuse("patch"); }
int detach_main(int argc, char **argv) { return (void)argc, (void)argv, refuse("detach"); }
int dump_main(int argc, char **argv) { return (void)argc, (void)argv, refuse("dump"); }
int gdb_main(int argc, char **argv) { return (void)argc, (void)argv, refuse("gdb"); }
int target_status(int pid) { return (void)pid, refuse("attach"); }
int cc_main(int argc, char **argv) { return (void)argc, (void)argv, refuse("cc"); }
int newtool_main(int argc, char **argv) { return (void)argc, (void)argv, refuse("new"); }
