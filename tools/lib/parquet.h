/* SPDX-License-Identifier: Apache-2.0
 * Apache Parquet files: tables by column, which DuckDB, Spark and pandas read. Rows come in groups; a column of a group is encoded with a dictionary where that is smaller, else
 * plainly, or as differences where the caller knows that it ascends, and compressed with zstd. Every column of every group has its least and greatest value, so that readers
 * leave groups out. Encoding needs no lock and may be done by many threads; the file itself is its owner's to lock. Nothing here knows Pin. */
#ifndef PARQUET_H
#define PARQUET_H
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

enum ParquetKind { PARQUET_BOOL, PARQUET_U32, PARQUET_U64, PARQUET_TEXT };

struct ParquetColumn {
    std::string name;
    ParquetKind kind;
    bool optional; /* 0 and "" are null */
    bool ascends;  /* numbers only: worth encoding as differences */
};

/* The values of a column in a group of rows: one of the two, by its kind. */
struct ParquetValues {
    std::vector<uint64_t> numbers;
    std::vector<std::string> texts;
};

/* A column of a group, as it will be in the file. */
struct ParquetChunk {
    std::string bytes;
    uint64_t values, plain_bytes; /* rows; before compression */
    size_t dictionary_bytes;      /* of the page in front; 0: none */
    int encoding;
    std::string least, greatest; /* "": all is null */
    uint64_t nulls, distinct;    /* 0: not known */
};

struct ParquetGroup {
    uint64_t rows;
    std::vector<ParquetChunk> chunks;
};

/* Any thread. level: zstd's. */
ParquetGroup parquet_encode(const std::vector<ParquetColumn> &columns, const std::vector<ParquetValues> &values, int level);

class ParquetFile
{
  public:
    /* sorted: columns that the rows of each group are in the order of. notes: keys and values for readers. */
    ParquetFile(FILE *out, const std::vector<ParquetColumn> &columns, const std::vector<int> &sorted, const std::vector<std::pair<std::string, std::string>> &notes);
    void Append(const ParquetGroup &group);
    /* Makes a whole file of it. More groups may follow, and another footer then: readers look for the last one only. */
    void Footer();
    uint64_t Rows() const { return rows; }
    uint64_t Bytes() const { return offset; }

  private:
    void Write(const std::string &bytes);
    void Schema(std::string *to) const;

    FILE *out;
    std::vector<ParquetColumn> columns;
    std::vector<int> sorted;
    std::vector<std::pair<std::string, std::string>> notes;
    std::string groups; /* metadata of what is in the file */
    uint64_t ngroups, rows, offset;
};

#endif
