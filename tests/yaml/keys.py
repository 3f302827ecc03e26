#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""keys.py PAGE FOLDER: models that have what PAGE says a model must have, and all but one of it.

FOLDER/all.yaml has nothing else; FOLDER/without-N.yaml lacks one key.  For
each of these a line: the file, the key, the part of the model that it is of.
"""
import re
import sys

DIGITS = "0123456789abcdef"
PARTS = {"the document": 'perseus: model\nversion: 2\nprogram: "p"\nclock: "c"\nhz: 1000000000\nwall_ns: 1000\noutside: 0\nthreads:\n%s',
         "a thread": 'name: "t"\nordinal: 0\nplannable: true',
         "a site": 'id: "%s"\ninstance: "01234567"\nunit: "u"\nfunction: "f"\ncallee: "c"\nfile: "f.c"\nline: 1' % DIGITS,
         "a phase": 'name: "start"\nopened_by: start\nrepeats: 1\nwall_ns: 1000\naccepted: true\nwork:\n%s',
         "the work of a thread": "thread: 0\ncycles: 1000",
         "a lock": "lock: 1\nheld:\n%s",
         "what a thread does under it": "thread: 0\ncycles: 10",
         "a conflict": 'evidence: "share-000001"\nfalse_sharing: true\nobject: "o"\na:\n%s\nb:\n%s',
         "a side of a conflict": "thread: 0\nkind: store\naccesses_per_kcycle: 1",
         "a phase of a conflict": "phase: 0"}


def required(page):
    """The keys by part of the model, as the page says them."""
    text = re.search(r"## What must be there\n(.*?)\n\nAll others", page, re.S).group(1)
    return {part: re.findall(r"\*(\w+)\*", keys) for part, keys in re.findall(r"^\|\[ (.*)\n:< (.*)$", text, re.M)}


def value(lines):
    """Lines of a map as the value of a key."""
    return "\n".join("  " + line for line in lines.split("\n"))


def entry(lines, indent):
    """Lines of a map as an entry of a list."""
    return "\n".join(" " * indent + ("- " if i == 0 else "  ") + line for i, line in enumerate(lines.split("\n")))


def model(keys):
    """A model of those keys that are in @keys; a key whose list lost all its lines has an empty one."""
    have = {}
    for part, text in PARTS.items():
        out, drop = [], False
        for line in text.split("\n"):
            key = re.match(r"(\w+):", line)
            drop = key.group(1) not in keys[part] if key else drop
            if not drop:
                out.append(line)
        have[part] = "\n".join(out)
    held = entry(have["what a thread does under it"], 2)
    lock = have["a lock"].replace("%s", held)
    work = "\n".join(entry(have["the work of a thread"].replace("thread: 0", "thread: %d" % t), 2) for t in (0, 1))
    phase = have["a phase"].replace("%s", work) + "\nserial:\n" + entry(lock, 2)
    phases = entry(phase, 2) + "\n" + entry(phase + "\nafter: 0", 2)
    meetings = [entry((have["a phase of a conflict"].replace("0", str(p)) + "\nshare: 0.5").strip(), 2) for p in (0, 1)]
    side = value(have["a side of a conflict"])
    conflict = have["a conflict"].replace("%s", side, 1).replace("%s", side.replace("thread: 0", "thread: 1")) + "\nphases:\n" + "\n".join(meetings)
    threads = "\n".join([entry(have["a thread"], 2), entry(have["a thread"] + "\ncreator: 0\ncreate_site: 0", 2)])
    return (have["the document"].replace("%s", threads) + "\nsites:\n" + entry(have["a site"], 2)
            + "\nphases:\n" + phases + "\nconflicts:\n" + entry(conflict, 2) + "\n")


def main():
    page, folder = open(sys.argv[1]).read(), sys.argv[2]
    keys = required(page)
    if set(keys) != set(PARTS):
        sys.exit("the page has other parts of a model: %s" % sorted(set(keys) ^ set(PARTS)))
    open(folder + "/all.yaml", "w").write(model(keys))
    n = 0
    for part in keys:
        for key in keys[part]:
            fewer = dict(keys)
            fewer[part] = [k for k in keys[part] if k != key]
            open("%s/without-%d.yaml" % (folder, n), "w").write(model(fewer))
            print("without-%d.yaml %s %s" % (n, key, part))
            n += 1


main()
