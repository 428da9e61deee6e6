// SPDX-License-Identifier: Apache-2.0
// How the values of a column become pages of a Parquet file (parquet.h): dictionary, plain or differences, levels for nulls, least and greatest, zstd.
#include "parquet.h"
#include "thrift.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <zstd.h>

enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };
static const size_t PAGE_ROWS = 65536;
static const size_t DICTIONARY_MOST = 1 << 15; // distinct values

typedef std::vector<uint64_t> Numbers;

static unsigned bits_of(uint64_t n) { return n ? 64 - unsigned(__builtin_clzll(n)) : 0; }

static void put_bytes(std::string *to, uint64_t n, unsigned bytes)
{
    char little[8];
    memcpy(little, &n, sizeof n); // tools run on machines of this order only
    to->append(little, bytes);
}

static void put_varint(std::string *to, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        to->push_back(char(n | 0x80));
    to->push_back(char(n));
}

static void put_zigzag(std::string *to, int64_t n) { put_varint(to, uint64_t(n) << 1 ^ uint64_t(n >> 63)); }

// Each number in so many bits, the lowest first; the last byte is filled up.
static void put_bits(std::string *to, const uint64_t *n, size_t count, unsigned bits)
{
    size_t at = to->size(), end = at + (count * bits + 7) / 8;
    to->resize(end + 8); // room for a whole word at the end
    char *p = &(*to)[at];
    unsigned __int128 held = 0;
    unsigned have = 0;
    for (size_t i = 0; i < count; i++) {
        held |= (unsigned __int128)n[i] << have;
        have += bits;
        if (have >= 64) {
            uint64_t word = uint64_t(held);
            memcpy(p, &word, 8);
            p += 8;
            held >>= 64;
            have -= 64;
        }
    }
    uint64_t word = uint64_t(held);
    memcpy(p, &word, 8);
    to->resize(end);
}

// --- run lengths --------------------------------------------------------------------------------------------------------

static void put_literals(std::string *to, const uint64_t *n, size_t count, unsigned bits)
{
    if (!count)
        return;
    put_varint(to, (count + 7) / 8 << 1 | 1);
    put_bits(to, n, count, bits);
    to->resize(to->size() + (bits * ((count + 7) / 8 * 8) + 7) / 8 - (bits * count + 7) / 8); // groups of 8 are whole
}

// Runs of at least 8 of the same number by their length, the others bit by bit, in groups of 8.
static void put_runs(std::string *to, const uint64_t *n, size_t count, unsigned bits)
{
    size_t literals = 0;
    for (size_t i = 0; i < count;) {
        size_t run = 1;
        while (i + run < count && n[i + run] == n[i])
            run++;
        if (run < 8) {
            i += std::min<size_t>(8, count - i);
            continue;
        }
        put_literals(to, n + literals, i - literals, bits);
        put_varint(to, run << 1);
        put_bytes(to, n[i], (bits + 7) / 8);
        literals = i += run;
    }
    put_literals(to, n + literals, count - literals, bits);
}

// --- differences --------------------------------------------------------------------------------------------------------

// Blocks of 128 differences: the least of them, and for each 32 how many bits what is above it takes.
static void put_delta_block(std::string *to, const int64_t *delta, size_t count)
{
    int64_t least = *std::min_element(delta, delta + count);
    put_zigzag(to, least);
    uint64_t above[128] = {0};
    for (size_t i = 0; i < count; i++)
        above[i] = uint64_t(delta[i]) - uint64_t(least);
    unsigned bits[4];
    for (unsigned m = 0; m < 4; m++) {
        bits[m] = bits_of(*std::max_element(above + 32 * m, above + 32 * m + 32));
        to->push_back(char(bits[m]));
    }
    for (unsigned m = 0; m < 4 && 32 * m < count; m++)
        put_bits(to, above + 32 * m, 32, bits[m]);
}

static void put_deltas(std::string *to, const uint64_t *n, size_t count)
{
    put_varint(to, 128);
    put_varint(to, 4);
    put_varint(to, count);
    put_zigzag(to, count ? int64_t(n[0]) : 0);
    std::vector<int64_t> delta;
    for (size_t i = 1; i < count; i++)
        delta.push_back(int64_t(n[i] - n[i - 1]));
    for (size_t i = 0; i < delta.size(); i += 128)
        put_delta_block(to, &delta[i], std::min<size_t>(128, delta.size() - i));
}

// --- dictionaries -------------------------------------------------------------------------------------------------------

// The distinct numbers in the order in which they come; false: there are too many for it to be worth it.
static bool number_dictionary(const Numbers &values, Numbers *distinct, Numbers *index)
{
    static const size_t SLOTS = 2 * DICTIONARY_MOST;
    size_t most = std::min(DICTIONARY_MOST, values.size() / 2 + 1);
    std::vector<uint32_t> slot(SLOTS); // number of the entry, and 1
    index->resize(values.size());
    for (size_t i = 0; i < values.size(); i++) {
        uint64_t v = values[i];
        size_t at = size_t(v * 0x9e3779b97f4a7c15ull >> 48) % SLOTS;
        while (slot[at] && (*distinct)[slot[at] - 1] != v)
            at = (at + 1) % SLOTS;
        if (!slot[at]) {
            if (distinct->size() == most)
                return false;
            distinct->push_back(v);
            slot[at] = uint32_t(distinct->size());
        }
        (*index)[i] = slot[at] - 1;
    }
    return true;
}

static void text_dictionary(const std::vector<std::string> &values, std::vector<std::string> *distinct, Numbers *index)
{
    std::unordered_map<std::string, uint64_t> at;
    for (const std::string &v : values) {
        auto found = at.emplace(v, distinct->size());
        if (found.second)
            distinct->push_back(v);
        index->push_back(found.first->second);
    }
}

// --- pages --------------------------------------------------------------------------------------------------------------

static void put_plain(std::string *to, const ParquetColumn &c, const uint64_t *n, size_t count)
{
    if (c.kind == PARQUET_BOOL) {
        put_bits(to, n, count, 1);
        return;
    }
    size_t at = to->size(), width = c.kind == PARQUET_U32 ? 4 : 8;
    to->resize(at + count * width);
    for (size_t i = 0; i < count; i++)
        memcpy(&(*to)[at + i * width], &n[i], width);
}

static void put_text(std::string *to, const std::string &text)
{
    put_bytes(to, text.size(), 4);
    *to += text;
}

class Pages
{
  public:
    Pages(ParquetChunk *chunk, int level) : chunk(chunk), level(level), zstd(ZSTD_createCCtx()) {}
    ~Pages() { ZSTD_freeCCtx(zstd); }

    void Dictionary(const std::string &page, size_t values)
    {
        Put(page, DICTIONARY_PAGE, values, PLAIN);
        chunk->dictionary_bytes = chunk->bytes.size();
    }
    void Data(const std::string &page, size_t values) { Put(page, DATA_PAGE, values, chunk->encoding); }

  private:
    void Put(const std::string &page, int type, size_t values, int encoding)
    {
        std::string packed(ZSTD_compressBound(page.size()), '\0');
        packed.resize(ZSTD_compressCCtx(zstd, &packed[0], packed.size(), page.data(), page.size(), level)); // cannot fail: there is room
        size_t before = chunk->bytes.size();
        Thrift t(&chunk->bytes);
        t.I32Field(1, type);
        t.I32Field(2, int32_t(page.size()));
        t.I32Field(3, int32_t(packed.size()));
        Thrift head = t.StructField(type == DATA_PAGE ? 5 : 7);
        head.I32Field(1, int32_t(values));
        head.I32Field(2, encoding);
        if (type == DATA_PAGE) {
            head.I32Field(3, RLE);
            head.I32Field(4, RLE);
        }
        head.End();
        t.End();
        chunk->plain_bytes += chunk->bytes.size() - before + page.size();
        chunk->bytes += packed;
    }

    ParquetChunk *chunk;
    int level;
    ZSTD_CCtx *zstd;
};

// --- columns ------------------------------------------------------------------------------------------------------------

// What is not null, and for each row whether it is.
struct Present : ParquetValues {
    Numbers levels;
};

static Present present(const ParquetValues &v)
{
    Present p;
    for (uint64_t n : v.numbers) {
        p.levels.push_back(n != 0);
        if (n)
            p.numbers.push_back(n);
    }
    for (const std::string &s : v.texts) {
        p.levels.push_back(!s.empty());
        if (!s.empty())
            p.texts.push_back(s);
    }
    return p;
}

static std::string number_statistic(const ParquetColumn &c, uint64_t n)
{
    std::string bytes;
    put_bytes(&bytes, n, c.kind == PARQUET_BOOL ? 1 : c.kind == PARQUET_U32 ? 4 : 8);
    return bytes;
}

static void set_statistics(const ParquetColumn &c, const ParquetValues &p, ParquetChunk *chunk)
{
    if (!p.numbers.empty()) {
        auto ends = std::minmax_element(p.numbers.begin(), p.numbers.end());
        chunk->least = number_statistic(c, *ends.first);
        chunk->greatest = number_statistic(c, *ends.second);
    }
    if (!p.texts.empty()) {
        auto ends = std::minmax_element(p.texts.begin(), p.texts.end()); // std::string compares bytes without sign
        chunk->least = *ends.first;
        chunk->greatest = *ends.second;
    }
}

// Makes the page of the dictionary and the indexes into it; false: plain is better.
static bool make_dictionary(const ParquetColumn &c, const ParquetValues &p, std::string *page, Numbers *index, size_t *distinct)
{
    if (c.kind == PARQUET_TEXT) {
        std::vector<std::string> texts;
        text_dictionary(p.texts, &texts, index);
        for (const std::string &s : texts)
            put_text(page, s);
        *distinct = texts.size();
        return true;
    }
    Numbers numbers;
    if (c.kind == PARQUET_BOOL || c.ascends || !number_dictionary(p.numbers, &numbers, index))
        return false;
    put_plain(page, c, numbers.data(), numbers.size());
    *distinct = numbers.size();
    return true;
}

static void put_levels(std::string *page, const uint64_t *levels, size_t rows)
{
    std::string runs;
    put_runs(&runs, levels, rows, 1);
    put_bytes(page, runs.size(), 4);
    *page += runs;
}

static ParquetChunk encode_column(const ParquetColumn &c, const ParquetValues &v, int level)
{
    ParquetChunk chunk = ParquetChunk();
    Present without = c.optional ? present(v) : Present();
    const ParquetValues &p = c.optional ? without : v;
    std::string dictionary;
    Numbers index;
    size_t distinct = 0, rows = c.kind == PARQUET_TEXT ? v.texts.size() : v.numbers.size(), at = 0;
    Pages pages(&chunk, level);
    chunk.values = rows;
    chunk.nulls = rows - (c.kind == PARQUET_TEXT ? p.texts.size() : p.numbers.size());
    bool has_dictionary = make_dictionary(c, p, &dictionary, &index, &distinct);
    chunk.encoding = has_dictionary ? RLE_DICTIONARY : c.ascends ? DELTA_BINARY_PACKED : PLAIN;
    chunk.distinct = has_dictionary ? distinct : 0;
    set_statistics(c, p, &chunk);
    if (has_dictionary)
        pages.Dictionary(dictionary, distinct);
    unsigned bits = bits_of(distinct ? distinct - 1 : 0);
    for (size_t row = 0; row < rows; row += PAGE_ROWS) {
        size_t n = std::min(PAGE_ROWS, rows - row), here = n;
        std::string page;
        if (c.optional) {
            put_levels(&page, &without.levels[row], n);
            here = size_t(std::count(without.levels.begin() + long(row), without.levels.begin() + long(row + n), 1));
        }
        if (has_dictionary) {
            page.push_back(char(bits));
            put_runs(&page, index.data() + at, here, bits);
        } else if (c.ascends)
            put_deltas(&page, p.numbers.data() + at, here);
        else
            put_plain(&page, c, p.numbers.data() + at, here);
        at += here;
        pages.Data(page, n);
    }
    return chunk;
}

ParquetGroup parquet_encode(const std::vector<ParquetColumn> &columns, const std::vector<ParquetValues> &values, int level)
{
    ParquetGroup group = {0, {}};
    for (size_t i = 0; i < columns.size(); i++)
        group.chunks.push_back(encode_column(columns[i], values[i], level));
    group.rows = group.chunks[0].values;
    return group;
}
