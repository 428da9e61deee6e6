/* SPDX-License-Identifier: Apache-2.0
 * What a tool can ask about the engine, and the ways to end (setting end=...). Rule A53. */
#include "checks.h"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

static bool EndsWith(const std::string &s, const char *end)
{
    size_t n = std::strlen(end);
    return s.size() >= n && !s.compare(s.size() - n, n, end);
}

/* Is the file part of this process? */
static bool Mapped(const std::string &path)
{
    static char line[8192];
    bool found = false;
    FILE *f = std::fopen("/proc/self/maps", "r");
    while (f && !found && std::fgets(line, sizeof line, f))
        found = std::strstr(line, path.c_str()) != 0;
    if (f)
        std::fclose(f);
    return found;
}

static unsigned long StatusKb(const char *field)
{
    static char line[256];
    unsigned long kb = 0;
    FILE *f = std::fopen("/proc/self/status", "r");
    while (f && std::fgets(line, sizeof line, f))
        if (!std::strncmp(line, field, std::strlen(field)))
            kb = std::strtoul(line + std::strlen(field), 0, 10);
    if (f)
        std::fclose(f);
    return kb;
}

static void Paths()
{
    Dl_info own;
    TRUE_(dladdr(reinterpret_cast<void *>(Paths), &own));
    EQUAL(std::string(PIN_ToolFullPath()), std::string(own.dli_fname));
    TRUE_(EndsWith(PIN_VmFullPath(), "/linchpin-vm"));
    TRUE_(PIN_VmFullPath()[0] == '/' && Mapped(PIN_VmFullPath()));
    EQUAL(PIN_Version().compare(0, 9, "Linchpin "), 0);
    EQUAL(PIN_GetPid(), getpid());
    EQUAL(&PIN_Version(), &PIN_Version()); /* a reference that may be kept */
}

static void Numbers()
{
    UINT64 start = MilliSecondsElapsed();
    struct timespec before, now;
    clock_gettime(CLOCK_MONOTONIC, &before);
    PIN_Sleep(25);
    clock_gettime(CLOCK_MONOTONIC, &now);
    TRUE_((now.tv_sec - before.tv_sec) * 1000 + (now.tv_nsec - before.tv_nsec) / 1000000 >= 25);
    UINT64 gone = MilliSecondsElapsed() - start;
    TRUE_(gone >= 24 && gone < 60000);
    USIZE bytes = PIN_MemoryAllocatedForPin();
    TRUE_(bytes > 1000000 && bytes / 1024 <= StatusKb("VmSize:"));
}

static void Copies()
{
    const char text[] = "0123456789";
    char to[16] = "";
    EQUAL(PIN_SafeCopy(to, text, 10), 10u);
    EQUAL(std::string(to), std::string("0123456789"));
    EQUAL(PIN_SafeCopy(to, reinterpret_cast<void *>(16), 10), 0u);
}

static VOID Instruction(INS, VOID *)
{
    static bool done;
    const char *end = option("end");
    if (!end || done)
        return;
    done = true;
    if (!std::strcmp(end, "application"))
        PIN_ExitApplication(7);
    if (!std::strcmp(end, "thread"))
        PIN_ExitThread(5);
    if (!std::strcmp(end, "process"))
        PIN_ExitProcess(8);
    if (!std::strcmp(end, "error"))
        PIN_WriteErrorMessage("said once", 1001, PIN_ERR_NONFATAL, 0);
    if (!std::strcmp(end, "fatal"))
        PIN_WriteErrorMessage("cannot go on", 1001, PIN_ERR_FATAL, 1, "x");
}

static VOID Fini(INT32 code, VOID *)
{
    std::printf("fini %d\n", code);
    Checked("info", 12);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    Paths();
    Numbers();
    Copies();
    PIN_CONFIGURATION_INFO info = PIN_CreateDefaultConfigurationInfo();
    PIN_SetAllowedConcurrentCallbacks(info, PIN_CALLBACK_TYPE_SYSCALL);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram(info);
}
