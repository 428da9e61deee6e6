/* SPDX-License-Identifier: Apache-2.0
 * The bundled tools, as they lie beside the launcher. What each of them tells is in a list there, which the build makes
 * from docs/tools/README.md: a row for each tool, name and one line. A tool without a row is listed, too. */
#include "base/suggest.h"
#include "launch/options.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_TOOLS 256
#define LIST_BYTES (64u << 10)
#define COLUMN 15

static struct {
    char name[64];
    const char *about;
} tool[MAX_TOOLS];
static u32 ntools;

static void read_names(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && ntools < MAX_TOOLS && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n <= 3 || n - 3 >= sizeof tool[0].name || strcmp(e->d_name + n - 3, ".so") != 0)
            continue;
        memcpy(tool[ntools].name, e->d_name, n - 3);
        tool[ntools++].name[n - 3] = '\0';
    }
    if (dir)
        closedir(dir);
}

static void note_row(const char *name, const char *about)
{
    for (u32 i = 0; i < ntools; i++)
        if (strcmp(tool[i].name, name) == 0)
            tool[i].about = about;
}

/* Memory of its own: what is static counts for every run, also where little is allowed (ulimit -d). */
static void read_list(const char *path)
{
    char *text = mmap(NULL, LIST_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED)
        return;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, LIST_BYTES - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *tab = strchr(line, '\t');
        if (!tab)
            continue;
        *tab = '\0';
        note_row(line, tab + 1);
    }
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); } /* the name comes first */

bool tools_each(void (*fn)(const char *name, const char *about, void *arg), void *arg)
{
    static char path[PATH_MAX];
    if (!ntools && launcher_find(path, "lib/linchpin/tools")) {
        read_names(path);
        qsort(tool, ntools, sizeof tool[0], by_name);
        if (launcher_find(path, "lib/linchpin/tools/list.tsv"))
            read_list(path);
    }
    for (u32 i = 0; i < ntools; i++)
        fn(tool[i].name, tool[i].about, arg);
    return ntools;
}

/* The first sentence of what it tells: the rest is on its page. */
static void print_tool(const char *name, const char *about, void *arg)
{
    char text[512];
    (void)arg;
    base_format(text, sizeof text, "%s", about ? about : "");
    char *end = strstr(text, ". ");
    if (end)
        end[1] = '\0';
    help_row(name, COLUMN, text);
}

int tools_main(int argc, char **argv)
{
    (void)argv;
    if (argc)
        die(1, "tools: it takes no words (linchpin -t NAME -help tells about one tool)");
    help_title("linchpin -t NAME [tool options] -- PROGRAM [arguments]");
    help_print("\n");
    if (!tools_each(print_tool, NULL))
        die(1, "no tools are installed beside the linchpin command (lib/linchpin/tools)");
    help_print("\nlinchpin -t NAME -help lists a tool's options.\n");
    return 0;
}

static void try_tool(const char *name, const char *about, void *arg)
{
    (void)about;
    suggest_try(arg, name);
}

void tools_unknown(const char *name)
{
    struct suggestion s = suggest_for(name);
    tools_each(try_tool, &s);
    if (s.best)
        die(1, "no tool %s: did you mean %s?", name, s.best);
    die(1, "no tool %s: it is neither a file here nor a bundled tool (linchpin tools lists them)", name);
}
