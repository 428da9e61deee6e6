/* SPDX-License-Identifier: Apache-2.0
 * Thrift's compact protocol, as far as Parquet's metadata needs it: structures of integers, booleans, text, lists and structures, appended to a string. Fields of a structure are
 * written in the order of their numbers, since each is told by its distance from the last one. */
#ifndef THRIFT_H
#define THRIFT_H
#include <cstdint>
#include <string>

class Thrift
{
  public:
    enum Type { TRUTH = 1, LIE = 2, I8 = 3, I32 = 5, I64 = 6, TEXT = 8, LIST = 9, STRUCT = 12 };

    explicit Thrift(std::string *to) : to(to), last(0) {}

    void I32Field(int field, int32_t value) { Head(field, I32), Signed(value); }
    void I64Field(int field, int64_t value) { Head(field, I64), Signed(value); }
    void I8Field(int field, int8_t value) { Head(field, I8), to->push_back(char(value)); }
    void BoolField(int field, bool value) { Head(field, value ? TRUTH : LIE); }
    void TextField(int field, const std::string &value) { Head(field, TEXT), Text(value); }
    void ListField(int field, Type element, size_t n)
    {
        Head(field, LIST);
        if (n < 15)
            to->push_back(char(n << 4 | element));
        else
            to->push_back(char(0xf0 | element)), Unsigned(n);
    }
    /* A structure as a field: write its fields with another Thrift, and end it. */
    Thrift StructField(int field)
    {
        Head(field, STRUCT);
        return Thrift(to);
    }
    void End() { to->push_back(0); }

    /* Elements of a list. */
    void Text(const std::string &value) { Unsigned(value.size()), *to += value; }
    void Signed(int64_t value) { Unsigned(uint64_t(value) << 1 ^ uint64_t(value >> 63)); }

  private:
    void Unsigned(uint64_t value)
    {
        for (; value >= 0x80; value >>= 7)
            to->push_back(char(value | 0x80));
        to->push_back(char(value));
    }
    void Head(int field, Type type)
    {
        if (field - last < 16)
            to->push_back(char((field - last) << 4 | type));
        else
            to->push_back(char(type)), Signed(field);
        last = field;
    }

    std::string *to;
    int last;
};

#endif
