/* SPDX-License-Identifier: Apache-2.0
 * Images, sections, symbols and routines of a running program against what the kernel (/proc/self/maps, auxv) and the ELF headers in memory say. */
#include "checks.h"

#include <climits>
#include <cstdlib>
#include <elf.h>

#include <map>
#include <vector>

struct Mapping {
    ADDRINT start, end, offset;
    bool exec;
    std::string path;
};

static std::vector<Mapping> Maps()
{
    std::vector<Mapping> all;
    static char line[8192], path[4096], perms[8];
    FILE *f = std::fopen("/proc/self/maps", "r");
    while (f && std::fgets(line, sizeof line, f)) {
        Mapping m;
        path[0] = 0;
        if (std::sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &m.start, &m.end, perms, &m.offset, path) < 4)
            continue;
        m.exec = perms[2] == 'x';
        m.path = path;
        all.push_back(m);
    }
    if (f)
        std::fclose(f);
    return all;
}

static ADDRINT Auxv(ADDRINT tag)
{
    static ADDRINT words[128];
    FILE *f = std::fopen("/proc/self/auxv", "r");
    size_t n = f ? std::fread(words, sizeof words[0], 126, f) : 0;
    if (f)
        std::fclose(f);
    for (size_t i = 0; i + 1 < n; i += 2)
        if (words[i] == tag)
            return words[i + 1];
    return 0;
}

/* The image's file header is where it begins; the segments tell the rest. */
static void Headers(IMG img)
{
    ADDRINT low = IMG_LowAddress(img);
    const Elf64_Ehdr *head = reinterpret_cast<const Elf64_Ehdr *>(low);
    EQUAL(std::memcmp(head->e_ident, ELFMAG, SELFMAG), 0);
    const Elf64_Phdr *p = reinterpret_cast<const Elf64_Phdr *>(low + head->e_phoff);
    ADDRINT first = ~0ul, last = 0, dynamic = 0;
    bool interp = false;
    for (int i = 0; i < head->e_phnum; i++) {
        if (p[i].p_type == PT_LOAD) {
            first = std::min(first, p[i].p_vaddr);
            last = std::max(last, p[i].p_vaddr + p[i].p_memsz);
        }
        if (p[i].p_type == PT_DYNAMIC)
            dynamic = p[i].p_vaddr;
        interp = interp || p[i].p_type == PT_INTERP;
    }
    ADDRINT bias = low - first;
    EQUAL(IMG_LoadOffset(img), bias);
    EQUAL(IMG_StartAddress(img), low);
    EQUAL(IMG_HighAddress(img), last + bias - 1);
    EQUAL(IMG_SizeMapped(img), last - first);
    EQUAL(IMG_EntryAddress(img), head->e_entry ? head->e_entry + bias : 0);
    EQUAL(IMG_Entry(img), IMG_EntryAddress(img));
    EQUAL(reinterpret_cast<ADDRINT>(IMG_DynamicRawData(img)), dynamic ? dynamic + bias : 0);
    EQUAL(IMG_Type(img), IMG_IsMainExecutable(img) && interp ? IMG_TYPE_SHARED : IMG_TYPE_SHAREDLIB);
    FALSE_(IMG_IsStaticExecutable(img));
    EQUAL(IMG_RegionLowAddress(img, 0), low);
    EQUAL(IMG_RegionHighAddress(img, IMG_NumRegions(img) - 1), IMG_HighAddress(img));
    EQUAL(IMG_Gp(img), 0u);
}

static void Place(IMG img)
{
    char real[PATH_MAX]; /* the kernel's name: IMG_Name is the path that was opened */
    std::string name = realpath(IMG_Name(img).c_str(), real) ? real : IMG_Name(img);
    bool begins = false, runs = false;
    for (const Mapping &m : Maps()) {
        bool mine = IMG_IsVDSO(img) ? m.path == "[vdso]" : m.path == name;
        begins = begins || (mine && m.start == IMG_LowAddress(img) && !m.offset);
        runs = runs || (mine && m.exec && m.start >= IMG_LowAddress(img) && m.start <= IMG_HighAddress(img) && IMG_FindByAddress(m.start) == img);
    }
    TRUE_(begins);
    TRUE_(runs);
    EQUAL(IMG_IsVDSO(img), IMG_LowAddress(img) == Auxv(AT_SYSINFO_EHDR));
    EQUAL(IMG_IsInterpreter(img), IMG_LowAddress(img) == Auxv(AT_BASE));
    EQUAL(IMG_IsMainExecutable(img), IMG_EntryAddress(img) == Auxv(AT_ENTRY));
    EQUAL(IMG_FindImgById(IMG_Id(img)), img);
}

static void Contents(IMG img)
{
    unsigned sections = 0, routines = 0;
    for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); sec = SEC_Next(sec)) {
        sections++;
        EQUAL(SEC_Img(sec), img);
        if (SEC_Mapped(sec))
            TRUE_(SEC_Address(sec) >= IMG_LowAddress(img) && SEC_Address(sec) + SEC_Size(sec) <= IMG_HighAddress(img) + 1);
        if (SEC_Name(sec) == ".text")
            TRUE_(SEC_IsExecutable(sec) && SEC_IsReadable(sec) && !SEC_IsWriteable(sec) && SEC_Type(sec) == SEC_TYPE_EXEC);
        for (RTN rtn = SEC_RtnHead(sec); RTN_Valid(rtn); rtn = RTN_Next(rtn), routines++) {
            ADDRINT last = RTN_Address(rtn) + (RTN_Size(rtn) ? RTN_Size(rtn) - 1 : 0);
            if (RTN_FindByAddress(last) != rtn || RTN_FindNameByAddress(last) != RTN_Name(rtn) || IMG_FindByAddress(last) != img)
                EQUAL(RTN_FindNameByAddress(last), RTN_Name(rtn));
        }
    }
    TRUE_(sections > 3 && routines > 3);
}

static unsigned loaded, unloaded;
static std::map<std::string, UINT32> ids;

static VOID Load(IMG img, VOID *)
{
    loaded++;
    TRUE_(IMG_Valid(img));
    Place(img);
    Headers(img);
    Contents(img);
    /* All that is there: the first three come together, the others one by one. */
    UINT32 forth = 0, back = 0;
    bool listed = false;
    for (IMG i = APP_ImgHead(); IMG_Valid(i); i = IMG_Next(i))
        forth++, listed = listed || i == img;
    for (IMG i = APP_ImgTail(); IMG_Valid(i); i = IMG_Prev(i))
        back++;
    TRUE_(listed);
    EQUAL(forth, loaded < 3 ? 3 : loaded - unloaded);
    EQUAL(back, forth);
    if (loaded > 3)
        EQUAL(APP_ImgTail(), img);
    EQUAL(ids.count(IMG_Name(img)), 0u);
    ids[IMG_Name(img)] = IMG_Id(img);
}

static VOID Unload(IMG img, VOID *)
{
    unloaded++;
    TRUE_(IMG_Valid(img) && ids[IMG_Name(img)] == IMG_Id(img));
    ids.erase(IMG_Name(img));
}

static VOID Fini(INT32, VOID *)
{
    EQUAL(loaded, 5u); /* program, ld.so, vdso, libc, libm */
    EQUAL(unloaded, 5u); /* one while the program ran, the others at its end */
    FALSE_(IMG_Valid(IMG_Invalid()) || SEC_Valid(SEC_Invalid()) || SYM_Valid(SYM_Invalid()) || RTN_Valid(RTN_Invalid()));
    Checked("objects", 100);
}

int main(int argc, char **argv)
{
    if (option("alternative"))
        PIN_InitSymbolsAlt(EXPORT_SYMBOLS);
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Load, 0);
    IMG_AddUnloadFunction(Unload, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
