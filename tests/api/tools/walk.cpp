/* SPDX-License-Identifier: Apache-2.0
 * A whole file, opened without a process (IMG_Open): its sections, symbols, routines and instructions, one line each, for comparison with readelf, nm and objdump. Addresses are the file's own. */
#include "golden.h"

static void Instructions(RTN rtn)
{
    RTN_Open(rtn);
    for (INS ins = RTN_InsHead(rtn); INS_Valid(ins); ins = INS_Next(ins)) {
        std::printf("i %lx %u %c%c%c%c%c%c%c", INS_Address(ins), (UINT32)INS_Size(ins), INS_IsCall(ins) ? 'c' : INS_IsRet(ins) ? 'r' : INS_IsBranch(ins) ? INS_HasFallThrough(ins) ? 'b' : 'j' : '-',
                    INS_IsNop(ins) ? 'n' : '-', INS_LockPrefix(ins) ? 'l' : '-', INS_IsMemoryRead(ins) ? 'R' : '-', INS_IsMemoryWrite(ins) ? 'W' : '-', INS_IsIpRelRead(ins) || INS_IsIpRelWrite(ins) ? 'i' : '-',
                    INS_HasRealRep(ins) ? 'p' : '-');
        if (INS_IsDirectControlFlow(ins))
            std::printf(" >%lx", INS_DirectControlFlowTargetAddress(ins));
        std::printf(" %s\n", INS_Disassemble(ins).c_str());
    }
    RTN_Close(rtn);
}

static void Sections(IMG img, bool code)
{
    SEC prev = SEC_Invalid();
    for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); prev = sec, sec = SEC_Next(sec)) {
        const unsigned char *data = static_cast<const unsigned char *>(SEC_Data(sec));
        std::printf("s %s %d %lx %lx %s%s%s%s %02x%02x\n", SEC_Name(sec).c_str(), SEC_Type(sec), SEC_Address(sec), (unsigned long)SEC_Size(sec), SEC_IsReadable(sec) ? "r" : "-",
                    SEC_IsWriteable(sec) ? "w" : "-", SEC_IsExecutable(sec) ? "x" : "-", SEC_Mapped(sec) ? "m" : "-", data && SEC_Size(sec) > 1 ? data[0] : 0, data && SEC_Size(sec) > 1 ? data[1] : 0);
        if (SEC_Prev(sec) != prev || SEC_Img(sec) != img)
            std::printf("wrong neighbours of section %s\n", SEC_Name(sec).c_str());
        RTN before = RTN_Invalid();
        for (RTN rtn = SEC_RtnHead(sec); RTN_Valid(rtn); before = rtn, rtn = RTN_Next(rtn)) {
            std::printf("r %lx %lx %lx %d %s %s\n", RTN_Address(rtn), (unsigned long)RTN_Size(rtn), (unsigned long)RTN_Range(rtn), RTN_IsArtificial(rtn), SYM_Valid(RTN_Sym(rtn)) ? "sym" : "-",
                        RTN_Name(rtn).c_str());
            if (RTN_Prev(rtn) != before || RTN_Sec(rtn) != sec || RTN_Funptr(rtn) != AFUNPTR(RTN_Address(rtn)) || RTN_IsDynamic(rtn) || RTN_DynamicMethodId(rtn))
                std::printf("wrong neighbours of routine %s\n", RTN_Name(rtn).c_str());
            if (RTN_FindByAddress(RTN_Address(rtn)) != rtn || (RTN_Size(rtn) && RTN_FindByAddress(RTN_Address(rtn) + RTN_Size(rtn) - 1) != rtn))
                std::printf("routine %s is not found by its addresses\n", RTN_Name(rtn).c_str());
            if (code)
                Instructions(rtn);
        }
        if (RTN_Valid(before) && SEC_RtnTail(sec) != before)
            std::printf("wrong last routine of section %s\n", SEC_Name(sec).c_str());
    }
    if (IMG_SecTail(img) != prev)
        std::printf("wrong last section\n");
}

static void Symbols(IMG img)
{
    SYM prev = SYM_Invalid();
    for (SYM sym = IMG_RegsymHead(img); SYM_Valid(sym); prev = sym, sym = SYM_Next(sym)) {
        std::printf("y %lx %lx %d%d%d %s\n", SYM_Value(sym), SYM_Address(sym), SYM_Dynamic(sym), SYM_IFunc(sym), SYM_GeneratedByPin(sym), SYM_Name(sym).c_str());
        if (SYM_Prev(sym) != prev)
            std::printf("wrong neighbours of symbol %s\n", SYM_Name(sym).c_str());
    }
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG img = IMG_Open(option("file"));
    if (!IMG_Valid(img)) {
        std::printf("cannot be opened\n");
        return 0;
    }
    std::printf("m %s type %d entry %lx low %lx high %lx offset %lx size %lx static %d main %d regions %u lines %d\n", IMG_Name(img).c_str(), IMG_Type(img), IMG_EntryAddress(img), IMG_LowAddress(img),
                IMG_HighAddress(img), IMG_LoadOffset(img), (unsigned long)IMG_SizeMapped(img), IMG_IsStaticExecutable(img), IMG_IsMainExecutable(img), IMG_NumRegions(img), IMG_hasLinesData(img));
    for (UINT32 i = 0; i < IMG_NumRegions(img); i++)
        std::printf("g %lx %lx\n", IMG_RegionLowAddress(img, i), IMG_RegionHighAddress(img, i));
    Sections(img, option("code"));
    Symbols(img);
    IMG_Close(img);
    if (IMG_Valid(img))
        std::printf("still there after IMG_Close\n");
    return 0;
}
