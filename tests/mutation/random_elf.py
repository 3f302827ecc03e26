#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_elf.py: random changes of planned programs; what the verifier calls equal has to run as the right one.

Arguments: options, then folders.  A folder holds plan.yaml, program, perseus_triggers.c with its headers, rebuilt/*.o and
objects/*.o.  A mutant that is "equal" without a limit is run; its output and exit status have to be those of the right
program.  Some of the others are run, too, for the count.  Exit status: 0 no such mutant runs otherwise, 1 some do, 2 usage."""
import argparse
import multiprocessing
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

from elf import ALLOC, SHT_DYNSYM, SHT_NOBITS, SHT_SYMTAB, Elf

TIMEOUT = 10
DEAD = "-> 127 b''"  # the loader ends so, before anything ran


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Subject:
    def __init__(self, folder, verify):
        self.folder = os.path.abspath(folder)
        self.data = read(self.folder + "/program")
        self.elf = Elf(self.data)
        self.sections = [s for s in self.elf.sections if s.flags & ALLOC and s.type != SHT_NOBITS and s.size]
        self.end = max(s.offset + s.size for s in self.sections)
        self.argv = [verify, self.folder + "/plan.yaml", "mutant"]
        for option in ("rebuilt", "objects"):
            names = sorted(os.listdir(self.folder + "/" + option))
            self.argv += ["--" + option] + ["%s/%s/%s" % (self.folder, option, n) for n in names]


# ---- changes: each takes (bytearray, Subject, rng) and says what it did --------------------------------------

def small(rng, data, at, size=8):
    """Another number near the old one."""
    size = max(1, min(size, len(data) - at))
    old = int.from_bytes(data[at:at + size], "little")
    new = rng.choice([old + rng.choice([-1, 1, -8, 8, 16, -16, 24, -24, 4096, -4096]), old ^ 1 << rng.randrange(8 * size), rng.getrandbits(8 * size), 0])
    data[at:at + size] = (new % (1 << 8 * size)).to_bytes(size, "little")


def any_byte(data, s, rng):
    at = rng.randrange(s.end)
    data[at] ^= 1 << rng.randrange(8)
    return "byte %#x" % at


def of_section(data, s, rng):
    part = rng.choice(s.sections)
    at = part.offset + rng.randrange(part.size)
    small(rng, data, at, rng.choice([1, 1, 2, 4, 8]))
    return "%s+%#x" % (part.name, at - part.offset)


def head(data, s, rng):
    at = rng.randrange(64)
    small(rng, data, at, rng.choice([1, 2, 8]))
    return "head+%d" % at


def program_header(data, s, rng):
    at = rng.choice(s.elf.programs())[0]
    k = rng.choice([0, 4, 8, 16, 24, 32, 40, 48])
    if rng.random() < 0.25:
        other = rng.choice(s.elf.programs())[0]
        data[at + k:at + k + 8] = s.data[other + k:other + k + 8]
    else:
        small(rng, data, at + k, 4 if k < 8 else 8)
    return "segment at %#x, +%d" % (at, k)


def dynamic(data, s, rng):
    found = s.elf.dynamic()
    if not found:
        return any_byte(data, s, rng)
    d = rng.choice(found)
    way = rng.choice(["tag", "value", "swap", "copy"])
    if way in ("tag", "value"):
        small(rng, data, d[0] + (0 if way == "tag" else 8))
    else:
        other = rng.choice(found)
        data[d[0]:d[0] + 16] = s.data[other[0]:other[0] + 16]
        if way == "swap":
            data[other[0]:other[0] + 16] = s.data[d[0]:d[0] + 16]
    return ".dynamic, tag %#x: %s" % (d[1], way)


def relocation(data, s, rng):
    rows = s.elf.relas()
    if not rows:
        return any_byte(data, s, rng)
    r = rng.choice(rows)
    k = rng.choice([0, 8, 12, 16])
    if rng.random() < 0.4:
        other = rng.choice(rows)
        data[r.at + k:r.at + k + 4] = s.data[other.at + k:other.at + k + 4]
    else:
        small(rng, data, r.at + k, 4 if k in (8, 12) else 8)
    return "relocation of %#x, +%d" % (r.offset, k)


def symbol(data, s, rng):
    rows = s.elf.symbols(rng.choice([SHT_DYNSYM, SHT_SYMTAB]))
    a = rng.choice(rows or s.elf.symbols(SHT_SYMTAB))
    k, size = rng.choice([(0, 4), (4, 1), (5, 1), (6, 2), (8, 8), (16, 8)])
    if rng.random() < 0.5 and rows:
        b = rng.choice(rows)
        data[a.at + k:a.at + k + size] = s.data[b.at + k:b.at + k + size]
    else:
        small(rng, data, a.at + k, size)
    return "symbol %s, +%d" % (a.name, k)


def section_header(data, s, rng):
    part = rng.choice(s.elf.sections)
    k, size = rng.choice([(4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (56, 8)])
    small(rng, data, part.head + k, size)
    return "head of section %s, +%d" % (part.name, k)


def copy(data, s, rng):
    a, b = rng.choice(s.sections), rng.choice(s.sections)
    n = min(rng.choice([1, 4, 8, 16, 64]), a.size, b.size)
    x, y = a.offset + rng.randrange(a.size - n + 1), b.offset + rng.randrange(b.size - n + 1)
    data[x:x + n] = s.data[y:y + n]
    return "%d bytes of %s over %s+%#x" % (n, b.name, a.name, x - a.offset)


def code(data, s, rng):
    """A call or jump of any function leads somewhere near."""
    f = rng.choice(s.elf.functions())
    found = s.elf.branches(f) if s.elf.place(f) and 5 < f.size < 65536 else []
    if not found:
        return of_section(data, s, rng)
    at, n, _ = rng.choice(found)
    small(rng, data, at + n, 4)
    return "call in %s" % f.name


CHANGES = [any_byte, of_section, of_section, of_section, head, program_header, program_header, dynamic, dynamic, relocation, symbol, section_header,
           copy, code]


# ---- running -------------------------------------------------------------------------------------------------

def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(folder):
    """What the program reports, and how it ends."""
    try:
        p = subprocess.run(["./mutant"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           timeout=TIMEOUT, check=False, preexec_fn=limits, env={"PATH": "/usr/bin:/bin"})
    except subprocess.TimeoutExpired:
        return "does not end", b""
    except OSError as e:
        return "cannot be run: %s" % e.strerror, b""
    return p.returncode, p.stdout


def verdict(s, folder):
    p = subprocess.run(s.argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    text = p.stdout.decode("utf-8", "replace")
    if p.returncode == 0:
        return "equal" if text.startswith("equal in threads, calls and code: ") else "limited" if text.startswith("equal in threads, calls and code, as") else "?"
    return {1: "different", 4: "refused"}.get(p.returncode, "ends with %s" % p.returncode)


def save(folder, data):
    with open(folder + "/mutant", "wb") as f:
        f.write(data)
    os.chmod(folder + "/mutant", 0o755)


STATE = {}


def one(number):
    """(verdict, does it run otherwise or None, what was changed) of mutant @number."""
    a, subjects = STATE["arguments"], STATE["subjects"]
    rng = random.Random("%d/%d" % (a.seed, number))
    s = subjects[number % len(subjects)]
    data, what = bytearray(s.data), []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        what.append(rng.choice(CHANGES)(data, s, rng))
    if bytes(data) == s.data:
        return "same", None, ""
    folder = tempfile.mkdtemp(prefix="perseus-elf.")
    try:
        save(folder, data)
        said = verdict(s, folder)
        result = run(folder) if said == "equal" or number % a.every == 0 else None
        otherwise = None if result is None else result != s.result
        if said == "equal" and otherwise:  # once more: a busy machine is no difference
            otherwise = run(folder) != s.result
        if said == "equal" and otherwise and a.keep:
            shutil.copy(folder + "/mutant", "%s/mutant-%d" % (a.keep, number))
        return said, otherwise, "%s: %s%s" % (os.path.basename(s.folder), "; ".join(what), "" if not otherwise else " -> %s %r" % (result[0], result[1][:40]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    p = argparse.ArgumentParser(prog="random_elf.py", description=__doc__.split("\n")[0])
    p.add_argument("--verify", required=True, help="perseus-verify")
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--every", type=int, default=20, help="run one in so many of those that are not equal")
    p.add_argument("--keep", help="folder for mutants that are equal and run otherwise")
    p.add_argument("folder", nargs="+")
    a = p.parse_args()
    subjects = [Subject(f, a.verify) for f in a.folder]
    for s in subjects:
        folder = tempfile.mkdtemp(prefix="perseus-elf.")
        save(folder, s.data)
        s.result = run(folder)
        said = verdict(s, folder)
        shutil.rmtree(folder)
        if s.result[0] != 0 or said not in ("equal", "limited"):
            sys.exit("random_elf: %s: the right program is '%s' and ends with %s" % (s.folder, said, s.result[0]))
    STATE.update(arguments=a, subjects=subjects)
    with multiprocessing.get_context("fork").Pool(a.jobs) as pool:
        rows = pool.map(one, range(1, a.count + 1), chunksize=16)
    kinds = sorted({r[0] for r in rows})
    print("mutants: %d; %s" % (len(rows), ", ".join("%s %d" % (k, sum(r[0] == k for r in rows)) for k in kinds)))
    others = [r for r in rows if r[0] != "equal" and r[1] is not None]
    print("of %d others that were run, %d run otherwise" % (len(others), sum(r[1] for r in others)))
    dead = [r for r in rows if r[0] == "equal" and r[1] and r[2].endswith(DEAD)]
    bad = [r for r in rows if r[0] == "equal" and r[1] and r not in dead]
    crashed = [r for r in rows if r[0] not in ("equal", "limited", "different", "refused", "same")]
    for r in bad + crashed:
        print("%s: %s" % ("EQUAL, BUT RUNS OTHERWISE" if r in bad else r[0].upper(), r[2]))
    print("equal and run: %d, of these otherwise: %d; refused by the loader, which looked for a version that no library has: %d" % (
        sum(r[0] == "equal" for r in rows), len(bad), len(dead)))
    sys.exit(1 if bad or crashed else 0)


if __name__ == "__main__":
    main()
