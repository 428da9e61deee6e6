/* SPDX-License-Identifier: Apache-2.0
 * The tool of a system: what the command wants of the plugin, the tool opened and its main called, while QEMU loads the
 * plugin. main runs on a stack of its own, on which it stays for good when it calls PIN_StartProgram: what it has there
 * the tool may go on using. Once, on QEMU's first thread. */
#include "api/info.h"
#include "api/usage.h"
#include "system/system.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define ASKED "LINCHPIN_SYSTEM" /* in the environment: the words, each ended by WORD_END */
#define WORD_END '\037'
#define MOST_WORDS 4096
#define STACK_BYTES (8ul << 20)
#define CMDLINE_BYTES (256ul << 10)
#define ABI_VERSION 1u
#define ABI_IA32 0x10000u

struct asked asked;
static const char *word[MOST_WORDS];
static int nwords;
static ucontext_t qemu, tool;
static bool begun;

/* The words stay; what QEMU starts is not to find them. */
static void split(void)
{
    const char *text = getenv(ASKED);
    char *at = text ? strdup(text) : NULL;
    unsetenv(ASKED);
    for (char *end; at && (end = strchr(at, WORD_END)) && nwords < MOST_WORDS; at = end + 1) {
        *end = '\0';
        word[nwords++] = at;
    }
}

void asked_read(void)
{
    split();
    int i = 0;
    for (; i < nwords && strcmp(word[i], "-t") != 0; i++)
        if (strcmp(word[i], "-whole_blocks") == 0)
            asked.whole_blocks = true;
        else if (strcmp(word[i], "-threads") == 0 && i + 1 < nwords)
            asked.tasks = strcmp(word[++i], "guest") == 0;
        else if (strcmp(word[i], "-symbols") == 0 && i + 1 < nwords)
            asked.symbols = word[++i];
        else
            die(1, "the plugin does not know option %s", word[i]);
    if (i == nwords)
        return;
    options_load(nwords - i, word + i);
    asked.tool = options.tool;
}

/* The command line as tools know it: linchpin -t TOOL ... -- and QEMU's. */
static int command_line(char **to)
{
    static char text[CMDLINE_BYTES];
    int n = 0, fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    to[n++] = "linchpin";
    to[n++] = "-t";
    to[n++] = (char *)options.tool;
    for (int i = 0; i < options.tool_argc; i++)
        to[n++] = (char *)options.tool_argv[i];
    to[n++] = "--";
    for (ssize_t at = 0; at < bytes && n < 2 * MOST_WORDS - 1; at += (ssize_t)strlen(text + at) + 1)
        to[n++] = text + at;
    return n;
}

/* Only our own names: QEMU has thousands, and its libraries too. */
static void *open_tool(void)
{
    Dl_info own;
    if (!dladdr((void *)open_tool, &own) || !dlopen(own.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD))
        die(1, "the plugin cannot show the API to the tool: %s", dlerror());
    void *t = dlopen(options.tool, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!t)
        die(1, "the tool %s cannot be loaded: %s", options.tool, dlerror());
    return t;
}

static void run_main(void)
{
    static char *argv[2 * MOST_WORDS];
    void *t = open_tool();
    int (*tool_main)(int, char **) = (int (*)(int, char **))dlsym(t, "main");
    const u32 *abi = dlsym(t, "lp_abi_version");
    if (!tool_main)
        die(1, "the tool %s has no main; build it with `linchpin cc`", options.tool);
    if (abi && *abi & ABI_IA32)
        die(1, "the tool %s was built for IA-32 programs (-m32): build it without that for whole systems",
            options.tool);
    if (abi && *abi > ABI_VERSION)
        die(1, "the tool %s was built for a later Linchpin (ABI %u, this one has %u)", options.tool, *abi, ABI_VERSION);
    int status = tool_main(command_line(argv), argv);
    fflush(NULL);
    if (usage_told())
        exit(status);
    usage_not_started(status, (void *)tool_main);
    exit(status ? status : 1);
}

void tool_load(void)
{
    info_start(options.tool);
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || getcontext(&tool))
        die(1, "no memory for the stack of the tool's main: %m");
    tool.uc_stack.ss_sp = stack;
    tool.uc_stack.ss_size = STACK_BYTES;
    makecontext(&tool, run_main, 0);
    swapcontext(&qemu, &tool);
}

void tool_started(void)
{
    usage_need_init("PIN_StartProgram");
    if (begun)
        die(1, "PIN_StartProgram: the system runs already");
    begun = true;
    fflush(NULL);
    swapcontext(&tool, &qemu);
    BUG("the tool's main goes on after PIN_StartProgram");
}
