/* SPDX-License-Identifier: Apache-2.0
 * Reading /proc/<pid>/maps without malloc or stdio. A reader is about 8 KiB: fine on a host stack. */
#ifndef LP_MAPSFILE_H
#define LP_MAPSFILE_H
#include "base/base.h"

#define MAPS_READER_BYTES 8192

struct maps_area {
    u64 start, end;
    u32 prot;      /* PROT_* */
    bool shared;
    u64 off;
    u32 dev_major, dev_minor;
    u64 ino;
    const char *name; /* "" if none; points into the line */
};

struct maps_reader {
    int fd;
    u32 at, have;  /* unread bytes: buf[at..have) */
    bool cut;      /* the last line was longer than buf; its rest is still to be skipped */
    char buf[MAPS_READER_BYTES];
};

/* One line, 0-terminated, without its newline. False: not a line of maps (smaps: not the head of an area). */
bool maps_parse_line(const char *line, struct maps_area *out);
/* Writes the area as the kernel does, newline included. Returns the length; out has room for 100 bytes and the name. */
int maps_format_line(char *out, size_t bytes, const struct maps_area *area);

/* pid 0: the caller. False: errno says why. The reader holds a descriptor until maps_close. */
bool maps_open(struct maps_reader *r, int pid);
/* The next area; its name lives until the next call. Names longer than the reader are cut. */
bool maps_next(struct maps_reader *r, struct maps_area *out);
void maps_close(struct maps_reader *r);

#endif
