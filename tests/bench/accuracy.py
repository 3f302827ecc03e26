# SPDX-License-Identifier: MIT
"""accuracy.py REPORT.json OWN.txt...: what the recorder says of the blocks of accuracy.c beside what others measured.

Prints "KIND CALLS RECORDED_CALLS SUM_NS RECORDED_SUM_NS LEAST_NS RECORDED_LEAST_NS" for each kind; of several
OWN.txt the least and the mean sum.  "recorded" comes from the call sites of main's `once`, by callee.
"""
import json
import sys


def own(paths):
    kinds = {}
    for path in paths:
        for line in open(path):
            f = line.split()
            if len(f) != 4:
                continue
            k = kinds.setdefault(f[0], [0, [], 1 << 60])
            k[0] = int(f[1])
            k[1].append(int(f[2]))
            k[2] = min(k[2], int(f[3]))
    return kinds


report = json.load(open(sys.argv[1]))
sites = {}
for s in report["call_sites"]:
    k = sites.setdefault(s["callee"], [0, 0.0, float("inf")])
    k[0] += s["calls"]
    k[1] += s["total_ns"]
    k[2] = min(k[2], s["min_ns"] or 0)  # null: below what the clock can tell
for name, (calls, sums, least) in own(sys.argv[2:]).items():
    r = sites.get(name, [0, 0, 0])
    print(name, calls, r[0], sum(sums) / len(sums), r[1], least, r[2])
for name in ("fib", "even", "odd", "tiny"):
    print(name, sites.get(name, [0])[0])
