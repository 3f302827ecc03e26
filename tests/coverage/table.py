#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""table.py BUILD LEAST: lines and branches of each folder that the tests of an instrumented BUILD came by.

Folders below LEAST percent of lines are named, with their least covered files.  Always exit status 0: it
reports.  2: there are no counts."""
import collections
import json
import os
import subprocess
import sys


def counts_of(gcda):
    """The documents of gcov for one object."""
    out = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", gcda], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return [json.loads(line) for line in out.stdout.splitlines() if line.startswith(b"{")]


def collect(build):
    """{file: ({line: count}, {(line, branch): count})} of the tree's own files."""
    found = {}
    for at, _, names in os.walk(build):
        for name in sorted(names):
            if not name.endswith(".gcno"):
                continue
            # An object that no test came by has notes and no counts: gcov takes either.
            for document in counts_of(os.path.join(at, name)):
                for f in document["files"]:
                    add(found, os.path.relpath(os.path.join(document["current_working_directory"], f["file"])), f["lines"])
    return found


def add(found, path, lines):
    if path.startswith(("..", "tests/", "/")) or not path.endswith((".c", ".h")):
        return
    by_line, by_branch = found.setdefault(path, (collections.Counter(), collections.Counter()))
    for line in lines:
        by_line[line["line_number"]] += line["count"]
        for i, branch in enumerate(line["branches"]):
            by_branch[line["line_number"], i] += branch["count"]


def share(counter):
    return sum(1 for n in counter.values() if n), len(counter)


def percent(part, whole):
    return f"{100 * part / whole:5.1f}" if whole else "    -"


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    found = collect(sys.argv[1])
    if not found:
        print(f"table.py: no counts below {sys.argv[1]}", file=sys.stderr)
        return 2
    least = float(sys.argv[2])
    folders = collections.defaultdict(list)
    for path, (lines, branches) in found.items():
        folders[os.path.dirname(path)].append((path, share(lines), share(branches)))
    total = [0, 0, 0, 0]
    low = []
    print(f"{'folder':32} {'lines':>7} {'%':>6}  {'branches':>8} {'%':>6}")
    for folder, files in sorted(folders.items()):
        sums = [sum(f[1][0] for f in files), sum(f[1][1] for f in files), sum(f[2][0] for f in files), sum(f[2][1] for f in files)]
        total = [a + b for a, b in zip(total, sums)]
        print(f"{folder:32} {sums[1]:7} {percent(sums[0], sums[1]):>6}  {sums[3]:8} {percent(sums[2], sums[3]):>6}")
        if 100 * sums[0] < least * sums[1]:
            low.append((folder, files))
    print(f"{'all':32} {total[1]:7} {percent(total[0], total[1]):>6}  {total[3]:8} {percent(total[2], total[3]):>6}")
    for folder, files in low:
        worst = sorted(files, key=lambda f: f[1][0] - f[1][1])[:3]
        print(f"below {least:g} %: {folder}: " + ", ".join(f"{os.path.basename(p)} {percent(*lines).strip()} % of {lines[1]}" for p, lines, _ in worst))
    print(f"{len(folders) - len(low)} of {len(folders)} folders have {least:g} % of their lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
