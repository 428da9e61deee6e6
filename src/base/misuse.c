/* SPDX-License-Identifier: Apache-2.0
 * What happens after a tool's mistake. It has a file of its own, so that a test can put its own function in place. */
#include "base/options.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Pin's errors are on standard output, and scripts look there; standard error has it already if it is the same file.
 * (As pin, report_error has written it there.) */
static void say_on_output(const char *text)
{
    char line[1100];
    struct stat out, err;
    int fd = fileno(stdout);
    int n = base_format(line, sizeof line, "E: %s\n", text);
    if (fstat(fd, &out) || (!fstat(STDERR_FILENO, &err) && out.st_dev == err.st_dev && out.st_ino == err.st_ino))
        return;
    if (write(fd, line, (size_t)n) < 0)
        return; /* standard error has it */
}

/* Pin's messages of this kind are the tool's: its own log file has them, too, if one is named. */
static void say_in_tool_log(const char *text)
{
    const char *path = options_of_tool("-logfile", 0);
    char line[2100];
    int n = base_format(line, sizeof line, "E: %s\n", text);
    int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd >= 0 && write(fd, line, (size_t)n) < 0)
        return; /* the console has it */
}

void api_misuse(const char *call, const char *file, int line, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    base_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    char all[2048], place[512];
    if (!file && misuse_place && misuse_place(place, sizeof place, &line))
        file = place;
    if (file && line)
        base_format(all, sizeof all, "%s: %s (called at %s:%d)", call, text, file, line);
    else if (file)
        base_format(all, sizeof all, "%s: %s (called at %s)", call, text, file);
    else
        base_format(all, sizeof all, "%s: %s", call, text);
    report_error("E", all);
    error_record(0, "FATAL ERROR", all, 0, NULL);
    if (pin_log)
        say_in_tool_log(all);
    else
        say_on_output(text);
    _exit(1);
}
