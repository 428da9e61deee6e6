/* SPDX-License-Identifier: Apache-2.0
 * linchpin system: becomes QEMU, with the plugin (src/system) that loads the tool. What the plugin is to know goes by
 * the environment, word by word. */
#include "launch/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASKED "LINCHPIN_SYSTEM="
#define WORD_END '\037'
#define ASKED_BYTES (128u << 10) /* what the kernel takes as one word of the environment */

static const char usage[] = "linchpin system [-whole_blocks] [-symbols guest|FILE] [-threads guest] "
                            "[-t TOOL [tool options]] -- qemu-system-x86_64 [QEMU's arguments]";

static char *asked; /* ASKED_BYTES */
static size_t length;

static void *room_for(size_t n, size_t bytes)
{
    void *p = calloc(n, bytes);
    if (!p)
        die(1, "system: out of memory");
    return p;
}

static void begin_asking(void)
{
    asked = room_for(ASKED_BYTES, 1);
    length = sizeof ASKED - 1;
    memcpy(asked, ASKED, length);
}

static void ask(const char *word)
{
    size_t n = strlen(word);
    if (strchr(word, WORD_END))
        die(1, "system: a word has a control character in it: %s", word);
    if (length + n + 2 > ASKED_BYTES)
        die(1, "system: the options are too long");
    memcpy(asked + length, word, n);
    length += n;
    asked[length++] = WORD_END;
}

/* Returns where QEMU is. */
static int take_words(int argc, char **argv)
{
    bool guest_threads = false, symbols = false;
    int i = 0;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-whole_blocks") == 0) {
            ask(argv[i]);
        } else if (strcmp(argv[i], "-symbols") == 0) {
            if (i + 1 >= argc || strcmp(argv[i + 1], "--") == 0)
                die(1, "option -symbols needs `guest`, for those in the guest's memory, or a file (System.map, "
                       "kallsyms)");
            symbols = true;
            ask(argv[i]);
            ask(argv[++i]);
        } else if (strcmp(argv[i], "-threads") == 0) {
            const char *what = i + 1 < argc ? argv[i + 1] : "";
            if (strcmp(what, "guest") != 0 && strcmp(what, "processors") != 0)
                die(1, "option -threads needs `guest` or `processors`: what threads of the tool are");
            guest_threads = strcmp(what, "guest") == 0;
            ask(argv[i]);
            ask(argv[++i]);
        } else if (strcmp(argv[i], "-t") == 0) {
            if (++i >= argc || strcmp(argv[i], "--") == 0)
                die(1, "option -t needs a tool's name or file: linchpin tools lists them");
            ask("-t");
            ask(options_tool(argv[i]));
            for (i++; i < argc && strcmp(argv[i], "--") != 0; i++)
                ask(argv[i]);
            break;
        } else {
            die(1, "system: it has no option %s: %s", argv[i], usage);
        }
    if (guest_threads && !symbols)
        die(1, "-threads guest needs -symbols: the guest's threads are found by its kernel's symbols");
    if (i + 1 >= argc)
        die(1, "system: QEMU is not given: %s", usage);
    return i + 1;
}

/* In QEMU's options a comma that belongs to a file's name is written twice. */
static char *plugin_option(void)
{
    char path[PATH_MAX], *option = room_for(2, PATH_MAX), *to = option;
    if (!launcher_find(path, "lib/linchpin/linchpin-system.so"))
        die(1, "system: lib/linchpin/linchpin-system.so is missing beside the command: %s", strerror(errno));
    to += base_format(option, sizeof option, "file=");
    for (const char *c = path; *c; c++) {
        if (*c == ',')
            *to++ = ',';
        *to++ = *c;
    }
    return option;
}

/* A guest of Debian's packages: a script makes it and comes back here. */
static void demo(int argc, char **argv) NORETURN;
static void demo(int argc, char **argv)
{
    static char script[PATH_MAX], own[PATH_MAX], shell[] = "bash";
    if (!launcher_find(script, "lib/linchpin/system-demo"))
        die(1, "system: lib/linchpin/system-demo is missing beside the command: %s", strerror(errno));
    if (!launcher_find(own, "bin/linchpin"))
        die(1, "system: the command itself is not found: %s", strerror(errno));
    char **command = room_for((size_t)argc + 4, sizeof *command);
    command[0] = shell;
    command[1] = script;
    command[2] = own;
    memcpy(command + 3, argv + 1, (size_t)(argc - 1) * sizeof *argv);
    execvp(command[0], command);
    die(126, "system: bash cannot be started: %s", strerror(errno));
}

int system_main(int argc, char **argv)
{
    static char plugin[] = "-plugin";
    if (argc && strcmp(argv[0], "demo") == 0)
        demo(argc, argv);
    begin_asking();
    int at = take_words(argc, argv), n = 0, nenv = 0;
    char **command = room_for((size_t)(argc - at) + 3, sizeof *command);
    command[n++] = argv[at];
    command[n++] = plugin;
    command[n++] = plugin_option();
    while (argv[++at])
        command[n++] = argv[at];
    while (environ[nenv])
        nenv++;
    char **with_asked = room_for((size_t)nenv + 2, sizeof *with_asked), **to = with_asked;
    for (char **e = environ; *e; e++)
        if (strncmp(*e, ASKED, sizeof ASKED - 1) != 0)
            *to++ = *e;
    *to = asked;
    environ = with_asked;
    execvp(command[0], command);
    /* A folder of PATH that cannot be read is no reason. */
    if (errno == ENOENT || (!strchr(command[0], '/') && !program_in_path(command[0])))
        die(127, "system: %s is not there: Debian's package qemu-system-x86 has it", command[0]);
    die(126, "system: %s cannot be started: %s", command[0], strerror(errno));
}
