/* SPDX-License-Identifier: Apache-2.0
 * linchpin record and linchpin replay (docs/recordings.md): both start this command once more, in this process, with
 * the engine's options for it and without address randomisation, so that the engine is where the recorded program has
 * nothing. A replay puts the engine into a process whose program is never executed: it is the engine's own file. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_WORDS 8

static char **word;
static int nwords;

static void add(char *w) { word[nwords++] = w; }

/* Room for so many words of the user's, and the command's own. */
static void begin(int n)
{
    word = calloc((size_t)n + OWN_WORDS, sizeof *word);
    if (!word)
        die(1, "no memory for the command's words");
    add("linchpin");
}

static void start(void) NORETURN;
static void start(void)
{
    int persona = personality(0xffffffff);
    if (persona < 0 || personality((unsigned long)persona | ADDR_NO_RANDOMIZE) < 0)
        die(1, "address randomisation cannot be switched off, which a recording needs: %s", strerror(errno));
    execv("/proc/self/exe", word);
    die(1, "the linchpin command cannot be started again: %s", strerror(errno));
}

/* --- record ------------------------------------------------------------------------------------------------------- */

static const char record_usage[] = "linchpin record -o DIR [options] [-t TOOL [tool options]] -- PROGRAM [arguments]";

static void make_folder(const char *dir)
{
    char log[PATH_MAX];
    base_format(log, sizeof log, "%s/log", dir);
    if (mkdir(dir, 0777) && errno != EEXIST)
        die(1, "record: the folder %s cannot be made: %s", dir, strerror(errno));
    if (!access(log, F_OK))
        die(1, "record: %s has a recording already", dir);
    if (access(dir, W_OK | X_OK))
        die(1, "record: %s: %s", dir, strerror(errno));
}

int record_main(int argc, char **argv)
{
    char *dir = NULL;
    int i = 0;
    begin(argc);
    for (; i < argc && strcmp(argv[i], "--") != 0 && strcmp(argv[i], "-t") != 0; i++) {
        if (!strcmp(argv[i], "-o") && i + 1 < argc)
            dir = argv[++i];
        else
            add(argv[i]);
    }
    if (!dir || i == argc)
        die(1, "record: %s: %s", dir ? "no program given" : "no folder given", record_usage);
    make_folder(dir);
    add("-record");
    add(dir);
    while (i < argc)
        add(argv[i++]);
    start();
}

/* --- replay ------------------------------------------------------------------------------------------------------- */

int replay_main(int argc, char **argv)
{
    if (argc < 1 || argv[0][0] == '-')
        die(1,
            "replay: no recording given: linchpin replay DIR [-replay:show_output] [options] [-t TOOL [tool options]]");
    if (!*host_find_engine())
        die(1, "replay: the engine (../lib/linchpin/linchpin-vm) is missing");
    if (access(argv[0], R_OK | X_OK))
        die(1, "replay: %s: %s", argv[0], strerror(errno));
    begin(argc);
    add("-replay");
    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--"))
            die(1, "replay: a recording is replayed without its program (--)");
        add(argv[i]);
    }
    add("--");
    add((char *)host_find_engine());
    start();
}
