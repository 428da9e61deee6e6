/* SPDX-License-Identifier: Apache-2.0
 * linchpin points: runs linchpin-points (src/points), which lies beside the engine. It is a program of its own because
 * it needs a usual C library, and this one does without. */
#include "launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The word before argv is `points`, of which the program's name can take the place. */
int points_main(int argc, char **argv)
{
    static char path[PATH_MAX];
    (void)argc;
    if (!launcher_find(path, "lib/linchpin/linchpin-points"))
        die(1, "points: lib/linchpin/linchpin-points is missing beside the command: %s", strerror(errno));
    argv[-1] = path;
    execv(path, argv - 1);
    die(126, "points: %s: %s", path, strerror(errno));
}
