# SPDX-License-Identifier: Apache-2.0
"""Damages ELF files, field by field: a list of damages follows from a random generator, each can be left out. Runs nothing."""
import random
import struct

EHDR = [("e_ident[%d]" % i, i, 1) for i in range(4, 9)] + [
    ("e_type", 16, 2), ("e_machine", 18, 2), ("e_version", 20, 4), ("e_entry", 24, 8), ("e_phoff", 32, 8), ("e_shoff", 40, 8), ("e_flags", 48, 4), ("e_ehsize", 52, 2),
    ("e_phentsize", 54, 2), ("e_phnum", 56, 2), ("e_shentsize", 58, 2), ("e_shnum", 60, 2), ("e_shstrndx", 62, 2)]
PHDR = [("p_type", 0, 4), ("p_flags", 4, 4), ("p_offset", 8, 8), ("p_vaddr", 16, 8), ("p_paddr", 24, 8), ("p_filesz", 32, 8), ("p_memsz", 40, 8), ("p_align", 48, 8)]
SHDR = [("sh_name", 0, 4), ("sh_type", 4, 4), ("sh_flags", 8, 8), ("sh_addr", 16, 8), ("sh_offset", 24, 8), ("sh_size", 32, 8), ("sh_link", 40, 4), ("sh_info", 44, 4), ("sh_addralign", 48, 8),
        ("sh_entsize", 56, 8)]
SYM = [("st_name", 0, 4), ("st_info", 4, 1), ("st_other", 5, 1), ("st_shndx", 6, 2), ("st_value", 8, 8), ("st_size", 16, 8)]
DYN = [("d_tag", 0, 8), ("d_val", 8, 8)]
PT_DYNAMIC, PT_INTERP, PT_NOTE, SHT_SYMTAB, SHT_DYNSYM = 2, 3, 4, 2, 11


class Elf:
    """Where things are in an undamaged file."""

    def __init__(self, data):
        self.data = data
        self.phoff, self.shoff = struct.unpack_from("<QQ", data, 32)
        self.phnum, = struct.unpack_from("<H", data, 56)
        self.shnum, self.shstrndx = struct.unpack_from("<HH", data, 60)
        self.phdrs = [struct.unpack_from("<IIQQQQQQ", data, self.phoff + i * 56) for i in range(self.phnum)]
        self.shdrs = [struct.unpack_from("<IIQQQQIIQQ", data, self.shoff + i * 64) for i in range(self.shnum)]

    def segments(self, kind):
        return [(p[2], p[5]) for p in self.phdrs if p[0] == kind]

    def sections(self, *kinds):
        return [(s[4], s[5]) for s in self.shdrs if s[1] in kinds]

    def name(self, s):
        at = self.shdrs[self.shstrndx][4] + s[0]
        return self.data[at:self.data.index(b"\0", at)].decode(errors="replace")

    def debug(self):
        return [(s[4], s[5]) for s in self.shdrs if self.name(s).startswith((".debug_", ".eh_frame", ".gnu.hash", ".gnu.version", ".rela", ".strtab", ".dynstr")) and s[5]]


def value(rng, old, bits, size):
    """Another value for a field."""
    some = [0, 1, 2, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1, old + 1, old - 1, old + 0x1000, old - 0x1000, old * 2, old // 2, old ^ 1 << rng.randrange(bits), size, size - 1, 0x1000, 0xfff,
            0x7ffffffff000, 0x800000000000, 1 << 40, 1 << 31, rng.getrandbits(bits), rng.randrange(64)]
    return rng.choice(some) & (1 << bits) - 1


def field(rng, data, elf, name, at, size):
    if at + size > len(data):
        return None
    old = int.from_bytes(data[at:at + size], "little")
    new = value(rng, old, size * 8, len(data))
    data[at:at + size] = new.to_bytes(size, "little")
    return "%s: %#x, was %#x" % (name, new, old)


def table_field(rng, data, elf, what, start, count, entry, fields):
    i = rng.randrange(count) if count else 0
    name, at, size = rng.choice(fields)
    return field(rng, data, elf, "%s[%d].%s" % (what, i, name), start + i * entry + at, size) if count else None


def damage_ehdr(rng, data, elf):
    name, at, size = rng.choice(EHDR)
    return field(rng, data, elf, name, at, size)


def damage_phdr(rng, data, elf):
    return table_field(rng, data, elf, "phdr", elf.phoff, elf.phnum, 56, PHDR)


def damage_shdr(rng, data, elf):
    return table_field(rng, data, elf, "shdr", elf.shoff, elf.shnum, 64, SHDR)


def damage_symbol(rng, data, elf):
    tables = elf.sections(SHT_SYMTAB, SHT_DYNSYM)
    start, size = rng.choice(tables) if tables else (0, 0)
    return table_field(rng, data, elf, "symbol", start, size // 24, 24, SYM)


def damage_dynamic(rng, data, elf):
    tables = elf.segments(PT_DYNAMIC)
    start, size = tables[0] if tables else (0, 0)
    return table_field(rng, data, elf, "dynamic", start, min(size // 16, 30), 16, DYN)


def damage_bytes_of(what, places):
    def damage(rng, data, elf):
        found = places(elf)
        start, size = rng.choice(found) if found else (0, 0)
        at = start + rng.randrange(size) if size else 0
        n = rng.choice([1, 1, 2, 4, 16])
        if not size or at + n > len(data):
            return None
        data[at:at + n] = bytes(rng.getrandbits(8) for _ in range(n))
        return "%d bytes of %s at %#x" % (n, what, at)
    return damage


def damage_interp(rng, data, elf):
    found = elf.segments(PT_INTERP)
    if not found or found[0][0] + found[0][1] > len(data):
        return None
    start, size = found[0]
    text = rng.choice([b"/nonexistent/ld.so", b"/bin/sh", b"", b"/", b"/dev/null", b"/etc/passwd", bytes([rng.randrange(1, 256)]) * (size + 3)])
    data[start:start + size] = (text + b"\0" * size)[:size]
    return "interpreter %r" % text[:size]


def damage_length(rng, data, elf):
    n = rng.choice([0, 1, 3, 16, 63, 64, elf.phoff, elf.phoff + elf.phnum * 56 - 1, elf.shoff, len(data) - 1, rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)])
    del data[n:]
    return "cut to %d bytes" % n


def damage_swap(rng, data, elf):
    i, k = rng.randrange(elf.phnum), rng.randrange(elf.phnum)
    a, b = elf.phoff + i * 56, elf.phoff + k * 56
    if max(a, b) + 56 > len(data):
        return None
    data[a:a + 56], data[b:b + 56] = data[b:b + 56], data[a:a + 56]
    return "phdr %d and %d exchanged" % (i, k)


def damage_zero(rng, data, elf):
    if not data:
        return None
    at, n = rng.randrange(len(data)), rng.choice([8, 64, 512, 4096])
    n = min(n, len(data) - at)
    data[at:at + n] = bytes(n)
    return "%d zeros at %#x" % (n, at)


KINDS = [  # (weight, function)
    (10, damage_ehdr), (25, damage_phdr), (6, damage_shdr), (8, damage_symbol), (8, damage_dynamic), (4, damage_interp), (5, damage_length), (3, damage_swap), (3, damage_zero),
    (8, damage_bytes_of("debug information", Elf.debug)), (3, damage_bytes_of("notes", lambda e: e.segments(PT_NOTE))), (6, damage_bytes_of("the file", lambda e: [(0, len(e.data))])),
]


def damage_elf(rng, data, skip):
    """The damaged copy, and what was done to it; damages whose number is in `skip` are left out."""
    elf, out, done = Elf(data), bytearray(data), []
    for n in range(rng.choice([1, 1, 1, 2, 3])):
        own = random.Random(rng.getrandbits(64))  # leaving one out does not change the others
        kind = own.choices([k for _, k in KINDS], [w for w, _ in KINDS])[0]
        text = None if n in skip else kind(own, out, elf)
        if text:
            done.append((n, text))
    return bytes(out), done


def damage_text(rng, data, skip):
    """The same for a script: bytes of its first line."""
    out, done = bytearray(data), []
    for n in range(rng.choice([1, 1, 2, 3])):
        own = random.Random(rng.getrandbits(64))
        at, new = own.randrange(min(len(out), 24)), own.choice([0, 9, 10, 13, 32, 33, 35, 47, own.randrange(256)])
        form = own.randrange(6)
        if n in skip:
            continue
        if form == 0:
            out[at:at] = bytes([own.choice([32, 65, 47])]) * own.choice([1, 100, 230, 240, 255, 300])
        elif form == 1:
            del out[own.randrange(len(out)):]
        else:
            out[at:at + 1] = bytes([new])
        out = out or bytearray(b"#")
        done.append((n, "script: form %d at %d, %r" % (form, at, bytes(out[:40]))))
    return bytes(out), done
