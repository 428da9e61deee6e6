/* SPDX-License-Identifier: Apache-2.0
 * linchpin gdb: starts the program under the engine, which waits for a debugger, and gdb, which connects to it by a
 * socket in a directory of this user's alone. Returns gdb's status; the directory goes then. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_WORDS 256
#define OWN_WORDS 5 /* that gdb gets in any case */
#define MOST_ARGUMENTS 4096

static char directory[128], place[160], wait_at[176], connect_to[192];

/* Words for gdb, and for the linchpin command that runs the program. */
static struct words {
    char *word[MOST_WORDS];
    int n;
} gdb, run;

static void add(struct words *w, char *word)
{
    if (w->n == MOST_WORDS - OWN_WORDS - 1)
        die(1, "linchpin gdb: more than %d options", MOST_WORDS);
    w->word[w->n++] = word;
}

/* Takes gdb's own options out of those before --. Returns where the program is. */
static int take_words(int argc, char **argv)
{
    int i = 0;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool value = !strcmp(argv[i], "-x") || !strcmp(argv[i], "-ex");
        if (!strcmp(argv[i], "-appdebug_exe") && i + 1 < argc) {
            gdb.word[0] = argv[++i];
        } else if ((value && i + 1 < argc) || !strcmp(argv[i], "-batch") || !strcmp(argv[i], "-nx")) {
            add(&gdb, argv[i]);
            if (value)
                add(&gdb, argv[++i]);
        } else if (!strcmp(argv[i], "-t")) { /* the rest is the tool's */
            while (i < argc && strcmp(argv[i], "--") != 0)
                add(&run, argv[i++]);
            break;
        } else {
            add(&run, argv[i]);
        }
    }
    if (i + 1 >= argc)
        die(1, "no program given: linchpin gdb [-x FILE] [-ex COMMAND] [-batch] [options] [-t TOOL [tool options]] "
               "-- PROGRAM [arguments]");
    return i;
}

static void make_place(void)
{
    const char *tmp = getenv("TMPDIR");
    base_format(directory, sizeof directory, "%s/linchpin-gdb.XXXXXX", tmp && strlen(tmp) < 64 ? tmp : "/tmp");
    if (!mkdtemp(directory))
        die(1, "no directory for the socket can be made (%s): %s", directory, strerror(errno));
    base_format(place, sizeof place, "%s/socket", directory);
    base_format(wait_at, sizeof wait_at, "unix:%s", place);
    base_format(connect_to, sizeof connect_to, "target remote %s", place);
}

static void clean_up(void)
{
    unlink(place);
    rmdir(directory);
}

/* The engine closes its end of the pipe, with a word before that, when it waits for the debugger. */
static bool is_ready(int fd)
{
    char byte;
    ssize_t n;
    do
        n = read(fd, &byte, 1);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

int gdb_main(int argc, char **argv)
{
    char number[16], *command[MOST_WORDS + MOST_ARGUMENTS];
    int n = 0, ready[2];
    gdb.word[0] = "gdb";
    gdb.n = 1;
    int program = take_words(argc, argv);
    if (argc - program > MOST_ARGUMENTS - 16)
        die(1, "linchpin gdb: the program has too many arguments");
    make_place();
    if (pipe2(ready, O_CLOEXEC) || fcntl(ready[1], F_SETFD, 0)) /* the other end is not for the program */
        die(1, "no pipe can be made: %s", strerror(errno));
    base_format(number, sizeof number, "%d", ready[1]);
    char *first[] = {"/proc/self/exe", "-appdebug", "-appdebug_silent", "-appdebug_forks", "-appdebug_connection",
        wait_at, "-appdebug_ready", number};
    for (u32 i = 0; i < ARRAY_LEN(first); i++)
        command[n++] = first[i];
    for (int i = 0; i < run.n; i++)
        command[n++] = run.word[i];
    for (int i = program; i < argc; i++)
        command[n++] = argv[i];
    command[n] = NULL;
    signal(SIGINT, SIG_IGN); /* the terminal's are gdb's */
    signal(SIGQUIT, SIG_IGN);
    int engine = child_start(command);
    close(ready[1]);
    if (!is_ready(ready[0])) {
        clean_up();
        return child_status(engine);
    }
    /* First, so that the user's own commands find the program. */
    char *own[OWN_WORDS] = {"-q", "-ex", "set sysroot /", "-ex", connect_to};
    memmove(gdb.word + 1 + OWN_WORDS, gdb.word + 1, (size_t)(gdb.n - 1) * sizeof gdb.word[0]);
    memcpy(gdb.word + 1, own, sizeof own);
    gdb.word[gdb.n + OWN_WORDS] = NULL;
    int status = child_status(child_start(gdb.word));
    clean_up();
    child_status(engine);
    return status;
}
