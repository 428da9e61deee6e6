/* SPDX-License-Identifier: Apache-2.0
 * The guest's kernel by name: its symbols from a file (-symbols FILE: System.map, or what /proc/kallsyms shows),
 * or from the guest's memory (-symbols guest). How far the kernel lies from where a file says is found in the
 * guest's memory by the kernel's own banner. That is done once, under the client lock, while blocks are
 * translated; the table stays. */
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_TRIES 4096   /* blocks of the kernel at which it is looked for */
#define EACH_SO_MANY 1024 /* in all of its memory, at each so many of them */
#define BANNER "linux_banner"
#define BANNER_TEXT "Linux version "

static struct symbol *table; /* of code, by address; of several at one address only the first */
static u32 count;
static u64 banner;           /* as the file says; 0: it does not */
static u64 first, last;      /* the kernel's code, as the file says */
static bool found;
static u64 distance;

/* Data whose places are kept. */
static struct {
    const char *name;
    u64 address;
} datum[] = {{"__start_BTF", 0}, {"__stop_BTF", 0}};

static bool from_guest(void) { return asked.symbols && strcmp(asked.symbols, "guest") == 0; }

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address ? 1 : (int)x->order - (int)y->order;
}

static void take_datum(u64 address, const char *name)
{
    for (u32 i = 0; i < ARRAY_LEN(datum); i++)
        if (strcmp(name, datum[i].name) == 0)
            datum[i].address = address;
}

bool symbols_datum(const char *name, u64 *address)
{
    for (u32 i = 0; i < ARRAY_LEN(datum); i++)
        if (strcmp(name, datum[i].name) == 0 && datum[i].address && found)
            return *address = datum[i].address + distance, true;
    return false;
}

static bool is_code(char type) { return type == 't' || type == 'T' || type == 'w' || type == 'W'; }

static void take(u64 address, char type, const char *name)
{
    take_datum(address, name);
    if (strcmp(name, BANNER) == 0)
        banner = address;
    first = strcmp(name, "_stext") == 0 ? address : first;
    last = strcmp(name, "_etext") == 0 ? address : last;
    if (!is_code(type))
        return;
    if (count % 4096 == 0) {
        struct symbol *more = realloc(table, (count + 4096) * sizeof *table);
        if (!more)
            die(1, "no memory for the symbols of the guest's kernel");
        table = more;
    }
    table[count] = (struct symbol){address, name, count};
    count++;
}

/* "ffffffff81000000 T _stext"; kallsyms has the module after it. */
static void take_line(char *line)
{
    char *end, *name;
    u64 address = strtoull(line, &end, 16);
    if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
        return;
    name = end + 3;
    name[strcspn(name, "\t ")] = '\0';
    take(address, end[1], name);
}

/* Its text stays: the names point into it. What is no file of a file system (kallsyms) has no size. */
static char *read_all(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t room = 1 << 20, n = 0;
    char *text = malloc(room), *more = text;
    ssize_t got = 1;
    while (fd >= 0 && more && (got = read(fd, text + n, room - 1 - n)) > 0) {
        n += (size_t)got;
        more = n > room / 2 ? realloc(text, room *= 2) : text;
        text = more ? more : text;
    }
    if (fd < 0 || !more || got < 0)
        die(1, "the symbols %s cannot be read: %m", path);
    close(fd);
    text[n] = '\0';
    return text;
}

/* Only the kernel's own code: other symbols are per-processor places, or code that goes after the start. */
static void keep_kernel(void)
{
    u32 n = 0;
    qsort(table, count, sizeof *table, by_address);
    for (u32 i = 0; i < count; i++)
        if (table[i].address >= first && table[i].address < last && (!n || table[n - 1].address != table[i].address))
            table[n++] = table[i];
    count = n;
}

void symbols_read(void)
{
    if (!asked.symbols || from_guest())
        return;
    char *text = read_all(asked.symbols);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        take_line(line);
    keep_kernel();
    if (!count || !banner)
        die(1, "%s has no symbols of a Linux kernel's code, or not their addresses (System.map, or /proc/kallsyms as "
               "root)", asked.symbols);
}

static void take_copy(u64 address, char type, const char *name)
{
    take_datum(address, name);
    if (!is_code(type) && strcmp(name, BANNER) != 0)
        return;
    char *copy = strdup(name);
    if (!copy)
        die(1, "no memory for the symbols of the guest's kernel");
    take(address, type, copy);
}

/* Its image is complete and mapped before its first instruction at its own addresses. */
static void read_guest(u64 pc)
{
    bool good = kallsyms_read(pc, take_copy);
    keep_kernel();
    __atomic_store_n(&found, good && count, __ATOMIC_RELEASE);
}

static void find_distance(u64 pc, u64 step, u64 most)
{
    char text[sizeof BANNER_TEXT];
    for (u64 d = 0; d < most && !found; d += step)
        if (pc - d >= first && pc - d < last && guest_read_memory(banner + d, text, sizeof BANNER_TEXT - 1) &&
            memcmp(text, BANNER_TEXT, sizeof BANNER_TEXT - 1) == 0) {
            distance = d;
            __atomic_store_n(&found, true, __ATOMIC_RELEASE);
        }
}

/* A block of the kernel's is about to be translated. */
void symbols_find_kernel(u64 pc)
{
    static u32 tries;
    u64 step, most;
    if (found || !asked.symbols || tries == MOST_TRIES || !guest_kernel_distances(pc, &step, &most))
        return;
    if (!from_guest())
        find_distance(pc, step, most);
    else if (tries % EACH_SO_MANY == 0)
        read_guest(pc);
    if (found)
        tasks_find();
    tries++;
}

/* Says so if it was asked for and never seen. */
void symbols_end(void)
{
    if (asked.symbols && !found)
        msg(from_guest() ? "no Linux kernel with symbols (kallsyms, as versions 4.20 to 6.3 have them) was found in "
                           "the guest, so nothing has a name"
                         : "the kernel whose symbols were given was not found in the guest, so nothing has a name");
}

bool symbols_kernel(u64 *start, u64 *end)
{
    if (!__atomic_load_n(&found, __ATOMIC_ACQUIRE))
        return false;
    *start = first + distance;
    *end = last + distance;
    return true;
}

u64 symbols_distance(void) { return distance; }

u32 symbols_at(u64 address)
{
    u64 start, end;
    if (!symbols_kernel(&start, &end) || address < start || address >= end)
        return 0;
    u32 low = 0, high = count;
    while (high - low > 1) {
        u32 middle = (low + high) / 2;
        if (table[middle].address + distance <= address)
            low = middle;
        else
            high = middle;
    }
    return table[low].address + distance <= address ? low + 1 : 0;
}

u32 symbols_named(const char *name)
{
    for (u32 i = 0; i < count && __atomic_load_n(&found, __ATOMIC_ACQUIRE); i++)
        if (strcmp(table[i].name, name) == 0)
            return i + 1;
    return 0;
}

u32 symbols_count(void) { return found ? count : 0; }
const char *symbols_name(u32 n) { return table[n - 1].name; }
u64 symbols_address(u32 n) { return table[n - 1].address + distance; }
u64 symbols_bytes(u32 n) { return (n < count ? table[n].address : last) - table[n - 1].address; }
