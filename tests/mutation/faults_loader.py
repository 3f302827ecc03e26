# SPDX-License-Identifier: MIT
"""Faults of the finished file that sections do not show: what the system maps and what the loader does."""
import struct

from elf import SHT_DYNSYM
from faults_binary import binary_fault, code

LOAD, DYNAMIC, INTERP, NOTE, PHDR, TLS = 1, 2, 3, 4, 6, 7
EH_FRAME, STACK, RELRO, PROPERTY = 0x6474e550, 0x6474e551, 0x6474e552, 0x6474e553
NEEDED, PLTRELSZ, HASH, STRTAB, SYMTAB, RELA, RELASZ, INIT, FINI, DEBUG, JMPREL = 1, 2, 4, 5, 6, 7, 8, 12, 13, 21, 23
INIT_ARRAY, FINI_ARRAY, INIT_ARRAYSZ, FINI_ARRAYSZ, RUNPATH, FLAGS, PREINIT_ARRAY = 25, 26, 27, 28, 29, 30, 32
RELACOUNT, FLAGS_1, GNU_HASH, VERSYM, RELR, RELRSZ, RELRENT = 0x6ffffff9, 0x6ffffffb, 0x6ffffef5, 0x6ffffff0, 36, 35, 37


def segments(elf, kind):
    return [p for p in elf.programs() if p[1] == kind]


def entry(elf, *tags):
    """(place, tag, value) of one of the entries of .dynamic."""
    return [d for d in elf.dynamic() if d[1] in tags and d[1]]


def poke(elf, d, tag=None, value=None):
    elf.patch(d[0], struct.pack("<qQ", d[1] if tag is None else tag, d[2] if value is None else value))


@binary_fault("load-page")
def page(elf, rng, _):
    """A segment of a few bytes replaces the whole page of code or constants."""
    spare = [p for p in elf.programs() if p[1] in (NOTE, PROPERTY, EH_FRAME)]
    if not spare:
        return None
    at = rng.choice(spare)[0]
    f = code(elf, rng)
    target = rng.choice([f.value, elf.symbol("perseus_thread_table").value, elf.symbol("main").value])
    va = target // 4096 * 4096 + rng.choice([0, 0xff0])
    size = rng.choice([1, 8])
    flags = rng.choice([4, 5, 6])
    elf.patch(at, struct.pack("<IIQQQQQQ", LOAD, flags, va % 4096, va, va, size, size, 4096))
    return "a segment of %d bytes at %#x, in the page of what is planned" % (size, va)


@binary_fault("load-access")
def access(elf, rng, _):
    found = [p for p in elf.programs() if p[1] in (LOAD, STACK)]
    at, kind, flags = rng.choice(found)[:3]
    new = flags ^ rng.choice([1, 2] if kind == LOAD else [1])
    if kind == LOAD and flags == 4 and new == 5:
        return None  # more may be executed: no byte of it is code
    elf.patch(at + 4, struct.pack("<I", new))
    return "a segment of type %#x with flags %d has flags %d" % (kind, flags, new)


@binary_fault("load-segment")
def segment(elf, rng, _):
    """One number of a segment that the loader goes by."""
    found = [p for p in elf.programs() if p[1] in (LOAD, DYNAMIC, INTERP, PHDR, TLS, RELRO) and (p[1] != RELRO or p[5])]
    at, kind = rng.choice(found)[:2]
    field = rng.choice([8, 16, 32, 40]) if kind not in (RELRO, PHDR, DYNAMIC) else 16 if kind == PHDR else rng.choice([16]) if kind == DYNAMIC else 40
    old = struct.unpack_from("<Q", elf.data, at + field)[0]
    new = old + rng.choice([0x1000, 0x2000]) if kind == RELRO else (old + rng.choice([8, 16, 0x1000, -8 & 2**64 - 1])) % 2**64
    elf.patch(at + field, struct.pack("<Q", new))
    if kind == INTERP and field in (16, 40):
        return None  # the system reads the text by its place in the file, up to its first zero
    if kind == LOAD and field == 40 and new > old and not segments_meet(elf, at):
        return None  # some more zero behind
    return "segment of type %#x: %#x at +%d is %#x" % (kind, old, field, new)


def segments_meet(elf, at):
    loads = segments(elf, LOAD)
    me = next(p for p in loads if p[0] == at)
    return any(p[0] != at and me[4] < p[4] + p[6] and p[4] // 4096 * 4096 < me[4] + me[6] for p in loads)


@binary_fault("load-kind")
def kind(elf, rng, _):
    """A segment of another type."""
    found = [p for p in elf.programs() if p[1] in (LOAD, DYNAMIC, INTERP, TLS, STACK)]
    at, old = rng.choice(found)[:2]
    new = rng.choice([NOTE, 0x60000001, LOAD if old != LOAD else NOTE])
    elf.patch(at, struct.pack("<I", new))
    return "segment of type %#x is of type %#x" % (old, new)


@binary_fault("load-interp")
def interp(elf, rng, _):
    s = elf.section(".interp")
    if not s:
        return None
    way = rng.choice([b"/tmp/ld-linux-x86-64.so.2\0", b"/lib64/ld-linux-x86-64.so.3\0", b"ld\0", b"/lib64/ld-linux-x86-64.so"])
    elf.patch(s.offset, way[:s.size])
    return "loaded by %r" % way


@binary_fault("load-first")
def first(elf, rng, _):
    found = entry(elf, INIT, FINI)
    if not found:
        return None
    d = rng.choice(found)
    f = rng.choice(elf.generated() + [elf.symbol("main")])
    poke(elf, d, value=f.value)
    return "DT_%s is %s" % ("INIT" if d[1] == INIT else "FINI", f.name)


@binary_fault("load-array")
def array(elf, rng, _):
    found = entry(elf, INIT_ARRAY, FINI_ARRAY, INIT_ARRAYSZ, FINI_ARRAYSZ)
    if not found:
        return None
    d = rng.choice(found)
    debug = entry(elf, DEBUG)
    way = rng.choice(["value", "preinit", "tag"])
    if way == "preinit" and debug:
        poke(elf, debug[0], tag=PREINIT_ARRAY, value=elf.section(".init_array").address)
        poke(elf, d, tag=33, value=8)
        return "an array is .preinit_array"
    if way == "tag":
        poke(elf, d, tag=0x6ffffd00)
        return "DT %d is gone" % d[1]
    poke(elf, d, value=d[2] + rng.choice([8, 16, -8]))
    return "DT %d: %#x is another one" % (d[1], d[2])


@binary_fault("load-table")
def table(elf, rng, _):
    found = entry(elf, STRTAB, SYMTAB, RELA, RELASZ, JMPREL, PLTRELSZ, GNU_HASH, RELACOUNT, RELR, RELRSZ, 10, VERSYM)
    if not found:
        return None
    d = rng.choice(found)
    if d[1] == RELACOUNT and rng.random() < 0.5 or rng.random() < 0.2:
        poke(elf, d, tag=0x6ffffd00 if d[1] != RELACOUNT else d[1], value=d[2] + 1)
        return "DT %#x is another one" % d[1]
    step = {RELA: 24, RELASZ: 24, JMPREL: 24, PLTRELSZ: 24, SYMTAB: 24, RELRSZ: 8}.get(d[1], 1)
    poke(elf, d, value=d[2] + rng.choice([-step, step]) if d[1] != RELACOUNT else d[2] + 1)
    return "DT %#x is another one" % d[1]


@binary_fault("load-ask")
def ask(elf, rng, _):
    """The loader is asked for more."""
    debug = entry(elf, DEBUG)
    if not debug:
        return None
    strings = elf.section(".dynstr")
    tag = rng.choice([RUNPATH, 15, 0x7ffffffd, 0x7fffffff, 22, 16, 0x6ffffefc, 0x6ffffefa, FLAGS])
    at = rng.randrange(1, strings.size - 4)
    value = 4 if tag == FLAGS else at
    if entry(elf, tag) or tag == 16:
        return None
    poke(elf, debug[0], tag=tag, value=value)
    return "entry %#x of .dynamic, with %d" % (tag, value)


@binary_fault("load-needed")
def needed(elf, rng, _):
    found = entry(elf, NEEDED)
    if not found:
        return None
    d = rng.choice(found)
    strings = elf.section(".dynstr")
    at = strings.offset + d[2]
    end = elf.data.index(0, at)
    elf.data[rng.choice([at + 3, end - 1])] ^= 1
    return "needs %r" % bytes(elf.data[at:end])


@binary_fault("load-relocation")
def relocation(elf, rng, _):
    """A relocation that writes into code or into what is planned."""
    s = elf.section(".rela.dyn")
    rows = [r for r in elf.relas() if s and s.offset <= r.at < s.offset + s.size]
    if not rows:
        return None
    r = rng.choice(rows)
    f = code(elf, rng)
    mine = [g for g in elf.symbols() if g.name in ("perseus_thread_table", "perseus_plan_sha256", "perseus_state", "perseus_status") and g.section]
    where = rng.choice([f, rng.choice(mine), elf.symbol("main")])
    way = rng.choice(["place", "copy", "reach"])
    r.offset = where.value + (rng.randrange(max(1, where.size - 8)) if way != "reach" else -rng.choice([1, 3, 7]))
    if way == "copy":
        r.type = 5
        big = [i for i, s in enumerate(elf.symbols(SHT_DYNSYM)) if s.section]
        r.symbol = rng.choice(big) if big else r.symbol
    elf.set_rela(r)
    return "a relocation (%s) writes into %s" % (way, where.name)


@binary_fault("load-relr")
def relr(elf, rng, case):
    """The same with packed relocations."""
    if case.subject.static or case.subject.lto:
        return None
    case.link.append("-Wl,-z,pack-relative-relocs")
    good = case.link_objects(case.make_objects(case.built_files()))
    elf.__init__(good)
    s = next((s for s in elf.sections if s.type == 19), None)
    if not s or not s.size:
        return None
    way = rng.choice(["place", "more", "less"])
    if way == "less":
        d = entry(elf, RELRSZ)[0]
        poke(elf, d, value=d[2] - 8)
    elif way == "place":
        mine = [g for g in elf.symbols() if g.name in ("perseus_state", "perseus_status", "perseus_thread_table") and g.section]
        elf.patch(s.offset, struct.pack("<Q", (rng.choice(mine).value + 8) // 8 * 8))
    else:
        at = s.offset + s.size - 8
        old = struct.unpack_from("<Q", elf.data, at)[0]
        elf.patch(at, struct.pack("<Q", old | 1 | rng.getrandbits(62) << 2))
    return "packed relocations: " + way


@binary_fault("load-plt")
def plt(elf, rng, _):
    s = elf.section(".plt")
    got = elf.section(".got.plt")
    if not s or s.size < 64 or not elf.dynamic():
        return None
    way = rng.choice(["number", "head", "slot", "first"])
    k = rng.randrange(1, s.size // 16)
    at = s.offset + 16 * k
    push = at + 6 if elf.data[at:at + 2] == b"\xff\x25" else at + 4
    if way == "number" and elf.data[push] == 0x68:
        old = struct.unpack_from("<I", elf.data, push + 1)[0]
        elf.patch(push + 1, struct.pack("<I", old + 1 if k == 1 else old - 1))
    elif way == "head":
        elf.data[s.offset + rng.choice([1, 2, 7, 8])] ^= 8
    elif way == "slot" and elf.data[at:at + 2] == b"\xff\x25":
        elf.data[at + 2] = (elf.data[at + 2] + rng.choice([8, 248])) & 255
    elif got and got.size > 32:
        at = got.offset + 8 * rng.randrange(3, got.size // 8)
        old = struct.unpack_from("<Q", elf.data, at)[0]
        if not old:
            return None
        elf.patch(at, struct.pack("<Q", rng.choice([old + 16, code(elf, rng).value])))
        way = "first"
    return "PLT: %s changed" % way


@binary_fault("load-start")
def start(elf, rng, _):
    """The code before main()."""
    f = rng.choice([s for s in elf.symbols() if s.name in ("_start", "_init", "_fini", "frame_dummy", "__do_global_dtors_aux", "register_tm_clones",
                                                           "deregister_tm_clones") and s.section])
    at = elf.offset(f.value)
    length = {"_start": 33, "_init": 22, "_fini": 8, "frame_dummy": 8}.get(f.name, 36)
    k = rng.randrange(length)
    elf.data[at + k] ^= 1 << rng.randrange(8)
    if elf.data[at + k] == 0 and not elf.dynamic():
        return None
    return "%s: byte %d changed" % (f.name, k)


@binary_fault("load-hash")
def hashes(elf, rng, _):
    """pthread_create is exported, but nobody finds it."""
    found = [s for s in elf.symbols(SHT_DYNSYM) if s.name == "pthread_create" and s.section]
    table = elf.section(".gnu.hash")
    if not found or not table:
        return None
    names = elf.symbols(SHT_DYNSYM)
    number = next(i for i, s in enumerate(names) if s.name == "pthread_create" and s.section)
    n, first_, blooms, _ = struct.unpack_from("<IIII", elf.data, table.offset)
    version = elf.section(".gnu.version")
    way = rng.choice(["chain", "bucket", "bloom", "version"])
    if way == "version" and version:
        elf.patch(version.offset + 2 * number, struct.pack("<H", rng.choice([0, 0x8001])))
    elif way == "chain":
        at = table.offset + 16 + 8 * blooms + 4 * n + 4 * (number - first_)
        elf.patch(at, struct.pack("<I", struct.unpack_from("<I", elf.data, at)[0] ^ 2))
    elif way == "bloom":
        elf.patch(table.offset + 16, bytes(8 * blooms))
    else:
        elf.patch(table.offset + 16 + 8 * blooms, bytes(4 * n))
    return "pthread_create is not found by its hash: " + way


@binary_fault("load-thread")
def threads(elf, rng, _):
    """First values of thread-local variables."""
    found = segments(elf, TLS)
    if not found:
        return None
    at = found[0][0]
    way = rng.choice([8, 16, 32, 40, 48, 0])
    if way == 0:
        elf.patch(at, struct.pack("<I", NOTE))
    else:
        old = struct.unpack_from("<Q", elf.data, at + way)[0]
        new = {8: old, 16: old + 8, 32: max(0, old - 4), 40: max(0, old - 8), 48: old * 16}[way]
        if way == 8 or new == old:
            return None
        elf.patch(at + way, struct.pack("<Q", new))
    return "segment of thread-local variables: +%d" % way
