# SPDX-License-Identifier: Apache-2.0
"""Result files for the tests of `linchpin report` (docs/formats.md), made with a fixed seed: a small one with every member, and large ones."""
import json
import random


def result(path, source, seed=1, scale=1.0, rows=4000, routines=300, stacks=600):
    """Writes a result in which the lines of `source` have counts; returns what is in it."""
    rng = random.Random(seed)
    with open(source, encoding="utf-8") as f:
        nlines = len(f.read().splitlines())
    names = ["main", "parse_statement", "hash_lookup", "btree_insert", "btree_balance", "page_read", "page_write", "memcpy", "malloc", "free", "compare_keys", "next_token", "<lambda(int)>::operator()", 'quote"d\\name']
    names += [f"helper_{i}" for i in range(routines - len(names))]
    weight = [int(scale * 1000000 / (1 + i) ** 1.2) for i in range(len(names))]
    data = {"format": "linchpin-result", "version": 1, "tool": "cache", "pid": 4000 + seed, "program": "/usr/bin/database", "argv": ["database", "-batch", "select </script> from t"], "end": "exit", "status": 0,
            "options": "-by ins -stack 8", "metrics": [{"name": "instructions", "unit": "count", "what": "instructions executed"}, {"name": "l1d misses", "unit": "count", "what": "misses of the first data cache"}, {"name": "traffic", "unit": "bytes", "what": "bytes read from memory"}],
            "images": [{"name": "/usr/bin/database", "low": 0x400000, "high": 0x4fffff, "main": True}, {"name": "/lib/x86_64-linux-gnu/libc.so.6", "low": 0x7f0000000000, "high": 0x7f0000200000}],
            "files": [source, "/no/such/file.c"], "notes": ["a note of the tool's"]}
    data["routines"] = [{"name": n, "image": 1 if n in ("memcpy", "malloc", "free") else 0, "address": 0x400000 + 256 * i, "file": 0 if i < 12 else 1, "line": 1 + i * 7 % nlines} for i, n in enumerate(names)]
    data["rows"], total = [], [0, 0, 0]
    for i in range(rows):
        r = min(int(rng.expovariate(1) * len(names) / 6), len(names) - 1)
        n = weight[r] // (1 + rng.randrange(40)) + 1
        v = [n, n // (5 + rng.randrange(60)), n // 40 * 64]
        total = [a + b for a, b in zip(total, v)]
        data["rows"].append({"routine": r, "file": data["routines"][r]["file"], "line": 1 + (r * 7 + rng.randrange(12)) % nlines, "address": 0x400000 + 256 * r + i % 64 * 4, "tid": i % 3, "values": v})
    data["totals"] = total
    data["frames"] = [{"routine": i, "file": data["routines"][i]["file"], "line": data["routines"][i]["line"] + 2, "address": 0x400010 + 256 * i} for i in range(len(names))]
    data["stacks"] = []
    left = total[0]
    for i in range(stacks):
        path_, at = [0], 0
        while rng.random() < 0.82 and len(path_) < 14:
            at = min(at + 1 + int(rng.expovariate(0.6)), len(names) - 1)
            path_.append(at)
        n = left // (stacks - i) if i == stacks - 1 else left // 12 if i < 20 else left // 60
        left -= n
        data["stacks"].append({"frames": path_, "tid": 0, "values": [n, n // 20, n // 40 * 64]})
    data["calls"] = [{"from": i, "to": i + 1 + i % 3, "file": 0, "line": 1 + i % nlines, "address": 1, "count": 1000 - i, "values": [weight[i], weight[i] // 9, 0]} for i in range(min(100, len(names) - 4))]
    data["timeline"] = {"unit": "instructions", "step": 100000, "series": [{"name": "l1d misses", "values": [int(abs(900 * rng.gauss(1, .2)) * (3 if 180 < i < 240 else 1) + i) for i in range(400)]},
                        {"name": "working set", "kind": "level", "values": [min(4000, 40 * i + rng.randrange(200)) for i in range(400)]}, {"name": "stores", "values": [2000 + rng.randrange(800) * (1 + i % 40 // 20) for i in range(400)]}]}
    sets = 32
    data["tables"] = [{"title": "levels", "columns": [{"name": "level", "kind": "text"}, {"name": "hits", "kind": "count"}, {"name": "misses", "kind": "count"}, {"name": "miss rate", "kind": "percent"}], "rows": [["l1d", 914000, 12000, 1], ["l2", 9000, 3000, 25], ["l3", 2500, 500, 17]]},
                      {"title": "reuse distance", "chart": "histogram", "columns": [{"name": "lines", "kind": "text"}, {"name": "accesses", "kind": "count"}], "rows": [[str(2 ** i), int(90000 / (1 + abs(i - 5) ** 1.7))] for i in range(16)]},
                      {"title": "misses by set and time", "chart": "heatmap", "columns": [{"name": "set", "kind": "text"}] + [{"name": f"step {i}", "kind": "count"} for i in range(64)],
                       "rows": [[str(s)] + [int(abs(rng.gauss(20, 12)) + 160 * (abs(s - i // 2) < 3)) for i in range(64)] for s in range(sets)]}]
    data["findings"] = [{"kind": "invalid-read", "text": "8 bytes after a block of 40 bytes", "count": 3, "stacks": [{"title": "read by thread 0", "frames": [0, 3, 5]}, {"title": "allocated", "frames": [0, 8]}]}]
    mnemonics = ["mov rax, qword ptr [rdi+0x8]", "add rax, rcx", "cmp rax, 0x40", "jnz 0x401234", "vmulsd xmm0, xmm1, qword ptr [rsi]", "call 0x400f00", "ret"]
    data["disassembly"] = [{"address": a, "text": mnemonics[a // 4 % 7]} for a in sorted({r["address"] for r in data["rows"]})]
    with open(path, "w", encoding="utf-8") as f:
        json.dump(data, f)
    return data


def large(path, source, megabytes):
    """As the small one, with so many rows that the file has about that size."""
    data = result(path, source, rows=10, stacks=10)
    row = '{"routine": %d, "file": 0, "line": %d, "address": %d, "tid": %d, "values": [%d, %d, %d]}'
    n = megabytes * 1000000 // 100
    rows = ", ".join(row % (i % 300, 1 + i % 97, 0x400000 + i * 4, i % 8, i % 1000, i % 100, i % 10 * 64) for i in range(n))
    data["totals"] = [sum(i % 1000 for i in range(n)), sum(i % 100 for i in range(n)), sum(i % 10 * 64 for i in range(n))]
    data["rows"] = "ROWS"
    with open(path, "w", encoding="utf-8") as f:
        f.write(json.dumps(data).replace('"ROWS"', "[" + rows + "]"))
    return data
