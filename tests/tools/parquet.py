# SPDX-License-Identifier: Apache-2.0
"""A reader of Parquet files for the tests, written from the format's description: what the bundled tools write must be right for somebody who has not seen their source. It reads
what those files use (flat tables, data pages of version 1, zstd) and says of everything else that it does not know it. Statistics are compared with the values."""
import ctypes
import ctypes.util
import functools
import struct

BOOLEAN, INT32, INT64, BYTE_ARRAY = 0, 1, 2, 6
PLAIN, RLE, DELTA, DICTIONARY = 0, 3, 5, 8


class Wrong(AssertionError):
    pass


def expect(condition, what):
    if not condition:
        raise Wrong(what)


@functools.lru_cache(None)
def library():
    z = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    z.ZSTD_decompress.restype = ctypes.c_size_t
    z.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    return z


def unzstd(data, size):
    to = ctypes.create_string_buffer(size + 1)
    n = library().ZSTD_decompress(to, size, data, len(data))
    expect(n == size, f"a page of {size} bytes has {n}")
    return to.raw[:size]


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, n):
        expect(self.at + n <= len(self.data), "the data ends too early")
        self.at += n
        return self.data[self.at - n:self.at]

    def varint(self):
        n = shift = 0
        while True:
            b = self.take(1)[0]
            n |= (b & 127) << shift
            shift += 7
            if b < 128:
                return n

    def zigzag(self):
        n = self.varint()
        return n >> 1 ^ -(n & 1)

    # Thrift's compact protocol: a structure is a dictionary by field number.
    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return struct.unpack("<b", self.take(1))[0]
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            return self.take(self.varint())
        if kind == 9:
            head = self.take(1)[0]
            n = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(n)]
        expect(kind == 12, f"thrift type {kind}")
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while True:
            head = self.take(1)[0]
            if not head:
                return fields
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            expect(last not in fields, f"field {last} twice")
            fields[last] = self.value(head & 15)


def unpack_bits(data, bits, count):
    whole = int.from_bytes(data, "little")
    return [whole >> i * bits & (1 << bits) - 1 for i in range(count)]


def hybrid(r, bits, count):
    """Run lengths and bit-packed groups."""
    got = []
    while len(got) < count:
        head = r.varint()
        if head & 1:
            for _ in range(head >> 1):
                got += unpack_bits(r.take(bits), bits, 8)
        else:
            got += [int.from_bytes(r.take((bits + 7) // 8), "little")] * (head >> 1)
    return got[:count]


def deltas(r, width):
    block, minis, count, value = r.varint(), r.varint(), r.varint(), r.zigzag()
    got = [value] if count else []
    while len(got) < count:
        least, widths = r.zigzag(), r.take(minis)
        for bits in widths:
            if len(got) == count:
                break
            per = block // minis
            for above in unpack_bits(r.take(per * bits // 8), bits, per)[:count - len(got)]:
                got.append(got[-1] + least + above)
    return [n % (1 << width) for n in got]


def plain(r, kind, count):
    if kind == BOOLEAN:
        return unpack_bits(r.take((count + 7) // 8), 1, count)
    if kind == BYTE_ARRAY:
        return [r.take(struct.unpack("<I", r.take(4))[0]).decode() for _ in range(count)]
    form = "I" if kind == INT32 else "Q"
    return list(struct.unpack(f"<{count}{form}", r.take(count * struct.calcsize(form))))


def page(r):
    head = r.struct()
    return head, Reader(unzstd(r.take(head[3]), head[2]))


def data_values(body, head, kind, optional, dictionary):
    """The values of a data page, None for nulls."""
    rows, encoding = head[5][1], head[5][2]
    present = [1] * rows
    if optional:
        levels = Reader(body.take(struct.unpack("<I", body.take(4))[0]))
        present = hybrid(levels, 1, rows)
    n = sum(present)
    if encoding == DICTIONARY:
        got = [dictionary[i] for i in hybrid(body, body.take(1)[0], n)]
    elif encoding == DELTA:
        got = deltas(body, 32 if kind == INT32 else 64)
    else:
        expect(encoding == PLAIN, f"encoding {encoding}")
        got = plain(body, kind, n)
    expect(len(got) == n and body.at == len(body.data), "a page has bytes or values too many")
    values = iter(got)
    return [next(values) if p else None for p in present]


def raw(value, kind):
    return value.encode() if kind == BYTE_ARRAY else struct.pack({BOOLEAN: "<B", INT32: "<I", INT64: "<Q"}[kind], value)


def check_statistics(stats, values, kind):
    known = [v for v in values if v is not None]
    expect(stats[3] == len(values) - len(known), "number of nulls")
    expect(4 not in stats or stats[4] == len(set(known)), "number of distinct values")
    if known:
        order = (lambda v: v.encode()) if kind == BYTE_ARRAY else None
        expect(stats[6] == raw(min(known, key=order), kind) and stats[5] == raw(max(known, key=order), kind), f"least and greatest: {stats}")


def column(data, chunk, optional):
    meta = chunk[3]
    kind, start = meta[1], meta.get(11, meta[9])
    expect(meta[4] == 6 and chunk[2] == start, "zstd, where the chunk begins")
    r = Reader(data, start)
    dictionary, values = None, []
    if 11 in meta:
        head, body = page(r)
        dictionary = plain(body, kind, head[7][1])
        expect(head[1] == 2 and body.at == len(body.data) and r.at == meta[9], "the dictionary's page")
    while len(values) < meta[5]:
        head, body = page(r)
        expect(head[1] == 0 and head[5][2] in meta[2], "a data page of a known encoding")
        values += data_values(body, head, kind, optional, dictionary)
    expect(len(values) == meta[5] and r.at == start + meta[7], "the end of the chunk")
    check_statistics(meta[12], values, kind)
    return values


class Table:
    """columns: values by name; groups: rows of each; encodings: by name, of all groups."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        expect(data[:4] == data[-4:] == b"PAR1", "not a Parquet file")
        size = struct.unpack("<I", data[-8:-4])[0]
        end = Reader(data[:-8], len(data) - 8 - size)
        meta = end.struct()
        expect(end.at == len(data) - 8, "the footer's length")
        schema = meta[2]
        expect(schema[0][5] == len(schema) - 1 == len(meta[7]), "number of columns")
        self.names = [c[4].decode() for c in schema[1:]]
        self.meaning = {c[4].decode(): c.get(6) for c in schema[1:]}
        self.columns = {n: [] for n in self.names}
        self.encodings = {n: set() for n in self.names}
        self.groups, self.sorted_by = [], set()
        for group in meta[4]:
            self.read_group(data, schema, group)
        expect(meta[3] == sum(self.groups), "number of rows")

    def read_group(self, data, schema, group):
        expect(group[6] == sum(c[3][7] for c in group[1]) and group[2] == sum(c[3][6] for c in group[1]), "sizes of a group")
        here = {}
        for c, chunk in zip(schema[1:], group[1]):
            name = c[4].decode()
            expect(chunk[3][3] == [c[4]] and chunk[3][1] == c[1], "column's name and type")
            here[name] = column(data, chunk, c[3] == 1)
            expect(len(here[name]) == group[3], "rows of a column")
            self.encodings[name].update(chunk[3][2])
        order = [self.names[s[1]] for s in group.get(4, [])]
        keys = list(zip(*(here[n] for n in order)))
        expect(keys == sorted(keys), f"not sorted by {order}")
        self.sorted_by.add(tuple(order))
        self.groups.append(group[3])
        for name in self.names:
            self.columns[name] += here[name]

    def rows(self, *names):
        return list(zip(*(self.columns[n] for n in names)))
