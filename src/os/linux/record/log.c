/* SPDX-License-Identifier: Apache-2.0
 * The file of events (record/log.h): a stream of events, cut into blocks that are compressed and hashed one by one. The
 * block in the making is a file of its own that is mapped and shared (RP3): what a process has written there the kernel
 * keeps when the process dies. It has its room on the disk before it is written to. One thread at a time. */
#include "os/linux/record/log.h"

#include "os/hostmem.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zstd.h>

#define BLOCK_BYTES (1u << 20) /* of events, before they are compressed */
#define LEVEL 1
#define HASH_START 0x9e3779b97f4a7c15ul

static const char log_magic[8] = "LPRECORD", tail_magic[8] = "LPRECTAI";

struct log_head {
    char magic[8];
    u32 version, block_bytes;
    char machine[16];
    u64 reserved[3], hash;
};

struct block_head {
    u32 number, raw_bytes, stored_bytes, last; /* last: 1, the recording is complete */
    u64 hash;                                  /* of these four words and of what is stored */
};

struct tail_head {
    char magic[8];
    u32 number, used; /* of the block in the making */
    u8 pad[PAGE_BYTES - 16];
};

static struct {
    char *log, *tail;
    int fd;
    struct tail_head *head; /* the mapped file, */
    u8 *data;               /* and what follows its head */
    u64 offset;             /* of the next block in the file */
    void *stored;
    u8 *piece; /* of memory, EVENT_MOST_BYTES */
    size_t stored_room;
    ZSTD_CCtx *packer;
    bool over;
} out;

static struct {
    u8 *file;          /* mapped */
    u64 bytes, offset; /* of the file, and of the next block in it */
    u8 *raw;
    u32 used, at, number;
    bool last, in_tail;
    u8 *tail;
    u32 tail_used, tail_number;
    bool have_event;
    struct event *event;
    char where[256];
} in;

u64 record_hash(u64 h, const void *data, size_t bytes)
{
    const u64 k = 0xff51afd7ed558ccdul;
    const u8 *p = data;
    u64 w;
    for (; bytes >= 8; p += 8, bytes -= 8) {
        memcpy(&w, p, 8);
        h = (h ^ w) * k;
        h ^= h >> 32;
    }
    w = 0;
    memcpy(&w, p, bytes);
    h = (h ^ w ^ (u64)bytes << 56) * k;
    return h ^ h >> 29;
}

static u32 check_of(const struct event *e, const void *body)
{
    struct event head = *e;
    head.check = 0;
    u64 h = record_hash(HASH_START, &head, EVENT_HEAD_BYTES);
    h = record_hash(h, body, e->bytes);
    return (u32)(h ^ h >> 32);
}

static u64 block_hash(const struct block_head *b, const void *stored)
{
    u64 h = record_hash(HASH_START, b, offsetof(struct block_head, hash));
    return record_hash(h, stored, b->stored_bytes);
}

static const char *machine_name(void)
{
    static struct utsname u;
    uname(&u);
    return u.machine;
}

static void names(const char *dir)
{
    size_t bytes = strlen(dir) + sizeof "/tail";
    out.log = malloc(2 * bytes);
    if (!out.log)
        hostmem_die("the names of a recording's files");
    out.tail = out.log + bytes;
    base_format(out.log, bytes, "%s/log", dir);
    base_format(out.tail, bytes, "%s/tail", dir);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* The program goes on, and what has been written can be replayed. */
static void stop_writing(const char *what, int err)
{
    out.over = true;
    msg("record: %s: %s; the recording ends here, and can be replayed up to here", what, strerror(err));
}

static bool write_all(const void *data, size_t bytes)
{
    for (const u8 *p = data; bytes;) {
        ssize_t n = write(out.fd, p, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

static void write_block(bool last)
{
    if (out.over)
        return;
    struct tail_head *t = out.head;
    size_t n = ZSTD_compressCCtx(out.packer, out.stored, out.stored_room, out.data, t->used, LEVEL);
    if (ZSTD_isError(n))
        BUG("zstd: %s", ZSTD_getErrorName(n));
    struct block_head b = {t->number, t->used, (u32)n, last, 0};
    b.hash = block_hash(&b, out.stored);
    if (!write_all(&b, sizeof b) || !write_all(out.stored, n)) {
        int err = errno;
        if (ftruncate(out.fd, (off_t)out.offset) < 0)
            err = errno;
        stop_writing(out.log, err);
        return;
    }
    out.offset += sizeof b + n;
    t->used = 0; /* before the number: a tail of an earlier number is not read */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->number++;
}

static void append(const void *data, size_t bytes)
{
    const u8 *p = data;
    while (bytes && !out.over) {
        struct tail_head *t = out.head;
        size_t room = BLOCK_BYTES - t->used, n = bytes < room ? bytes : room;
        memcpy(out.data + t->used, p, n);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        t->used += (u32)n;
        p += n;
        bytes -= n;
        if (t->used == BLOCK_BYTES)
            write_block(false);
    }
}

bool record_log_put(u32 type, u64 ticks, u64 place, u32 extra, const void *body, size_t bytes)
{
    struct event e = {.type = type, .bytes = (u32)bytes, .ticks = ticks, .place = place, .extra = extra};
    ASSERT(bytes <= EVENT_MOST_BYTES);
    if (out.over)
        return false;
    e.check = check_of(&e, body);
    append(&e, EVENT_HEAD_BYTES);
    append(body, bytes);
    return !out.over;
}

static bool is_zero(const u8 *p, size_t bytes) { return !bytes || (!p[0] && !memcmp(p, p + 1, bytes - 1)); }

/* Pages that are 0 are told as such: they are many where a program has reserved memory. */
static void put_memory(u64 addr, u64 bytes, size_t (*copy)(void *, const void *, size_t))
{
    u8 *piece = out.piece;
    for (u64 at = addr, end = addr + bytes; at < end;) {
        size_t n = end - at < EVENT_MOST_BYTES ? end - at : EVENT_MOST_BYTES;
        size_t got = copy(piece, (const void *)at, n);
        if (!got)
            break;
        if (got >= 64 && is_zero(piece, got))
            record_log_put(REC_ZERO, 0, at, (u32)got, NULL, 0);
        else
            record_log_put(REC_MEMORY, 0, at, 0, piece, got);
        at += got;
    }
}

void record_log_memory(u64 addr, u64 bytes) { put_memory(addr, bytes, os_copy_quietly); }
void record_log_written(u64 addr, u64 bytes) { put_memory(addr, bytes, os_safe_copy); }

static int create(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        die(1, "record: %s cannot be made: %s", path, strerror(errno));
    int hidden = os_hidden_dup(fd);
    if (hidden < 0)
        die(1, "record: there is no descriptor for %s: %s", path, strerror(errno));
    close(fd);
    return hidden;
}

void record_log_create(const char *dir)
{
    struct log_head h = {.version = RECORD_VERSION, .block_bytes = BLOCK_BYTES};
    names(dir);
    memcpy(h.magic, log_magic, sizeof h.magic);
    base_format(h.machine, sizeof h.machine, "%s", machine_name());
    h.hash = record_hash(HASH_START, &h, offsetof(struct log_head, hash));
    int tail = create(out.tail);
    size_t bytes = sizeof *out.head + BLOCK_BYTES;
    int err = posix_fallocate(tail, 0, (off_t)bytes);
    if (err)
        die(1, "record: there is no room for %s: %s", out.tail, strerror(err));
    out.head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, tail, 0);
    if (out.head == MAP_FAILED)
        die(1, "record: %s cannot be mapped: %s", out.tail, strerror(errno));
    hostmem_note((u64)out.head, (u64)out.head + PAGE_UP(bytes));
    close(tail);
    out.data = (u8 *)(out.head + 1);
    out.fd = create(out.log);
    out.stored_room = ZSTD_compressBound(BLOCK_BYTES);
    out.stored = malloc(out.stored_room);
    out.piece = malloc(EVENT_MOST_BYTES);
    out.packer = ZSTD_createCCtx();
    if (!out.stored || !out.piece || !out.packer)
        hostmem_die("the blocks of a recording");
    if (!write_all(&h, sizeof h))
        die(1, "record: %s cannot be written: %s", out.log, strerror(errno));
    out.offset = sizeof h;
    memcpy(out.head->magic, tail_magic, sizeof tail_magic);
}

void record_log_finish(void)
{
    write_block(true);
    if (!out.over)
        unlink(out.tail);
    out.over = true;
}

void record_log_forget(void) { out.over = true; }

/* --- reading ------------------------------------------------------------------------------------------------------ */

const char *record_log_where(void) { return in.where; }

static void damaged(const char *path, u64 at, const char *what) NORETURN;
static void damaged(const char *path, u64 at, const char *what)
{
    die(1, "replay: %s is damaged at byte %lu: %s", path, at, what);
}

static u8 *map_file(const char *path, u64 *bytes, bool needed)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && !needed && errno == ENOENT)
        return NULL;
    if (fd < 0 || fstat(fd, &st) < 0)
        die(1, "replay: %s cannot be read: %s", path, strerror(errno));
    *bytes = (u64)st.st_size;
    u8 *p = st.st_size ? mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (p == MAP_FAILED)
        die(1, "replay: %s cannot be read: %s", path, st.st_size ? strerror(errno) : "it is empty");
    hostmem_note((u64)p, PAGE_UP((u64)p + *bytes));
    close(fd);
    return p;
}

static void read_head(void)
{
    struct log_head h;
    if (in.bytes < sizeof h)
        damaged(out.log, in.bytes, "it ends in its head");
    memcpy(&h, in.file, sizeof h);
    if (memcmp(h.magic, log_magic, sizeof h.magic) != 0)
        die(1, "replay: %s is not the log of a recording", out.log);
    if (h.version != RECORD_VERSION)
        die(1, "replay: %s has version %u of the format, and this linchpin reads version %u: record the program anew",
            out.log, h.version, RECORD_VERSION);
    if (h.hash != record_hash(HASH_START, &h, offsetof(struct log_head, hash)) || h.block_bytes != BLOCK_BYTES)
        damaged(out.log, 0, "its head does not have its hash");
    if (strncmp(h.machine, machine_name(), sizeof h.machine) != 0)
        die(1, "replay: %s was recorded on another architecture (%s)", out.log, h.machine);
    in.offset = sizeof h;
}

static void read_tail(void)
{
    struct tail_head t;
    u64 bytes;
    u8 *p = map_file(out.tail, &bytes, false);
    if (!p)
        return;
    if (bytes != sizeof t + BLOCK_BYTES)
        damaged(out.tail, bytes, "it has another size");
    memcpy(&t, p, 16);
    if (memcmp(t.magic, tail_magic, sizeof t.magic) != 0 || t.used > BLOCK_BYTES)
        damaged(out.tail, 0, "its head is wrong");
    in.tail = p + sizeof t;
    in.tail_used = t.used;
    in.tail_number = t.number;
}

void record_log_open(const char *dir)
{
    names(dir);
    in.file = map_file(out.log, &in.bytes, true);
    in.raw = malloc(BLOCK_BYTES);
    in.event = malloc(EVENT_HEAD_BYTES + EVENT_MOST_BYTES);
    if (!in.raw || !in.event)
        hostmem_die("the blocks of a recording");
    read_head();
    read_tail();
}

/* The block in the making when the recording was cut off. False: nothing comes after the blocks that were read. */
static bool take_tail(void)
{
    if (!in.tail)
        damaged(out.log, in.bytes, "it ends without its last block");
    if (in.in_tail || in.tail_number != in.number)
        return false;
    in.in_tail = true;
    memcpy(in.raw, in.tail, in.tail_used);
    in.used = in.tail_used;
    in.at = 0;
    return in.used != 0;
}

static bool next_block(void)
{
    struct block_head b;
    if (in.last || in.in_tail)
        return false;
    u64 left = in.bytes - in.offset;
    if (in.tail && (left < sizeof b || in.number == in.tail_number))
        return take_tail();
    if (!left)
        damaged(out.log, in.offset, "it ends without its last block");
    if (left < sizeof b)
        damaged(out.log, in.offset, "it ends in the head of a block");
    memcpy(&b, in.file + in.offset, sizeof b);
    const u8 *stored = in.file + in.offset + sizeof b;
    if (b.number != in.number || b.raw_bytes > BLOCK_BYTES)
        damaged(out.log, in.offset, "the head of a block is wrong");
    if (b.stored_bytes > left - sizeof b)
        damaged(out.log, in.offset, "it ends in a block");
    if (b.hash != block_hash(&b, stored))
        damaged(out.log, in.offset, "a block does not have its hash");
    size_t n = ZSTD_decompress(in.raw, BLOCK_BYTES, stored, b.stored_bytes);
    if (ZSTD_isError(n) || n != b.raw_bytes)
        damaged(out.log, in.offset, "a block cannot be decompressed");
    base_format(in.where, sizeof in.where, "%s, block %u at byte %lu", out.log, b.number, in.offset);
    in.offset += sizeof b + b.stored_bytes;
    if (b.last && in.offset != in.bytes)
        damaged(out.log, in.offset, "something follows the last block");
    in.number++;
    in.used = b.raw_bytes;
    in.at = 0;
    in.last = b.last;
    return true;
}

/* How many bytes there were. */
static size_t take(void *to, size_t bytes)
{
    size_t have = 0;
    while (have < bytes) {
        if (in.at == in.used && !next_block())
            break;
        size_t n = in.used - in.at < bytes - have ? in.used - in.at : bytes - have;
        memcpy((u8 *)to + have, in.raw + in.at, n);
        in.at += (u32)n;
        have += n;
    }
    return have;
}

const struct event *record_log_peek(void)
{
    struct event *e = in.event;
    if (in.have_event)
        return e;
    size_t n = take(e, EVENT_HEAD_BYTES);
    bool whole = n == EVENT_HEAD_BYTES && e->bytes <= EVENT_MOST_BYTES && take(e->body, e->bytes) == e->bytes;
    bool good = whole && e->type && e->type < REC_TYPES && e->check == check_of(e, e->body);
    if (!good && in.in_tail && !whole)
        return NULL; /* the process died while it wrote this event */
    if (!n && !in.last)
        return NULL;
    if (!good)
        damaged(in.in_tail ? out.tail : out.log, in.in_tail ? in.at : in.offset,
                n ? "an event does not have its check" : "the events end without an end");
    in.have_event = true;
    return e;
}

void record_log_next(void) { in.have_event = false; }
