// SPDX-License-Identifier: Apache-2.0
// Traces as Parquet (trace.h): a group of rows for each buffer, so that a group has rows of one thread, in order; and the file of the instructions, NAME.places.
#include "trace.h"

#include <sys/stat.h>
#include <zstd.h>

static const UINT32 CHUNK = 1 << 12, CHUNKS = 1 << 14;
static TraceOp *ops[CHUNKS]; // they never move: other threads look while there are more
static UINT32 nops;
static std::unordered_map<UINT64, UINT32> op_index;

struct Place {
    UINT32 where;
    std::string text;
};
static std::vector<Place> places;
static std::unordered_map<std::string, UINT32> place_index; // by what where_note says, and the bytes of the instruction

static TraceColumns shape;
static std::vector<ParquetColumn> columns;
static std::string path;
static int zstd_level;
static ParquetFile *table;
static FILE *table_file;
static UINT64 seq[PIN_MAX_THREADS];

// --- instructions -------------------------------------------------------------------------------------------------------

static UINT32 PlaceOf(INS ins)
{
    UINT32 where = where_note(INS_Address(ins));
    char code[16];
    std::string key(reinterpret_cast<const char *>(&where), sizeof where);
    key.append(code, PIN_SafeCopy(code, reinterpret_cast<VOID *>(INS_Address(ins)), INS_Size(ins)));
    auto at = place_index.emplace(key, UINT32(places.size()));
    if (at.second)
        places.push_back(Place{where, INS_Disassemble(ins)});
    return at.first->second;
}

UINT32 trace_op(INS ins, UINT32 bytes, BOOL write)
{
    UINT32 place = PlaceOf(ins);
    auto at = op_index.emplace(UINT64(place) << 32 | bytes << 1 | UINT32(write), nops);
    if (!at.second)
        return at.first->second;
    if (nops == CHUNK * CHUNKS) {
        fprintf(stderr, "E: the program has more than %u instructions to trace\n", CHUNK * CHUNKS);
        PIN_ExitProcess(1);
    }
    if (!ops[nops / CHUNK])
        ops[nops / CHUNK] = new TraceOp[CHUNK];
    ops[nops / CHUNK][nops % CHUNK] = TraceOp{INS_Address(ins), place, bytes, write};
    return nops++;
}

const TraceOp &trace_op_of(UINT32 number) { return ops[number / CHUNK][number % CHUNK]; }

// --- rows ---------------------------------------------------------------------------------------------------------------

static VOID Open()
{
    if (table)
        return;
    table_file = tool_open(path);
    table = new ParquetFile(table_file, columns, {0, 1}, {{"linchpin.pid", decstr(PIN_GetPid())}});
}

static VOID Write(THREADID tid, const VOID *records, UINT64 n)
{
    std::vector<ParquetValues> v(columns.size());
    for (ParquetValues &column : v)
        column.numbers.reserve(n);
    v[0].numbers.assign(n, tid);
    for (UINT64 i = 0; i < n; i++) {
        const char *record = static_cast<const char *>(records) + i * shape.record_bytes;
        const TraceOp &op = trace_op_of(*reinterpret_cast<const UINT32 *>(record + shape.op_offset));
        v[1].numbers.push_back(seq[tid]++);
        v[2].numbers.push_back(op.pc);
        v[3].numbers.push_back(op.ins);
        shape.add(record, op, &v[4]);
    }
    ParquetGroup group = parquet_encode(columns, v, zstd_level);
    Locked locked(&trace_lock);
    Open();
    table->Append(group);
}

// Beside the trace, unless that is a device or a pipe.
static FILE *OpenPlaces()
{
    std::string name = tool_path(path);
    struct stat st = {};
    FILE *f = stat(name.c_str(), &st) || !S_ISREG(st.st_mode) ? NULL : tool_try_open(name + ".places");
    if (!f && S_ISREG(st.st_mode))
        fprintf(stderr, "E: %s.places: %s\n", name.c_str(), strerror(errno));
    return f;
}

static VOID WritePlaces()
{
    FILE *f = OpenPlaces();
    if (!f)
        return;
    std::vector<ParquetColumn> names = {{"ins", PARQUET_U32, false, true}, {"pc", PARQUET_U64, false, false}, {"image", PARQUET_TEXT, true, false}, {"routine", PARQUET_TEXT, true, false},
        {"file", PARQUET_TEXT, true, false}, {"line", PARQUET_U32, true, false}, {"text", PARQUET_TEXT, true, false}};
    std::vector<ParquetValues> v(names.size());
    for (size_t i = 0; i < places.size(); i++) {
        WhereNames n = where_names(places[i].where);
        v[0].numbers.push_back(i);
        v[1].numbers.push_back(where_address(places[i].where));
        v[2].texts.push_back(n.image);
        v[3].texts.push_back(n.routine);
        v[4].texts.push_back(n.file);
        v[5].numbers.push_back(UINT64(n.line));
        v[6].texts.push_back(places[i].text);
    }
    ParquetFile file(f, names, {0}, {});
    if (!places.empty())
        file.Append(parquet_encode(names, v, zstd_level));
    file.Footer();
    fclose(f);
}

static VOID End()
{
    {
        Locked locked(&trace_lock);
        Open();
        table->Footer();
    }
    WritePlaces();
}

static VOID BeforeFork()
{
    if (table)
        fflush(table_file);
}

// The parent's rows are in its own file. This one is made when there is something to write.
static VOID InChild()
{
    if (table)
        fclose(table_file);
    delete table;
    table = NULL;
    memset(seq, 0, sizeof seq);
}

BUFFER_ID trace_parquet(const TraceColumns &c, const std::string &name, int level, UINT32 pages)
{
    if (level < ZSTD_minCLevel() || level > ZSTD_maxCLevel()) {
        fprintf(stderr, "E: -level %d: zstd knows %d to %d\n", level, ZSTD_minCLevel(), ZSTD_maxCLevel());
        exit(1);
    }
    shape = c;
    path = name;
    zstd_level = level;
    columns = {{"tid", PARQUET_U32, false, false}, {"seq", PARQUET_U64, false, true}, {"pc", PARQUET_U64, false, false}, {"ins", PARQUET_U32, false, false}};
    columns.insert(columns.end(), c.more.begin(), c.more.end());
    Open();
    return trace_start(TraceFile{c.record_bytes, Write, End, BeforeFork, InChild}, pages);
}

UINT64 trace_bytes() { return table ? table->Bytes() : 0; }
UINT64 trace_rows() { return table ? table->Rows() : 0; }
