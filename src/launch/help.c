/* SPDX-License-Identifier: Apache-2.0
 * What the command says of itself: -help, -help-testing, linchpin help TOPIC. All of it comes from the tables of
 * options, commands and topics. Headings are bold on a terminal, unless NO_COLOR is set. */
#include "base/suggest.h"
#include "launch/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define OPTION_COLUMN 28
#define COMMAND_COLUMN 18
#define LEAST_WIDTH 40u

void help_print(const char *s)
{
    for (size_t left = strlen(s); left;) {
        ssize_t n = write(STDOUT_FILENO, s, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            _exit(1);
        s += n;
        left -= (size_t)n;
    }
}

void help_printf(const char *fmt, ...)
{
    char line[4096];
    va_list ap;
    va_start(ap, fmt);
    base_vformat(line, sizeof line, fmt, ap);
    va_end(ap);
    help_print(line);
}

static bool in_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

void help_title(const char *text)
{
    help_printf(in_colour() ? "\033[1m%s\033[0m\n" : "%s\n", text);
}

/* Columns of the terminal; 100 where there is none. */
static u32 width(void)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < LEAST_WIDTH)
        return 100;
    return size.ws_col;
}

/* Bytes of the text's first line, which is broken at a blank. */
static u32 line_bytes(const char *text, u32 room)
{
    u32 n = (u32)strlen(text);
    if (n <= room)
        return n;
    for (u32 i = room; i > 0; i--)
        if (text[i] == ' ')
            return i;
    return (u32)strcspn(text, " ");
}

void help_row(const char *left, u32 column, const char *text)
{
    static const char blanks[] = "                                        ";
    u32 room = width() > column + 20 ? width() - column - 1 : 20, n = (u32)strlen(left) + 2;
    help_printf("  %s", left);
    if (n >= column)
        help_print("\n"), n = 0;
    for (bool first = true; first || *text; first = false) {
        u32 bytes = line_bytes(text, room);
        char line[1024];
        base_format(line, bytes + 1 < sizeof line ? bytes + 1 : sizeof line, "%s", text);
        help_printf("%s%s\n", blanks + sizeof blanks - 1 - (column - (first ? n : 0)), line);
        text += bytes;
        text += strspn(text, " ");
    }
}

static void option_left(const struct option *o, char *out, size_t bytes)
{
    base_format(out, bytes, "%s%s%s", o->name,
                o->arg                ? " "
                : o->kind == OPT_FLAG ? " [0|1]"
                                      : "",
                o->arg ? o->arg : "");
}

void help_option(const struct option *o)
{
    char left[64];
    option_left(o, left, sizeof left);
    help_row(left, OPTION_COLUMN, o->help);
}

static void print_options(bool testing)
{
    for (u32 i = 0; i < noptions; i++)
        if (!(options[i].uses & HIDDEN) && !(options[i].uses & TESTING) == !testing)
            help_option(&options[i]);
}

static void print_command(const struct command *c)
{
    char left[96];
    base_format(left, sizeof left, "%s %s", c->name, c->args);
    help_row(left, COMMAND_COLUMN, c->help);
}

void help_overview(void)
{
    help_print("usage: linchpin [options] [-t TOOL [tool options]] -- PROGRAM [arguments]\n"
               "       linchpin [options] -pid PID [-t TOOL [tool options]]\n"
               "       linchpin COMMAND [words]\n\n"
               "Runs PROGRAM under a tool, or puts the tool into a running process.\n\n");
    help_title("commands");
    for (u32 i = 0; i < ncommands; i++)
        if (!commands[i].hidden)
            print_command(&commands[i]);
    help_print("\n");
    help_title(pin_log ? "General switches:" : "options");
    print_options(false);
    help_print("\nlinchpin tools lists the tools, linchpin help TOPIC tells more: ");
    for (u32 i = 0; i < ntopics; i++)
        help_printf("%s%s", topics[i].name, i + 1 < ntopics ? ", " : "\n");
}

void help_testing(void)
{
    help_title("switches for testing the engine");
    print_options(true);
}

/* --- linchpin help TOPIC ------------------------------------------------------------------------------------------ */

static void list_topics(void)
{
    help_title("linchpin help TOPIC");
    for (u32 i = 0; i < ntopics; i++)
        help_row(topics[i].name, COMMAND_COLUMN, topics[i].about);
    help_print("\nAlso the name of a command (linchpin help cc), of an option (linchpin help -stats) and of a tool\n"
               "(linchpin help inscount).\n");
}

static const struct topic *find_topic(const char *name)
{
    for (u32 i = 0; i < ntopics; i++)
        if (strcmp(topics[i].name, name) == 0)
            return &topics[i];
    return NULL;
}

struct tool_search {
    const char *name;
    bool found;
    struct suggestion near;
};

static void see_tool(const char *name, const char *about, void *arg)
{
    struct tool_search *t = arg;
    (void)about;
    t->found |= strcmp(name, t->name) == 0;
    suggest_try(&t->near, name);
}

static void unknown_topic(const char *name, struct suggestion s) NORETURN;
static void unknown_topic(const char *name, struct suggestion s)
{
    for (u32 i = 0; i < ntopics; i++)
        suggest_try(&s, topics[i].name);
    for (u32 i = 0; i < ncommands; i++)
        suggest_try(&s, commands[i].name);
    for (u32 i = 0; i < noptions; i++)
        suggest_try(&s, options[i].name);
    if (s.best)
        die(1, "no topic %s: did you mean %s?", name, s.best);
    die(1, "no topic %s (linchpin help lists them)", name);
}

/* A tool is asked itself. */
static void tool_help(const char *name)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    execl(path, "linchpin", "-t", name, "-help", (char *)NULL);
    die(1, "help: %s: %s", path, strerror(errno));
}

int help_main(int argc, char **argv)
{
    if (!argc) {
        list_topics();
        return 0;
    }
    const struct topic *topic = find_topic(argv[0]);
    const struct command *command = command_find(argv[0]);
    const struct option *option = argv[0][0] == '-' ? options_find(argv[0]) : NULL;
    struct tool_search search = {.name = argv[0], .near = suggest_for(argv[0])};
    if (argc > 1)
        die(1, "help: one topic at a time");
    if (topic)
        help_print(topic->text);
    if (topic)
        return 0;
    if (command || option) {
        if (command)
            print_command(command);
        else
            help_option(option);
        return 0;
    }
    tools_each(see_tool, &search);
    if (search.found)
        tool_help(argv[0]);
    unknown_topic(argv[0], search.near);
}
