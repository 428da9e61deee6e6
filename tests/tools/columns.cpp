// SPDX-License-Identifier: Apache-2.0
// Writes a Parquet file with tools/lib/parquet.h whose values are known from the row's number: all kinds, nulls, every encoding, values at the ends of their types, several groups
// and pages. cases_trace.py says the same values again.
#include "lib/parquet.h"

#include <cstdlib>

static uint64_t mixed(uint64_t n) { return (n + 1) * 0x9e3779b97f4a7c15ull ^ n << 7; }

int main(int argc, char **argv)
{
    std::vector<ParquetColumn> columns = {{"row", PARQUET_U64, false, true}, {"wild", PARQUET_U64, false, false}, {"rough", PARQUET_U64, false, true}, {"small", PARQUET_U32, true, false},
        {"one", PARQUET_U32, false, false}, {"bit", PARQUET_BOOL, false, false}, {"word", PARQUET_TEXT, true, false}, {"none", PARQUET_TEXT, true, false}, {"runs", PARQUET_U32, false, false}};
    FILE *f = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (!f)
        return 1;
    ParquetFile file(f, columns, {0}, {{"note", "value"}});
    uint64_t n = 0;
    for (int g = 2; g < argc; g++) {
        std::vector<ParquetValues> v(columns.size());
        for (long i = atol(argv[g]); i-- > 0; n++) {
            v[0].numbers.push_back(n);
            v[1].numbers.push_back(mixed(n));
            v[2].numbers.push_back(n % 3 ? mixed(n) >> n % 64 : ~uint64_t(0));
            v[3].numbers.push_back(n % 7 ? uint32_t(mixed(n) >> 40) % 1000 : 0);
            v[4].numbers.push_back(4000000000u);
            v[5].numbers.push_back(mixed(n) >> 63);
            v[6].texts.push_back(n % 5 ? "w\xc3\xb6rd" + std::to_string(mixed(n) % 300) : "");
            v[7].texts.push_back("");
            v[8].numbers.push_back(n / 37 % 5);
        }
        file.Append(parquet_encode(columns, v, 3));
        if (g == 2)
            file.Footer(); // a whole file so far; more follows
    }
    file.Footer();
    return fclose(f) ? 1 : 0;
}
