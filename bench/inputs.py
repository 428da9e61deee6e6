# SPDX-License-Identifier: Apache-2.0
"""Makes the input files of the workloads. Every byte comes from a seeded generator, so that two machines measure the same
work. A file is made once and kept under the cache directory; its name holds its size and the generator's version, raise
VERSION when the contents change. It runs nothing but hmmbuild (a profile) and git (a repository), both outside the measured time."""

import os
import random
import shutil
import subprocess
import zlib

VERSION = 1
GUEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest")


class Inputs:
    def __init__(self, cache_dir, env):
        self.dir, self.env = cache_dir, env
        os.makedirs(cache_dir, exist_ok=True)

    def get(self, kind, size):
        """The path of the input of that kind and size, made now if it is not there yet."""
        path = os.path.join(self.dir, f"{kind}-{size}-v{VERSION}" + SUFFIXES.get(kind, ""))
        if os.path.exists(path):
            return path
        part = path + ".part"
        remove_any(part)
        MAKERS[kind](self, part, size)
        os.rename(part, path)
        return path


def remove_any(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


def seeded(kind, size):
    return random.Random(zlib.crc32(f"{kind}:{size}:{VERSION}".encode()))


def zipf_weights(count):
    """Cumulative weights 1/rank: how words and machine instructions are distributed, more or less."""
    total, out = 0.0, []
    for rank in range(1, count + 1):
        total += 1.0 / rank
        out.append(total)
    return out


# --- bytes to compress -------------------------------------------------------------------------------------------------

LINE_SHAPES = ["    {} = {}({}, {});\n", "    if ({} < {}->{}) {{\n", "        return {};\n    }}\n", "    {} += {}[{}];\n",
               "static int {}(struct {} *{}, int {})\n{{\n", "}}\n\n", "    /* {} {} the {} of {} */\n", "#define {} {}\n",
               "    for ({} = 0; {} < {}; {}++)\n", "    case {}:\n        {}({});\n        break;\n"]


def make_words(rng, count):
    syllables = ["ab", "re", "con", "it", "map", "get", "set", "buf", "len", "ptr", "node", "st", "er", "in", "ad", "tok", "sym", "lo", "hi",
                 "key", "val", "ex", "un", "mem", "str", "num", "idx", "ctx", "op", "fn"]
    words = set()
    while len(words) < count:
        words.add("_".join("".join(rng.choices(syllables, k=rng.randint(1, 3))) for _ in range(rng.randint(1, 2))))
    return sorted(words, key=lambda w: (len(w), w))


def source_like(rng, size):
    words = make_words(rng, 4000)
    weights = zipf_weights(len(words))
    out, have = [], 0
    while have < size:
        pool = iter(rng.choices(words, cum_weights=weights, k=4096))
        for shape in rng.choices(LINE_SHAPES, k=1000):
            line = shape.format(*(next(pool) for _ in range(shape.count("{}"))))
            out.append(line)
            have += len(line)
    return "".join(out).encode()[:size]


def binary_like(rng, size):
    """Like machine code and its tables: short byte strings of very unequal frequency, runs of zeros, little numbers."""
    codes = [rng.randbytes(rng.choice([1, 2, 3, 3, 4, 5, 7])) for _ in range(3000)] + [b"\0" * 12, b"\xcc" * 5]
    weights = zipf_weights(len(codes))
    out, have = [], 0
    while have < size:
        block = b"".join(rng.choices(codes, cum_weights=weights, k=4096))
        table = b"".join((0x400000 + i * rng.randint(3, 90)).to_bytes(8, "little") for i in range(200))
        out += [block, table]
        have += len(block) + len(table)
    return b"".join(out)[:size]


def make_corpus(_inputs, path, size):
    rng = seeded("corpus", size)
    chunk = 1 << 20
    with open(path, "wb") as f:
        for start in range(0, size, chunk):
            maker = binary_like if (start // chunk) % 3 == 2 else source_like
            f.write(maker(rng, min(chunk, size - start)))


# --- a C file for the compiler -----------------------------------------------------------------------------------------

C_STATEMENTS = [
    "x += y * {k} + t[(x ^ y) & 63];",
    "if (x > y) {{ y = x - {k}; }} else {{ x ^= y << {s}; t[y & 63] = x; }}",
    "for (i = 0; i < n; i++) {{ t[i & 63] += x * i; y ^= t[(i + {k}) & 63]; }}",
    "switch (x & 7) {{ case 0: y += {k}; break; case 1: y -= x; break; case 3: y ^= {k}; break; case 6: x = y; break; default: y++; }}",
    "while (y > {k}) {{ y = (y >> 1) ^ x; x += 3; }}",
    "p->a[{s}] = x; p->b += y; if (p->next) {{ p->next->b -= {k}; p = p->next; }}",
    "x = (x << {s}) | (x >> (32 - {s})); d = d * 1.5 + x;",
    "if (d > {k}.0) {{ d = d / 3.0; y += (unsigned)d; }}",
    "memo[{s}] = x ? memo[({s} + 1) & 15] + y : {k};",
]


def c_function(rng, number):
    body = [C.format(k=rng.randint(3, 9999), s=rng.randint(1, 14)) for C in rng.choices(C_STATEMENTS, k=rng.randint(5, 14))]
    if number:
        callees = rng.sample(range(number), min(2, number))
        body += [f"x += f{c}(p, t, y & {rng.randint(3, 63)});" for c in callees]
    rng.shuffle(body)
    lines = "\n".join("    " + line for line in body)
    linkage = "static " if rng.random() < 0.3 and number else ""
    return (f"{linkage}__attribute__((unused)) unsigned f{number}(struct rec *p, unsigned *t, unsigned n)\n{{\n    unsigned x = n, y = {number}, i;\n"
            f"    double d = n;\n    (void)i;\n{lines}\n    return x ^ y ^ (unsigned)d;\n}}\n\n")


def make_csource(_inputs, path, size):
    rng = seeded("csource", size)
    out = ["struct rec { unsigned a[16]; unsigned b; struct rec *next; };\nstatic unsigned memo[16];\n\n"]
    number, have = 0, 0
    while have < size:
        out.append(c_function(rng, number))
        have += len(out[-1])
        number += 1
    with open(path, "w", encoding="ascii") as f:
        f.write("".join(out))


# --- a hidden Markov model's training set and the sequences to search --------------------------------------------------

AMINO = "ACDEFGHIKLMNPQRSTVWY"


def mutate(rng, seq, rate):
    return "".join(rng.choice(AMINO) if rng.random() < rate else c for c in seq)


def make_family(rng, length):
    return "".join(rng.choices(AMINO, k=length))


def make_profile(inputs, path, size):
    """size: match states. hmmbuild is deterministic (fixed seed) but stamps the date, which hmmsearch does not print."""
    rng = random.Random(size)
    root = make_family(rng, size)
    alignment = path + ".sto"
    with open(alignment, "w", encoding="ascii") as f:
        f.write("# STOCKHOLM 1.0\n")
        f.writelines(f"seq{i:03d} {mutate(rng, root, 0.35)}\n" for i in range(40))
        f.write("//\n")
    subprocess.run(["hmmbuild", "--amino", "--cpu", "0", "-n", "generated", path, alignment], check=True, env=inputs.env,
                   stdout=subprocess.DEVNULL)
    os.unlink(alignment)


def make_proteins(_inputs, path, size):
    rng = seeded("proteins", size)
    root = make_family(random.Random(200), 200)  # the family of the 200-state profile
    with open(path, "w", encoding="ascii") as f:
        for i in range(size):
            body = make_family(rng, rng.randint(100, 500))
            if i % 50 == 0:
                body = body[:50] + mutate(rng, root, 0.4) + body[50:]
            f.write(f">p{i:06d}\n{body}\n")


# --- a film ------------------------------------------------------------------------------------------------------------

FILM_WIDTH, FILM_HEIGHT, TEXTURE = 640, 360, 1024


def smooth_texture(rng):
    """TEXTURE rows of smooth noise, twice as long as they are wide so that a window can slide along them."""
    rows = []
    coarse = [[rng.randint(16, 235) for _ in range(TEXTURE // 16 + 1)] for _ in range(FILM_HEIGHT // 8 + 2)]
    for y in range(FILM_HEIGHT):
        top, bottom, fy = coarse[y // 8], coarse[y // 8 + 1], y % 8
        row = bytearray()
        for cell in range(TEXTURE // 16):
            left = (top[cell] * (8 - fy) + bottom[cell] * fy) // 8
            right = (top[cell + 1] * (8 - fy) + bottom[cell + 1] * fy) // 8
            row += bytes(min(255, (left * (16 - i) + right * i) // 16 + (rng.getrandbits(3))) for i in range(16))
        rows.append(bytes(row) * 2)
    return rows


def make_film(_inputs, path, size):
    """size: frames. A texture pans at two speeds, a block jumps: work for motion search, no two frames alike."""
    rng = seeded("film", size)
    rows = smooth_texture(rng)
    grey = bytes([128]) * (FILM_WIDTH // 2 * FILM_HEIGHT // 2)
    with open(path, "wb") as f:
        f.write(f"YUV4MPEG2 W{FILM_WIDTH} H{FILM_HEIGHT} F25:1 Ip A1:1 C420\n".encode())
        for n in range(size):
            luma = []
            bx, by = (n * 37) % (FILM_WIDTH - 64), (n * 23) % (FILM_HEIGHT - 64)
            for y, row in enumerate(rows):
                shift = (n * 3 if y < 180 else n * 7) % TEXTURE
                line = row[shift:shift + FILM_WIDTH]
                if by <= y < by + 64:
                    line = line[:bx] + rows[(y * 3) % FILM_HEIGHT][:64] + line[bx + 64:]
                luma.append(line)
            chroma = b"".join(rows[y][n % TEXTURE:n % TEXTURE + FILM_WIDTH:2] for y in range(0, FILM_HEIGHT, 2))
            f.write(b"FRAME\n" + b"".join(luma) + chroma + grey)


# --- a board game, a small project, a repository -----------------------------------------------------------------------

def make_gtp(_inputs, path, size):
    """size: moves for each side."""
    lines = ["boardsize 13", "clear_board", "komi 5.5"] + ["genmove black", "genmove white"] * size + ["showboard", "quit"]
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


def make_sql(_inputs, path, size):
    """size: rows."""
    with open(os.path.join(GUEST, "mix.sql"), encoding="ascii") as source, open(path, "w", encoding="ascii") as f:
        f.write(source.read().replace("@ROWS@", str(size)))


def make_rounds(_inputs, path, size):
    with open(path, "w", encoding="ascii") as f:
        f.write(f"ROUNDS := {size};;\n")


def make_project(_inputs, path, size):
    """size: C files. `make` compiles and links them."""
    os.mkdir(path)
    rng = seeded("project", size)
    for i in range(size):
        with open(f"{path}/part{i}.c", "w", encoding="ascii") as f:
            f.write(f'#include <stdio.h>\n#include <stdlib.h>\nint part{i}(int n)\n{{\n    int x = n * {rng.randint(2, 99)};\n'
                    f'    for (int i = 0; i < n; i++)\n        x ^= abs(x) % (i + 3);\n    printf("part{i} %d\\n", x);\n    return x;\n}}\n')
    names = [f"part{i}" for i in range(size)]
    with open(f"{path}/main.c", "w", encoding="ascii") as f:
        f.write("".join(f"int {n}(int);\n" for n in names) + "int main(void)\n{\n"
                + "".join(f"    {n}({i + 3});\n" for i, n in enumerate(names)) + "    return 0;\n}\n")
    with open(f"{path}/Makefile", "w", encoding="ascii") as f:
        objects = " ".join(f"{n}.o" for n in names + ["main"])
        f.write(f"CFLAGS = -O1\nprog: {objects}\n\t$(CC) -o $@ {objects}\n")


def make_hello(_inputs, path, _size):
    with open(path, "w", encoding="ascii") as f:
        f.write('#include <stdio.h>\nint main(void)\n{\n    puts("hello, world");\n    return 0;\n}\n')


def make_repository(inputs, path, size):
    """size: files. Committed, then a few changed and a few untracked, so that status has something to say."""
    os.mkdir(path)
    rng = seeded("repository", size)
    for i in range(size):
        folder = f"{path}/d{i % 20}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/f{i}.c", "wb") as f:
            f.write(source_like(rng, 600))
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-qm", "files"]):
        subprocess.run(["git", "-C", path] + command, check=True, env=inputs.env)
    for i in range(0, size, 40):
        with open(f"{path}/d{i % 20}/f{i}.c", "ab") as f:
            f.write(b"/* changed */\n")
        with open(f"{path}/d{i % 20}/new{i}.c", "wb") as f:
            f.write(b"int x;\n")


SUFFIXES = {"csource": ".i", "profile": ".hmm", "proteins": ".fa", "film": ".y4m", "gtp": ".gtp", "hello": ".c", "sql": ".sql",
            "rounds": ".g"}
MAKERS = {"corpus": make_corpus, "csource": make_csource, "profile": make_profile, "proteins": make_proteins, "film": make_film,
          "gtp": make_gtp, "sql": make_sql, "rounds": make_rounds, "project": make_project, "hello": make_hello, "repository": make_repository}
