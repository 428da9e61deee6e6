/* SPDX-License-Identifier: Apache-2.0
 * linchpin pinpoints: a program's simulation points by one command. It runs the program under the tool bbv, which
 * writes block vectors and figures of every interval, and then linchpin points, which chooses intervals, says how
 * well they foretell the figures of the whole run, and makes the page. */
#include "launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_OPTIONS 64
#define OWN_WORDS 16

static const char usage[] =
    "linchpin pinpoints [-o NAME] [-interval N] [options of linchpin points] -- PROGRAM [arguments]";

static struct {
    char *name, *interval;       /* of the files; instructions */
    char *options[MOST_OPTIONS]; /* for linchpin points */
    int noptions;
} asked = {.interval = "10000000"};

static char *name_of(char *program)
{
    char *slash = strrchr(program, '/');
    return slash ? slash + 1 : program;
}

/* Returns where the program is. */
static int take_words(int argc, char **argv)
{
    int i = 0;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        char **own = !strcmp(argv[i], "-o") ? &asked.name : !strcmp(argv[i], "-interval") ? &asked.interval : NULL;
        if (own && i + 1 < argc)
            *own = argv[++i];
        else if (asked.noptions < MOST_OPTIONS)
            asked.options[asked.noptions++] = argv[i];
        else
            die(1, "pinpoints: more than %d options", MOST_OPTIONS);
    }
    if (i + 1 >= argc)
        die(1, "pinpoints: no program given: %s", usage);
    asked.name = asked.name ? asked.name : name_of(argv[i + 1]);
    return i;
}

/* The vectors of an earlier run must not be taken for those of this one. */
static void remove_earlier(const char *vectors)
{
    if (unlink(vectors) && errno != ENOENT)
        die(1, "pinpoints: %s from an earlier run cannot be removed: %s", vectors, strerror(errno));
}

static int profile(char **program, int nwords)
{
    char out[PATH_MAX], **command = calloc((size_t)nwords + OWN_WORDS, sizeof *command);
    char *first[] = {"/proc/self/exe", "-t",       "bbv",      "-figures", "-interval",
                     asked.interval,   "-vectors", asked.name, "-o",       out};
    int n = 0;
    if (!command)
        die(1, "pinpoints: out of memory");
    base_format(out, sizeof out, "%s.bbv.txt", asked.name);
    for (u32 i = 0; i < ARRAY_LEN(first); i++)
        command[n++] = first[i];
    while (*program)
        command[n++] = *program++;
    int status = child_status(child_start(command));
    free(command);
    return status;
}

/* Does not return. Figures count in distances as much as blocks, if the user has said nothing else. */
static void choose(char *vectors)
{
    static char *words[MOST_OPTIONS + OWN_WORDS];
    char *first[] = {"points", "-o", asked.name, "-page", "-figures", "1"};
    int n = 0;
    for (u32 i = 0; i < ARRAY_LEN(first); i++)
        words[n++] = first[i];
    for (int i = 0; i < asked.noptions; i++)
        words[n++] = asked.options[i];
    words[n++] = vectors;
    points_main(n - 1, words + 1);
}

int pinpoints_main(int argc, char **argv)
{
    static char vectors[PATH_MAX], more[PATH_MAX];
    int program = take_words(argc, argv);
    base_format(vectors, sizeof vectors, "%s.T.0.bb", asked.name);
    base_format(more, sizeof more, "%s.T.1.bb", asked.name);
    remove_earlier(vectors);
    remove_earlier(more);
    signal(SIGINT, SIG_IGN); /* ends the program only; what it has done until then is looked at */
    signal(SIGQUIT, SIG_IGN);
    int status = profile(argv + program, argc - program);
    if (access(vectors, R_OK))
        die(status ? status : 1, "pinpoints: the run has left no vectors (%s): %s", vectors, strerror(errno));
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    if (status)
        msg("pinpoints: the program ended with status %d; its run until then is looked at", status);
    if (!access(more, F_OK))
        msg("pinpoints: the program has made threads; the points are those of its first one (linchpin points "
            "finds those of %s and the others)",
            more);
    choose(vectors);
    return 1;
}
