# SPDX-License-Identifier: MIT
"""Faults in machine code: objects patched before the link, the program after it."""
import struct

from elf import ALLOC, EXEC, SHT_DYNSYM, SHT_NOBITS, STT_FUNC, STT_OBJECT, STT_TLS, WRITE, Elf
from registry import FAULTS, fault

DT = {"DEBUG": 21, "AUDIT": 0x6ffffefc, "DEPAUDIT": 0x6ffffefb}


def binary_fault(name):
    """A change (Elf, rng, case) -> what was done; it may patch elf.data."""
    def put(change):
        def apply(case, rng):
            objects = case.make_objects(case.built_files())
            good = case.link_objects(objects)
            elf = Elf(good)
            what = change(elf, rng, case)
            if what is None or bytes(elf.data) == good:
                return None
            case.binary.append(lambda _, data=bytes(elf.data): data)
            return what
        FAULTS[name, "built"] = apply
        return change
    return put


def code(elf, rng, only=None):
    """A generated function, more often a trigger."""
    found = [f for f in elf.generated() if only is None or only in f.name]
    triggers = [f for f in found if "trigger_" in f.name or "place" in f.name or "pin" in f.name]
    return rng.choice(triggers if triggers and rng.random() < 0.6 else found) if found else None


def small_constants(elf, span):
    """Places of the low byte of constants in instructions: mov $n, %r32; cmp $n, %r32 or memory; push."""
    out = []
    for at in range(span[0], span[1] - 5):
        b = elf.data[at:at + 7]
        if 0xb8 <= b[0] <= 0xbf and b[2:5] == b"\0\0\0":
            out.append(at + 1)
        elif b[0] == 0x83 and b[1] >= 0xf8:
            out.append(at + 2)
        elif b[0] == 0x48 and b[1] == 0x83 and b[2] >= 0xf8:
            out.append(at + 3)
    return out


@binary_fault("bin-constant")
def constant(elf, rng, _):
    f = code(elf, rng)
    found = small_constants(elf, elf.place(f))
    if not found:
        return None
    at = rng.choice(found)
    old = elf.data[at]
    elf.data[at] = (old + rng.choice([1, 2, 255])) & 255
    return "%s: constant %d is %d" % (f.name, old, elf.data[at])


@binary_fault("bin-branch")
def branch(elf, rng, _):
    f = code(elf, rng)
    a, b = elf.place(f)
    found = [at for at in range(a, b - 1) if 0x70 <= elf.data[at] <= 0x7f and at + 2 + elf.data[at + 1] <= b]
    if not found:
        return None
    at = rng.choice(found)
    if rng.random() < 0.7:
        elf.data[at] ^= 1
        return "%s: condition at +%d turned round" % (f.name, at - a)
    elf.data[at] = 0xeb
    return "%s: condition at +%d always" % (f.name, at - a)


@binary_fault("bin-return")
def returns(elf, rng, _):
    f = code(elf, rng)
    elf.data[elf.place(f)[0]] = 0xc3
    return f.name + " returns at once"


@binary_fault("bin-erase")
def erase(elf, rng, _):
    f = code(elf, rng)
    found = elf.branches(f)
    if not found:
        return None
    at, _, to = rng.choice(found)
    elf.patch(at, b"\x0f\x1f\x44\0\0")
    return "%s: call at +%d erased" % (f.name, at - elf.place(f)[0])


def point_to(elf, rng, f, branch_, targets):
    at, n, to = branch_
    new = rng.choice([t for t in targets if t.value != to])
    source = f.value + at - elf.place(f)[0] + n + 4
    elf.patch(at + n, struct.pack("<i", new.value - source))
    return "%s: call at +%d goes to %s" % (f.name, at - elf.place(f)[0], new.name)


@binary_fault("bin-retarget")
def retarget(elf, rng, _):
    f = code(elf, rng)
    found = elf.branches(f)
    return point_to(elf, rng, f, rng.choice(found), elf.generated()) if found else None


def planned_calls(elf):
    starts = {g.value: g.name for g in elf.generated()}
    out = []
    for f in elf.functions():
        if not f.name.startswith("perseus_") and elf.place(f) and f.size < 65536:
            out += [(f, b) for b in elf.branches(f) if starts.get(b[2], "").startswith(("perseus_trigger", "perseus_create", "perseus_program"))]
    return out


@binary_fault("bin-user-call")
def user_call(elf, rng, _):
    found = planned_calls(elf)
    if not found:
        return None
    f, b = rng.choice(found)
    if rng.random() < 0.4:
        elf.patch(b[0], b"\x0f\x1f\x44\0\0")
        return "%s: planned call at +%d erased" % (f.name, b[0] - elf.place(f)[0])
    return point_to(elf, rng, f, b, [g for g in elf.generated() if g.bind == 1])


def poke(elf, rng, symbol, what):
    span = elf.place(symbol)
    if not span or span[0] == span[1]:
        return None
    at = rng.randrange(*span)
    old = elf.data[at]
    elf.data[at] = (old + rng.choice([1, 2, 128])) & 255
    return "%s: byte %d of %s: %d is %d" % (what, at - span[0], symbol.name, old, elf.data[at])


@binary_fault("bin-table")
def table(elf, rng, _):
    return poke(elf, rng, elf.symbol("perseus_thread_table"), "table")


@binary_fault("bin-hash")
def plan_hash(elf, rng, _):
    return poke(elf, rng, elf.symbol("perseus_plan_sha256"), "plan hash")


@binary_fault("bin-jump-table")
def jump_table(elf, rng, _):
    """Runs of four and more offsets that all lead from their base into one generated function."""
    s = elf.section(".rodata")
    spans = [(g.value, g.value + g.size, g.name) for g in elf.generated()]
    found = []
    for base in range(s.address, s.address + s.size - 16, 4):
        at = s.offset + base - s.address
        to = [base + struct.unpack_from("<i", elf.data, at + 4 * i)[0] for i in range(4)]
        hit = [n for a, b, n in spans if all(a < t < b for t in to)]
        if hit:
            found.append((at, hit[0]))
    if not found:
        return None
    at, name = rng.choice(found)
    i, k = rng.sample(range(4), 2)
    one, two = bytes(elf.data[at + 4 * i:at + 4 * i + 4]), bytes(elf.data[at + 4 * k:at + 4 * k + 4])
    if one == two:
        return None
    elf.patch(at + 4 * i, two)
    elf.patch(at + 4 * k, one)
    return "jump table of %s: two entries exchanged" % name


@binary_fault("bin-data")
def data(elf, rng, _):
    found = [s for s in elf.symbols() if s.type in (STT_OBJECT, STT_TLS) and s.name.startswith("perseus_") and s.section and s.size and
             s.name not in ("perseus_thread_table", "perseus_plan_sha256") and elf.place(s)]
    return poke(elf, rng, rng.choice(found), "first value") if found else None


@binary_fault("bin-import")
def imports(elf, rng, _):
    s = elf.section(".rela.plt")
    names = elf.symbols(SHT_DYNSYM)
    if not s or not names:
        return None
    rows = [r for r in elf.relas() if s.offset <= r.at < s.offset + s.size]
    if elf.section(".rela.dyn"):
        rows += [r for r in elf.relas() if r.type == 6]  # GLOB_DAT: -z now, -fno-plt
    mine = [r for r in rows if names[r.symbol].name in ("sched_setaffinity", "sched_getaffinity", "dlsym", "getpid", "gettid", "open", "write", "__sched_cpucount")]
    if not mine or len(rows) < 2:
        return None
    r = rng.choice(mine)
    new = rng.choice([q for q in rows if q.symbol != r.symbol])
    what = "%s is bound to %s" % (names[r.symbol].name, names[new.symbol].name)
    r.symbol = new.symbol
    elf.set_rela(r)
    return what


@binary_fault("bin-init")
def init(elf, rng, _):
    s = elf.section(rng.choice([".init_array", ".fini_array"]))
    # perseus_recheck() is there for the program to use
    target = rng.choice([g for g in elf.generated() if g.bind == 1 and g.name != "perseus_recheck"])
    rows = [r for r in elf.relas() if s.address <= r.offset < s.address + s.size]
    if rows:
        r = rng.choice(rows)
        r.addend = target.value
        elf.set_rela(r)
        # the linker writes the value into the place, too
        elf.patch(s.offset + r.offset - s.address, struct.pack("<Q", target.value))
    else:
        elf.patch(s.offset + 8 * rng.randrange(s.size // 8), struct.pack("<Q", target.value))
    return "%s has %s" % (s.name, target.name)


@binary_fault("bin-dynsym")
def dynsym(elf, rng, _):
    found = [s for s in elf.symbols(SHT_DYNSYM) if s.name == "pthread_create" and s.section]
    if not found:
        return None
    s = found[0]
    way = rng.choice(["hidden", "undefined", "name", "value"])
    if way == "hidden":
        elf.data[s.at + 5] = 2
    elif way == "undefined":
        elf.patch(s.at + 6, b"\0\0")
    elif way == "name":
        elf.patch(s.at, struct.pack("<I", struct.unpack_from("<I", elf.data, s.at)[0] + 1))
    else:
        other = rng.choice([g for g in elf.generated() if g.value != s.value])
        elf.patch(s.at + 8, struct.pack("<Q", other.value))
    return "pthread_create of the dynamic symbols: " + way


@binary_fault("bin-needed")
def needed(elf, rng, _):
    rows = [(at, tag, v) for at, tag, v in elf.dynamic()]
    debug = [at for at, tag, _ in rows if tag == DT["DEBUG"]]
    if not debug:
        return None
    strings = elf.section(".dynstr")
    way = rng.choice(["AUDIT", "DEPAUDIT"])
    elf.patch(debug[0], struct.pack("<qQ", DT[way], rng.randrange(1, strings.size - 8)))
    return "DT_%s added" % way


@binary_fault("bin-names")
def names(elf, rng, _):
    found = [g for g in elf.generated() if g.name.startswith(("perseus_trigger", "perseus_create", "perseus_thread", "perseus_program"))]
    way = rng.choice(["swap", "size", "address"])
    if way == "swap":
        a, b = rng.sample(found, 2)
        one, two = bytes(elf.data[a.at:a.at + 4]), bytes(elf.data[b.at:b.at + 4])
        elf.patch(a.at, two)
        elf.patch(b.at, one)
        return "names of %s and %s exchanged" % (a.name, b.name)
    s = rng.choice(found)
    if way == "size":
        elf.patch(s.at + 16, struct.pack("<Q", rng.choice([0, 1, s.size - 1, s.size + 16])))
    else:
        elf.patch(s.at + 8, struct.pack("<Q", s.value + rng.choice([1, 16, -16])))
    return "%s of the symbol %s changed" % (way, s.name)


def append(elf, blob):
    """Put @blob at the end of the file; its place."""
    while len(elf.data) % 4096:
        elf.data += b"\0"
    at = len(elf.data)
    elf.data += blob
    return at


@binary_fault("bin-segments")
def segments(elf, rng, _):
    """The section shows the good bytes at another place of the file; what is loaded is changed."""
    f = code(elf, rng)
    s = elf.sections[f.section]
    span = elf.place(f)
    good = bytes(elf.data[s.offset:s.offset + s.size])
    elf.data[span[0]] = 0xc3
    elf.patch(s.head + 24, struct.pack("<Q", append(elf, good)))
    return "%s returns at once where it is loaded, its section shows other bytes" % f.name


@binary_fault("bin-relative")
def relative(elf, rng, _):
    """The loader writes into what is generated."""
    s = elf.section(".rela.dyn")
    rows = [r for r in elf.relas() if s and s.offset <= r.at < s.offset + s.size]
    mine = [g for g in elf.symbols() if g.name.startswith("perseus_") and g.type == STT_OBJECT and g.section and g.size >= 8 and
            elf.sections[g.section].flags & WRITE]
    if not rows or not mine:
        return None
    r, g = rng.choice(rows), rng.choice(mine)
    r.offset = g.value + 8 * rng.randrange(g.size // 8)
    elf.set_rela(r)
    return "a relocation writes into %s" % g.name


@binary_fault("bin-entry")
def entry(elf, rng, _):
    target = rng.choice([f for f in elf.functions() if f.name == "main" or f.name.startswith("perseus_")])
    elf.patch(24, struct.pack("<Q", target.value))
    return "entry point is " + target.name


@binary_fault("bin-access")
def access(elf, rng, _):
    at, _, flags = rng.choice([p for p in elf.programs() if p[1] == 1 and p[2] & 3])[:3]
    new = rng.choice([7, flags | 3])
    if new & 3 != 3:
        return None
    elf.patch(at + 4, struct.pack("<I", new))
    return "a segment with flags %d has flags %d" % (flags, new)


@binary_fault("bin-any")
def any_byte(elf, rng, _):
    return poke(elf, rng, rng.choice(elf.generated()), "code")


def stripped(case, rng):
    data_ = case.link_objects(case.make_objects(case.built_files()))
    out = case.lab.must(["strip", "-o", "out", "in"], {"in": data_}, ["out"]).files["out"]
    case.binary.append(lambda _: out)
    return "stripped"


FAULTS["bin-stripped", "built"] = stripped

@fault("obj-any", "built")
def object_byte(case, rng):
    """A byte of a generated object, before the link; the object that is shown has it, too."""
    objects = case.make_objects(case.built_files())
    name = rng.choice(sorted(n for n in objects if n.startswith("perseus_")))
    elf = Elf(objects[name])
    wanted = [s for s in elf.sections if s.flags & ALLOC and s.type != SHT_NOBITS and s.size and not s.name.startswith(".note")]
    s = rng.choice(wanted)
    covered = {r.offset + k for r in elf.relas() if r.target == s.index for k in range(4)}
    free = [k for k in range(s.size) if k not in covered]
    if not free:
        return None
    at = s.offset + rng.choice(free)
    old = elf.data[at]
    elf.data[at] = (old + rng.choice([1, 2, 16, 128])) & 255
    data_ = bytes(elf.data)
    case.objects.append(lambda objs: objs.update({name: data_}))
    return "%s %s+%d: %d is %d" % (name, s.name, at - s.offset, old, elf.data[at])


@fault("obj-relocation", "built")
def object_relocation(case, rng):
    objects = case.make_objects(case.built_files())
    name = rng.choice(sorted(n for n in objects if n.startswith("perseus_")))
    elf = Elf(objects[name])
    rows = [r for r in elf.relas() if elf.sections[r.target].flags & ALLOC and not elf.sections[r.target].name.startswith(".note")]
    r = rng.choice(rows)
    if rng.random() < 0.5:
        r.addend += rng.choice([4, 8, -8, 16])
        what = "addend"
    else:
        other = rng.choice([q for q in rows if q.type == r.type and q.symbol != r.symbol] or [None])
        if other is None:
            return None
        r.symbol = other.symbol
        what = "symbol"
    elf.set_rela(r)
    data_ = bytes(elf.data)
    case.objects.append(lambda objs: objs.update({name: data_}))
    return "%s: another %s of a relocation in %s" % (name, what, elf.sections[r.target].name)


@fault("bin-unwind", "built")
def unwind(case, rng):
    """A byte of what says how functions are left by an exception or a cancelled thread."""
    data_ = case.link_objects(case.make_objects(case.built_files()))
    elf = Elf(data_)
    s = rng.choice([s for s in elf.sections if s.name in (".eh_frame", ".eh_frame_hdr", ".gcc_except_table")])
    at = s.offset + rng.randrange(s.size)
    old = elf.data[at]
    elf.data[at] = old ^ rng.choice([1, 2, 4, 8, 16, 32, 64, 128])
    new = bytes(elf.data)
    case.binary.append(lambda _: new)
    return "%s+%d: %d is %d" % (s.name, at - s.offset, old, elf.data[at])
