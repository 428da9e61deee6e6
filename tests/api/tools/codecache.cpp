/* SPDX-License-Identifier: Apache-2.0
 * The code cache: events and what they say of each other, numbers, limits, removal. Rules CC1, CC2, CC3. */
#include "golden.h"

#include <map>

static std::string mode;
static UINT64 wrong, stub_bytes, ninit, ninserted, nlinked, nunlinked, ninvalidated, nentered, nexited, nflushed, nfull, nblocks, calls, made;
static std::map<ADDRINT, ADDRINT> body;   /* cache address of each trace: program address */
static std::map<ADDRINT, ADDRINT> link_to; /* branch: target */
static UINT32 most_ins, most_blocks;

static const char *Yes(UINT64 n) { return n ? "yes" : "no"; }
static VOID Wrong(int line)
{
    if (!wrong++)
        std::fprintf(stderr, "first wrong at line %d\n", line);
}
#define CHECK(condition) ((condition) ? (void)0 : Wrong(__LINE__))

/* --- events --- */
static VOID Init() { ninit++; }

static VOID Inserted(TRACE trace, VOID *)
{
    ninserted++;
    ADDRINT at = TRACE_CodeCacheAddress(trace), end = at + TRACE_CodeCacheSize(trace), next = at;
    body[at] = TRACE_Address(trace);
    CHECK(end > at);
    stub_bytes += TRACE_StubSize(trace);
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        USIZE sum = 0;
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins)) {
            ADDRINT here = INS_CodeCacheAddress(ins);
            CHECK(here >= next && here + INS_CodeCacheSize(ins) <= end);
            CHECK(CODECACHE_OriginalAddress(here) == INS_Address(ins));
            sum += INS_CodeCacheSize(ins);
            next = here;
        }
        CHECK(BBL_CodeCacheAddress(bbl) == INS_CodeCacheAddress(BBL_InsHead(bbl)) && BBL_CodeCacheSize(bbl) == sum);
    }
}
static VOID Linked(ADDRINT branch, ADDRINT target)
{
    nlinked++;
    CHECK(body.count(target) && !link_to.count(branch));
    CHECK(CODECACHE_OriginalAddress(branch));
    link_to[branch] = target;
}
static VOID Unlinked(ADDRINT branch, ADDRINT stub)
{
    nunlinked++;
    CHECK(link_to.erase(branch) == 1 && stub && !body.count(stub));
}
static VOID Invalidated(ADDRINT orig, ADDRINT cache, BOOL success)
{
    ninvalidated++;
    CHECK(success && body.count(cache) && body[cache] == orig);
    body.erase(cache);
}
static VOID Flushed()
{
    nflushed++;
    body.clear();
    link_to.clear();
    CHECK(CODECACHE_NumTracesInCache() == 0 && CODECACHE_LinkBytes() == 0 && CODECACHE_NumExitStubsInCache() == 0 && CODECACHE_ExitStubBytes() == 0);
}
static VOID Entered(ADDRINT pc)
{
    nentered++;
    CHECK(CODECACHE_OriginalAddress(pc) || mode != "events");
}
static VOID Exited(ADDRINT pc) { nexited += pc != 0; }
static VOID Block(USIZE bytes)
{
    nblocks++;
    CHECK(bytes == CODECACHE_BlockSize());
}

/* From an analysis routine: at once. */
static VOID Flush()
{
    UINT64 before = nflushed;
    CHECK(CODECACHE_NumTracesInCache() == body.size());
    CHECK(CODECACHE_LinkBytes() >= link_to.size() * 4 && CODECACHE_NumExitStubsInCache() >= link_to.size());
    CHECK(CODECACHE_CodeMemUsed() <= CODECACHE_CodeMemReserved() && CODECACHE_DirectoryMemUsed() >= body.size() * 16);
    CHECK(CODECACHE_FlushCache() && nflushed == before + 1);
}

/* --- removal --- */
static VOID Remove()
{
    calls++;
    ADDRINT hot = at("at_hot");
    switch (calls) {
    case 20: {
        std::printf("made %lu at 0: ", made);
        UINT32 n = CODECACHE_InvalidateTraceAtProgramAddress(hot);
        std::printf("%u %u ", n, CODECACHE_InvalidateTraceAtProgramAddress(hot));
        break;
    }
    case 40: {
        std::printf("made %lu range: ", made);
        UINT32 n = CODECACHE_InvalidateRange(hot, hot);
        std::printf("%u %u ", n, CODECACHE_InvalidateRange(hot, hot));
        break;
    }
    case 60:
        std::printf("made %lu instrumentation in range: ", made);
        PIN_RemoveInstrumentationInRange(hot, hot + 1);
        break;
    case 80:
        std::printf("made %lu all: ", made);
        PIN_RemoveInstrumentation();
        break;
    case 100:
        std::printf("made %lu calls %lu ", made, calls);
        break;
    }
}

/* --- the cache is full --- */
static UINT64 grown;
static VOID Full(USIZE trace_bytes, USIZE)
{
    nfull++;
    CHECK(trace_bytes > 0 && CODECACHE_CacheSizeLimit() != 0);
    if (nfull == 1) { /* a block more */
        UINT32 reserved = CODECACHE_CodeMemReserved();
        CHECK(!CODECACHE_ChangeCacheLimit(reserved / 2) && CODECACHE_ChangeBlockSize(1 << 20));
        CHECK(CODECACHE_ChangeCacheLimit(reserved + (2 << 20)) && CODECACHE_CreateNewCacheBlock(1 << 20));
        CHECK(CODECACHE_CodeMemReserved() == reserved + (1 << 20));
        CHECK(!CODECACHE_CreateNewCacheBlock(4 << 20));
        grown++;
    } else if (nfull == 2) {
        UINT64 before = nflushed;
        CODECACHE_FlushCache();
        CHECK(nflushed == before + 1);
    } /* else: the engine flushes */
}

/* --- reclaiming --- */
static UINT64 rewritten, bytes_of_rewritten, started_with;
static VOID Measure(TRACE trace, VOID *)
{
    if (TRACE_Address(trace) == 0x10000000) {
        rewritten++;
        bytes_of_rewritten += TRACE_CodeCacheSize(trace) + TRACE_StubSize(trace);
    }
}
static VOID Rewritten()
{
    UINT64 grew = CODECACHE_CodeMemReserved() - started_with;
    CHECK(bytes_of_rewritten > 20000000);
    std::printf("traces of it %lu reserved %s than a third of what they took\n", rewritten, grew * 3 < bytes_of_rewritten ? "less" : "more");
}

/* --- changed code --- */
static UINT64 changed, other;
static VOID Smc(ADDRINT start, ADDRINT end, VOID *v)
{
    CHECK(v == &changed && end > start);
    (start == 0x10000000 && end >= start + 5 ? changed : other)++;
}

/* Not one that the engine can put into the trace itself. */
static VOID Nothing(ADDRINT v)
{
    if (v == 1)
        PIN_Sleep(1);
}

static VOID Instruction(INS ins, VOID *)
{
    if (mode == "events" && (is_at(ins, "at_rewritten") || is_at(ins, "at_end")))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Flush), IARG_END);
    if (mode == "remove" && is_at(ins, "at_hot")) {
        made++;
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Remove), IARG_END);
    }
    if (mode == "reclaim" && is_at(ins, "at_rewritten"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Rewritten), IARG_END);
    bool generated = INS_Address(ins) >= 0x10000000 && INS_Address(ins) < 0x20000000;
    for (int i = 0; generated && (mode == "full" || mode == "reclaim") && i < 100; i++)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_ADDRINT, 0x123456789abcdefUL, IARG_END);
}

static VOID Trace(TRACE trace, VOID *)
{
    most_ins = TRACE_NumIns(trace) > most_ins ? TRACE_NumIns(trace) : most_ins;
    most_blocks = TRACE_NumBbl(trace) > most_blocks ? TRACE_NumBbl(trace) : most_blocks;
    CHECK(TRACE_CodeCacheAddress(trace) == 0);
}

static VOID Fini(INT32, VOID *)
{
    if (mode == "events") {
        CHECK(stub_bytes > ninserted);
        /* Without links (-no_link) every trace is entered from outside. */
        CHECK(nlinked ? nunlinked > 0 : nentered > 2 * ninserted);
        std::printf("init %lu wrong %lu\n", ninit, wrong);
        std::printf("inserted %s invalidated %s entered %s exited %s flushed %lu\n", Yes(ninserted), Yes(ninvalidated),
                    Yes(nentered), Yes(nexited), nflushed);
    } else if (mode == "remove") {
        std::printf("wrong %lu\n", wrong);
    } else if (mode == "limits") {
        std::printf("at most 3 instructions: %s, 1 block: %s wrong %lu\n", Yes(most_ins <= 3), Yes(most_blocks == 1), wrong);
    } else if (mode == "full") {
        std::printf("full %s flushed %s blocks %s grown %s wrong %lu\n", Yes(nfull > 2), Yes(nflushed > 1), Yes(nblocks), Yes(grown), wrong);
    } else if (mode == "smc") {
        std::printf("changed %lu other %lu wrong %lu\n", changed, other, wrong);
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    mode = option("mode");
    if (mode == "events") {
        CODECACHE_AddCacheInitFunction(Init, 0);
        CODECACHE_AddTraceInsertedFunction(Inserted, 0);
        CODECACHE_AddTraceLinkedFunction(Linked, 0);
        CODECACHE_AddTraceUnlinkedFunction(Unlinked, 0);
        CODECACHE_AddTraceInvalidatedFunction(Invalidated, 0);
        CODECACHE_AddCacheFlushedFunction(Flushed, 0);
        CODECACHE_AddCodeCacheEnteredFunction(Entered, 0);
        CODECACHE_AddCodeCacheExitedFunction(Exited, 0);
    }
    if (mode == "limits") {
        CHECK(!CODECACHE_ChangeMaxInsPerTrace(0) && CODECACHE_ChangeMaxInsPerTrace(3) && CODECACHE_ChangeMaxBblsPerTrace(1));
        CHECK(CODECACHE_CacheSizeLimit() == 0 && !CODECACHE_ChangeBlockSize(4096));
        TRACE_AddInstrumentFunction(Trace, 0);
    }
    if (mode == "full") {
        CODECACHE_AddFullCacheFunction(Full, 0);
        CODECACHE_AddCacheFlushedFunction(Flushed, 0);
        CODECACHE_AddCacheBlockFunction(Block, 0);
        CHECK(CODECACHE_ChangeBlockSize(1 << 20));
        CHECK(CODECACHE_ChangeCacheLimit(CODECACHE_CodeMemReserved() + (1 << 20)));
    }
    if (mode == "reclaim") {
        CODECACHE_AddTraceInsertedFunction(Measure, 0);
        CHECK(CODECACHE_ChangeBlockSize(1 << 20));
        started_with = CODECACHE_CodeMemReserved();
    }
    if (mode == "smc")
        TRACE_AddSmcDetectedFunction(Smc, &changed);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
