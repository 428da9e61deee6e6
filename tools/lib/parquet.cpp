// SPDX-License-Identifier: Apache-2.0
// The Parquet file around its columns (parquet.h): groups of rows, and the footer that says where everything is. Numbers of fields and of enumerations are those of the format's
// parquet.thrift.
#include "parquet.h"
#include "thrift.h"

enum { TYPE_BOOLEAN = 0, TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { CONVERTED_UTF8 = 0, CONVERTED_UINT_32 = 13, CONVERTED_UINT_64 = 14 };
enum { REQUIRED = 0, OPTIONAL = 1 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3 };
static const int CODEC_ZSTD = 6;
static const char MAGIC[] = "PAR1";

static int physical(ParquetKind kind)
{
    return kind == PARQUET_BOOL ? TYPE_BOOLEAN : kind == PARQUET_U32 ? TYPE_INT32 : kind == PARQUET_U64 ? TYPE_INT64 : TYPE_BYTE_ARRAY;
}

ParquetFile::ParquetFile(FILE *out, const std::vector<ParquetColumn> &columns, const std::vector<int> &sorted, const std::vector<std::pair<std::string, std::string>> &notes)
    : out(out), columns(columns), sorted(sorted), notes(notes), ngroups(0), rows(0), offset(0)
{
    Write(MAGIC);
}

void ParquetFile::Write(const std::string &bytes)
{
    fwrite(bytes.data(), 1, bytes.size(), out);
    offset += bytes.size();
}

// --- metadata -----------------------------------------------------------------------------------------------------------

// What the bits of a physical type mean, for old readers and for new ones.
static void put_meaning(Thrift *t, ParquetKind kind)
{
    if (kind == PARQUET_BOOL)
        return;
    t->I32Field(6, kind == PARQUET_TEXT ? CONVERTED_UTF8 : kind == PARQUET_U32 ? CONVERTED_UINT_32 : CONVERTED_UINT_64);
    Thrift logical = t->StructField(10);
    Thrift meaning = logical.StructField(kind == PARQUET_TEXT ? 1 : 10);
    if (kind != PARQUET_TEXT) {
        meaning.I8Field(1, kind == PARQUET_U32 ? 32 : 64);
        meaning.BoolField(2, false); // signed
    }
    meaning.End();
    logical.End();
}

// The root and its columns.
void ParquetFile::Schema(std::string *to) const
{
    Thrift root(to);
    root.TextField(4, "table");
    root.I32Field(5, int32_t(columns.size()));
    root.End();
    for (const ParquetColumn &c : columns) {
        Thrift t(to);
        t.I32Field(1, physical(c.kind));
        t.I32Field(3, c.optional ? OPTIONAL : REQUIRED);
        t.TextField(4, c.name);
        put_meaning(&t, c.kind);
        t.End();
    }
}

static void put_statistics(Thrift *meta, const ParquetChunk &c)
{
    Thrift t = meta->StructField(12);
    t.I64Field(3, int64_t(c.nulls));
    if (c.distinct)
        t.I64Field(4, int64_t(c.distinct));
    if (c.nulls < c.values) {
        t.TextField(5, c.greatest);
        t.TextField(6, c.least);
    }
    t.End();
}

static void put_chunk(std::string *to, const ParquetColumn &column, const ParquetChunk &c, uint64_t offset)
{
    Thrift chunk(to);
    chunk.I64Field(2, int64_t(offset));
    Thrift t = chunk.StructField(3);
    t.I32Field(1, physical(column.kind));
    t.ListField(2, Thrift::I32, c.dictionary_bytes ? 3 : 2);
    t.Signed(ENCODING_RLE); // of levels
    if (c.dictionary_bytes)
        t.Signed(ENCODING_PLAIN);
    t.Signed(c.encoding);
    t.ListField(3, Thrift::TEXT, 1);
    t.Text(column.name);
    t.I32Field(4, CODEC_ZSTD);
    t.I64Field(5, int64_t(c.values));
    t.I64Field(6, int64_t(c.plain_bytes));
    t.I64Field(7, int64_t(c.bytes.size()));
    t.I64Field(9, int64_t(offset + c.dictionary_bytes));
    if (c.dictionary_bytes)
        t.I64Field(11, int64_t(offset));
    put_statistics(&t, c);
    t.End();
    chunk.End();
}

void ParquetFile::Append(const ParquetGroup &group)
{
    uint64_t start = offset, plain = 0;
    Thrift t(&groups);
    t.ListField(1, Thrift::STRUCT, columns.size());
    for (size_t i = 0; i < columns.size(); i++) {
        put_chunk(&groups, columns[i], group.chunks[i], offset);
        Write(group.chunks[i].bytes);
        plain += group.chunks[i].plain_bytes;
    }
    t.I64Field(2, int64_t(plain));
    t.I64Field(3, int64_t(group.rows));
    if (!sorted.empty()) {
        t.ListField(4, Thrift::STRUCT, sorted.size());
        for (int column : sorted) {
            Thrift s(&groups);
            s.I32Field(1, column);
            s.BoolField(2, false); // descending
            s.BoolField(3, false); // nulls first
            s.End();
        }
    }
    t.I64Field(5, int64_t(start));
    t.I64Field(6, int64_t(offset - start));
    t.End();
    ngroups++;
    rows += group.rows;
}

void ParquetFile::Footer()
{
    std::string meta;
    Thrift t(&meta);
    t.I32Field(1, 2); // version
    t.ListField(2, Thrift::STRUCT, columns.size() + 1);
    Schema(&meta);
    t.I64Field(3, int64_t(rows));
    t.ListField(4, Thrift::STRUCT, ngroups);
    meta += groups;
    t.ListField(5, Thrift::STRUCT, notes.size());
    for (const auto &note : notes) {
        Thrift n(&meta);
        n.TextField(1, note.first);
        n.TextField(2, note.second);
        n.End();
    }
    t.TextField(6, "linchpin");
    t.ListField(7, Thrift::STRUCT, columns.size());
    for (size_t i = 0; i < columns.size(); i++) { // least and greatest are in the order of the type
        Thrift order(&meta);
        order.StructField(1).End();
        order.End();
    }
    t.End();
    uint32_t bytes = uint32_t(meta.size());
    for (int i = 0; i < 4; i++)
        meta.push_back(char(bytes >> 8 * i));
    Write(meta + MAGIC);
    fflush(out);
}
