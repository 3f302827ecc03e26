# SPDX-License-Identifier: MIT
# check-trace.py PACK PLAN-ITEMS: follow each link of PACK/trace.csv by means of its own.
import csv
import re
import subprocess
import sys

pack, expected = sys.argv[1], int(sys.argv[2])
source = open(pack + "/generated/perseus_triggers.c").read().split("\n")
rows = list(csv.DictReader(open(pack + "/trace.csv")))
items = {}
for r in rows:
    items.setdefault(r["plan item"], []).append(r)
assert len(items) == expected, (len(items), expected)


def extent(function):
    """First and last line of a function of the generated source."""
    for i, line in enumerate(source):
        if re.match(r"(static )?\w+ %s\(" % function, line) and not line.endswith(";"):
            return i + 1, i + 1 + source[i:].index("}")
    return None


def symbols(path):
    out = subprocess.run(["nm", "-S", path], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in out.splitlines():
        f = line.split()
        if len(f) == 4:
            found[f[3]] = (int(f[0], 16), int(f[1], 16))
    return found


built = {}
for item, all_rows in items.items():
    r = all_rows[0]
    line = int(r["line of perseus_triggers.c"])
    text = source[line - 1]
    if item.startswith("thread "):
        assert r["generated function"] == "perseus_thread_table", r
        assert "[%s] = {" % r["thread"] in text, (item, text)
        core = re.fullmatch(r"core (\d+)", r["settings"])
        assert ("CORE_%s}" % core.group(1) if core else "PERSEUS_NO_CORE}") in text, (item, text)
    else:
        first, last = extent(r["generated function"])
        assert first < line < last, (item, line, first, last)
        case = "\n".join(source[line - 1 : last])
        case = case[: case.index("break;")]
        for core in re.findall(r"core (\d+)", r["settings"]):
            assert "CORE_%s)" % core in case, (item, case)
    for r in all_rows:
        if not r["built file"]:
            continue
        table = built.setdefault(r["built file"], symbols(pack + "/" + r["built file"]))
        at, size = table[r["symbol"]]
        address = int(r["address"], 16)
        assert at <= address < at + size, (r, at, size)
        if item.startswith("thread "):
            number = int(item.split()[1])
            threads = sum(1 for k in items if k.startswith("thread "))
            assert address == at + number * (size // threads), (item, address, at)
        else:
            assert address == at, (item, address, at)

# Back: every function has a derived requirement that names it, or is that of an item.
derived = list(csv.DictReader(open(pack + "/requirements-derived.csv")))
named = {f for d in derived for f in d["functions"].split()}
for obj in [f for f in built if "object" in f]:
    names = {n for n in symbols(pack + "/" + obj)}
    data = {"perseus_plan_sha256", "perseus_thread_table", "perseus_status", "perseus_created", "perseus_state"}
    left = {n for n in names if n.startswith("perseus_") and re.sub(r"\..*", "", n) not in named | data}
    nm = subprocess.run(["nm", pack + "/" + obj], capture_output=True, text=True).stdout
    left = {n for n in left if re.search(r" [tT] %s$" % re.escape(n), nm, re.M)}
    assert not left, left
functions = {m.group(1) for f in ("perseus_triggers.c", "perseus_support.h", "perseus_platform_linux.c")
             for m in re.finditer(r"^(?:__attribute__\(\(.*?\)\) )?(?:static )?[\w ]+?[ *](\w+)\([^;{]*\)\n\{$", open(pack + "/generated/" + f).read(), re.M)}
stack = {r["function"] for r in csv.DictReader(open(pack + "/stack.csv"))}
assert functions == stack, functions ^ stack
assert functions <= named, functions - named
print(len(rows), "rows,", len(built), "built files")
