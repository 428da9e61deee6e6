# SPDX-License-Identifier: Apache-2.0
"""Plain Python: text, numbers, exceptions, modules in C."""
import base64, bz2, collections, decimal, fractions, hashlib, itertools, json, lzma, math, random, re, sqlite3, struct, zlib  # noqa: E401

rng = random.Random(3)
data = bytes(rng.randrange(256) for _ in range(20000))
for module in (zlib, bz2, lzma):
    packed = module.compress(data + data)
    assert module.decompress(packed) == data + data
    print(module.__name__, zlib.crc32(packed))
print(hashlib.sha256(data).hexdigest(), hashlib.blake2b(data).hexdigest()[:16], base64.b85encode(data[:20]))
print(json.dumps({"k": [1, 2.5, None, True, "é"]}), struct.pack("<dIh", 2.5, 7, -3))
print(decimal.Decimal(2).sqrt(decimal.Context(40)), fractions.Fraction(355, 113) + 1, math.lgamma(10.5), math.fsum([0.1] * 10))
print(2 ** 521 % 1000007, pow(3, 10 ** 6, 10 ** 9 + 7), math.factorial(60))
print(collections.Counter("mississippi").most_common(2), sum(1 for _ in itertools.permutations(range(7))))
print(re.sub(r"(\w+)@(\w+)\.com", r"\2 at \1", "me@example.com you@test.com"))
db = sqlite3.connect(":memory:")
db.execute("create table t(a, b)")
db.executemany("insert into t values(?, ?)", [(i, i * i % 17) for i in range(500)])
print(db.execute("select b, count(*) from t group by b order by 2 desc, 1 limit 3").fetchall())


def recurse(n):
    return recurse(n + 1)


try:
    recurse(0)
except RecursionError as e:
    print(type(e).__name__)
try:
    1 / 0
except ZeroDivisionError as e:
    print(e)
