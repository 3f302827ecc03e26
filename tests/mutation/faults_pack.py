# SPDX-License-Identifier: MIT
"""Faults in the evidence pack and its manifest."""
import re

from lab import sha
from registry import FAULTS, harmless

MANIFEST = "manifest.sha256"


def pack_fault(name):
    """A change (files of the pack, rng, case) -> what was done."""
    def put(change):
        def apply(case, rng):
            good = case.good_pack()
            if good is None:
                return None
            files = dict(good)
            what = change(files, rng, case)
            if what is None or files == good:
                return None
            case.pack = lambda _: files
            return what
        FAULTS[name, "judged"] = apply
        return change
    return put


def rows(files):
    return files[MANIFEST].decode().splitlines()


def store(files, lines):
    files[MANIFEST] = "".join(l + "\n" for l in lines).encode()


def some_row(files, rng, pattern=""):
    lines = rows(files)
    i = rng.choice([i for i, l in enumerate(lines) if re.search(pattern, l)])
    return lines, i


def some_file(files, rng):
    return rng.choice(sorted(n for n in files if n != MANIFEST and files[n]))


JUDGED = r"  inputs/(?:plan\.yaml|binary-program)$"


@pack_fault("man-drop")
def drop(files, rng, _):
    lines, i = some_row(files, rng, rng.choice([JUDGED, ""]))
    what = lines.pop(i)
    store(files, lines)
    return "row of %s is gone" % what[66:]


@pack_fault("man-added")
def added(files, rng, _):
    name = rng.choice(["deviations-2.md", "generated/perseus_triggers.c.new", "inputs/plan.yml"])
    files[name] = b"not in the manifest\n"
    return "%s is in the pack, but not in the manifest" % name


@pack_fault("man-rename")
def rename(files, rng, _):
    lines, i = some_row(files, rng)
    other = some_row(files, rng)[0]
    new = rng.choice([lines[i][66:] + ".old", "../" + lines[i][66:], rng.choice(other)[66:]])
    if new == lines[i][66:]:
        return None
    what = lines[i][66:]
    lines[i] = lines[i][:66] + new
    store(files, lines)
    return "row of %s names %s" % (what, new)


def other_digit(text, rng, at=0):
    k = at + rng.randrange(64)
    return text[:k] + ("0" if text[k] != "0" else "1") + text[k + 1:]


@pack_fault("man-twice")
def twice(files, rng, _):
    lines, i = some_row(files, rng)
    lines.insert(i + rng.choice([0, 1]), other_digit(lines[i], rng))
    store(files, lines)
    return "two rows for %s" % lines[i][66:]


@pack_fault("man-digit")
def digit(files, rng, _):
    lines, i = some_row(files, rng)
    lines[i] = other_digit(lines[i], rng)
    store(files, lines)
    return "another digit in the row of " + lines[i][66:]


@pack_fault("man-swap")
def swap(files, rng, _):
    lines = rows(files)
    i, k = rng.sample(range(len(lines)), 2)
    lines[i], lines[k] = lines[k][:64] + lines[i][64:], lines[i][:64] + lines[k][64:]
    store(files, lines)
    return "hashes of %s and %s exchanged" % (lines[i][66:], lines[k][66:])


@pack_fault("man-crlf")
def crlf(files, rng, _):
    text = files[MANIFEST]
    ways = {"CRLF": text.replace(b"\n", b"\r\n"), "cut off": text[:len(text) // 2 + 13], "empty": b"", "garbage": bytes(range(256)) * 4,
            "a hash too short": text[1:], "blanks for columns": text.replace(b"  ", b" ", 3), "only a comment": b"# nothing\n"}
    what, files[MANIFEST] = rng.choice(sorted(ways.items()))
    return "manifest: " + what


@pack_fault("man-stale")
def stale(files, rng, _):
    name = some_file(files, rng)
    data = bytearray(files[name])
    data[rng.randrange(len(data))] ^= 1
    files[name] = bytes(data)
    return "%s changed afterwards" % name


@pack_fault("man-missing")
def missing(files, rng, _):
    name = some_file(files, rng)
    del files[name]
    return "%s is gone" % name


@pack_fault("man-other")
def other(files, rng, case):
    """The rows of another plan's inputs and generated files."""
    from faults_build import seed_only
    from flow import Case
    second = Case(case.lab, case.subject)
    second.plan = seed_only(case)
    made = {"generated/" + n: d for n, d in second.reviewed_files().items()}
    made["inputs/plan.yaml"] = second.plan
    store(files, [(sha(made[l[66:]]) if l[66:] in made else l[:64]) + l[64:] for l in rows(files)])
    return "manifest of the pack of another plan"


def rehash(files):
    lines = [(sha(files[l[66:]]) if l[66:] in files else l[:64]) + l[64:] for l in rows(files)]
    store(files, lines)


@pack_fault("man-unlisted")
def unlisted(files, rng, case):
    """Pack and manifest agree, but what was judged is another file."""
    name = rng.choice(["inputs/plan.yaml", "inputs/binary-program"])
    data = bytearray(files[name])
    data[-2] ^= 1
    files[name] = bytes(data)
    rehash_all(files, name)
    return "%s in the pack is not the one that was judged" % name


def rehash_all(files, name):
    """manifest.csv holds the hash as well."""
    old = {l[66:]: l[:64] for l in rows(files)}[name]
    if "manifest.csv" in files:
        files["manifest.csv"] = files["manifest.csv"].replace(old.encode(), sha(files[name]).encode())
    rehash(files)


@pack_fault("man-trace")
def trace(files, rng, case):
    name = rng.choice(sorted(n for n in files if re.search(r"(trace|matrix|requirements-derived|stack)[^/]*\.csv$", n)))
    lines = files[name].decode().split("\n")
    found = [i for i, l in enumerate(lines) if i and l]
    if not found:
        return None
    i = rng.choice(found)
    way = rng.choice(["drop", "number", "twice"])
    if way == "drop":
        what = lines.pop(i)
    elif way == "twice":
        what = lines[i]
        lines.insert(i, what)
    else:
        numbers = list(re.finditer(r"\d+", lines[i]))
        if not numbers:
            return None
        m = rng.choice(numbers)
        what = lines[i]
        lines[i] = what[:m.start()] + str(int(m.group(0)) + 1) + what[m.end():]
    files[name] = "\n".join(lines).encode()
    rehash_all(files, name)
    return "%s: row %d, %s: `%s`" % (name, i + 1, way, what[:60])


@harmless("ok-manifest-order")
def order(case, rng):
    good = case.good_pack()
    if good is None:
        return None
    files = dict(good)
    lines = rows(files)
    rng.shuffle(lines)
    store(files, lines)
    case.pack = lambda _: files
    return "rows of the manifest in another order"


@harmless("ok-pack")
def pack_again(case, rng):
    if case.good_pack() is None:
        return None
    case.pack = lambda files: files
    return "the pack as it was made"
