# SPDX-License-Identifier: Apache-2.0
"""Benchmark workload: dictionaries, strings, regular expressions, objects, generators, big integers. Argument: rounds."""
import json
import random
import re
import sys
import zlib


class Shape:
    def __init__(self, n):
        self.n = n

    def area(self):
        return 0


class Square(Shape):
    def area(self):
        return self.n * self.n


class Circle(Shape):
    def area(self):
        return self.n * self.n * 355 // 113


def primes(limit):
    sieve = bytearray([1]) * limit
    for i in range(2, limit):
        if sieve[i]:
            yield i
            sieve[i * i::i] = bytes(len(range(i * i, limit, i)))


def queens(n, row=0, cols=0, left=0, right=0):
    if row == n:
        return 1
    total, free = 0, ~(cols | left | right) & ((1 << n) - 1)
    while free:
        bit = free & -free
        free ^= bit
        total += queens(n, row + 1, cols | bit, (left | bit) << 1, (right | bit) >> 1)
    return total


def one_round(rng):
    words = ["".join(rng.choices("abcdeimnorst", k=rng.randint(2, 9))) for _ in range(5000)]
    count = {}
    for w in words:
        count[w[:3]] = count.get(w[:3], 0) + 1
    text = " ".join(words)
    found = re.findall(r"\b([a-e]+)(\w*)(st|or)\b", text)
    shapes = [Square(i) if i % 3 else Circle(i) for i in range(4000)]
    area = sum(s.area() for s in shapes)
    record = json.dumps({"count": dict(sorted(count.items())), "found": found[:50], "area": area})
    back = json.loads(record)
    factorial = 1
    for i in range(1, 300):
        factorial *= i
    result = (sum(primes(8000)), queens(6), len(back["count"]), factorial % 1000003, sorted(words)[100])
    return zlib.crc32((record + repr(result)).encode())


def main():
    rng = random.Random(7)
    check = 0
    for _ in range(int(sys.argv[1])):
        check = zlib.crc32(str(check + one_round(rng)).encode())
    print(f"{check:08x}")


main()
