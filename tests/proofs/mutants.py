#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutants.py DIR OUT [LIMIT]: perseus_triggers.c of DIR with one fault each, as OUT/N.c.

Faults are those of a generator that misreads the plan: another core, step,
thread, visit, ordinal or creating site, or something left out.  At most LIMIT
of them, evenly spread.  Prints "N LINE WHAT" for each.
"""
import os
import re
import sys


def constants(header, prefix):
    return re.findall(r"^#define (%s_\w+) \(\d+u\)" % prefix, header, re.M)


def other(names, name):
    rest = [n for n in names if n != name]
    return rest[(names.index(name)) % len(rest)] if rest and name in names else None


def plus_one(match):
    return "%s%du" % (match.group(1), int(match.group(2)) + 1)


def exchange(line, prefix, names, what):
    """The line with another constant of its kind, if there is one."""
    found = re.search(r"\b%s_\w+" % prefix, line)
    name = found and other(names, found.group(0))
    return [(what, line.replace(found.group(0), name, 1))] if name else []


def of_row(line, names):
    core = exchange(line, "CORE", names["CORE"], "other core")
    if "PERSEUS_NO_CORE" not in line:
        core.append(("core left out", re.sub(r"CORE_\d+}", "0xFFFFFFFFu}", line)))
    return core + [("other ordinal", re.sub(r"( )(\d+)u(?=,)", plus_one, line, 1))]


def of_setting(line, names):
    found = [("setting left out", "\n")]
    for prefix in ("CORE", "DOMAIN", "STEP", "THREAD"):
        found += exchange(line, prefix, names[prefix], "other " + prefix.lower())
    return found


def of_line(line, names):
    if line.startswith("\t[THREAD_"):
        return of_row(line, names)
    if re.match(r"\t+perseus_(pin|step)\((THREAD_|DOMAIN_|CORE_|perseus_thread_table)", line):
        return of_setting(line, names)
    if re.match(r"\t\tif \(visits (==|>=) ", line):
        return [("other visit", re.sub(r"(= )(\d+)u", plus_one, line))]
    if re.match(r"\t\tif \(\(\(visits - 1u\)", line):
        return [("other visit", line.replace("visits - 1u", "visits")),
                ("other period", re.sub(r"(% )(\d+)u", plus_one, line))]
    if "perseus_due(visits, " in line:
        return [("other visit", re.sub(r"(visits, )(\d+)u", plus_one, line)),
                ("other period", re.sub(r"(, )(\d+)u\)", lambda m: plus_one(m) + ")", line))]
    if re.search(r"\.visits_\d+\+\+;", line):
        return [("visit not counted", "\n")]
    if "perseus_begin(CREATE_" in line:
        return exchange(line, "CREATE", names["CREATE"], "other creating site")
    return []


def swapped_cases(lines):
    """Labels of neighbouring cases of a switch change places."""
    last = None
    for i, line in enumerate(lines):
        if re.match(r"\tcase THREAD_", line):
            # Labels of one case, one behind the other, are the same in any order.
            if last is not None and last + 1 != i:
                yield last, i
            last = i
        elif line.startswith("}"):
            last = None


def mutants(source, names):
    lines = source.splitlines(keepends=True)
    for i, line in enumerate(lines):
        for what, new in of_line(line, names):
            if new != line:
                yield i, what, lines[:i] + [new] + lines[i + 1:]
    for a, b in swapped_cases(lines):
        yield a, "swapped threads", lines[:a] + [lines[b]] + lines[a + 1:b] + [lines[a]] + lines[b + 1:]


def meaning(lines):
    """What the source does: the lines, with the core of a row in the row's place and the
    cases of a switch by label.  Threads of one core may change places in a switch."""
    cores = dict(re.findall(r"^\t\[(THREAD_\w+)\] = \{.*, (\w+)\},?$", "".join(lines), re.M))
    rest, cases, labels, body = [], [], [], []
    for line in lines:
        line = re.sub(r"perseus_thread_table\[(THREAD_\w+)\]\.core", lambda m: cores.get(m.group(1), m.group(0)), line)
        label = re.match(r"\tcase (THREAD_\w+):", line)
        if label:
            labels.append(label.group(1))
        elif labels:
            body.append(line)
            if line == "\t\tbreak;\n":
                cases += [(len(rest), name, "".join(body)) for name in labels]
                labels, body = [], []
        else:
            rest.append(line)
    return rest + labels + body, sorted(cases)


def main():
    directory, out = sys.argv[1], sys.argv[2]
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else 1 << 30
    with open(os.path.join(directory, "perseus_triggers.h"), encoding="utf-8") as f:
        header = f.read()
    with open(os.path.join(directory, "perseus_triggers.c"), encoding="utf-8") as f:
        source = f.read()
    names = {p: constants(header, p) for p in ("CORE", "DOMAIN", "STEP", "THREAD", "CREATE")}
    true = meaning(source.splitlines(keepends=True))
    found = [m for m in mutants(source, names) if meaning(m[2]) != true]
    step = max(1, -(-len(found) // limit))
    os.makedirs(out, exist_ok=True)
    for n, (line, what, text) in enumerate(found[::step]):
        with open(os.path.join(out, "%d.c" % n), "w", encoding="utf-8") as f:
            f.writelines(text)
        print(n, line + 1, what)


main()
