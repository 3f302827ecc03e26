# SPDX-License-Identifier: MIT
"""What sharing is said to cost against what the repaired twin saves, and what a
plan promises against what its placement saves (both threads on one core, if it
says so), for price.sh.

usage: price.py TURNS KIND:WORK_A:WORK_B...   (packed, padded, probed in the current folder)

The machine may change its mind about the distance of two cores (virtual ones
move), so each case stands between two calibrations and counts only if they
agree; a figure is the median over the turns of one case.  Only runs whose
threads had their cores to themselves count.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

TRIES = 12
FIRST = ("chrt", "-f", "10") if os.geteuid() == 0 and shutil.which("chrt") else ()


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def quiet(*command):
    """Output of the first of some runs that was not disturbed; None: all were."""
    for _ in range(TRIES):
        for old in ("timing", "sharing"):
            if old in command:
                shutil.rmtree(old, ignore_errors=True)
        words = run(*command).stdout.split()
        if words and words[-1] == "quiet":
            return words
    return None


def count(case):
    kind, a, b = case
    words = run("./padded", kind, a, b, "40").stdout.split()
    return words[1] if words else None


def predicted(case, number, platform):
    kind, a, b = case
    if not quiet("perseus", "record", "-q", "-o", "timing", "./probed", kind, a, b, "0", number, "first"):
        return None
    shutil.rmtree("sharing", ignore_errors=True)
    run("perseus", "record", "-q", "-o", "sharing", "--purpose=sharing", "./probed", kind, a, b, "0", number, "first")
    out = run("perseus", "conflicts", "--all", "--json", "--platform", platform, "--timing", "timing", "sharing").stdout
    costs = [f.get("cost_percent", 0) for f in json.loads(out)["findings"] if "counters" in f["object"]]
    run("perseus", "analyze", "timing", "sharing", "-o", "model.yaml")
    out = run("perseus", "plan", "model.yaml", "-p", platform, "--json", "-o", "plan.yaml").stdout
    plan = json.loads(out)
    return sum(costs), 100 * (1 - plan["plan"]["time_ns"] / plan["baseline"]["time_ns"])


def measured(case, number):
    kind, a, b = case
    times = {}
    for name, more in (("packed", ()), ("padded", ()), ("packed", ("same",))):
        seen = []
        for _ in range(3):
            words = quiet("./" + name, kind, a, b, "0", number, "first", *more)
            if words:
                seen.append(float(words[0]))
        if not seen:
            return None
        times[name, more] = statistics.median(seen)
    packed, padded, same = times.values()
    return 100 * (packed - padded) / packed, max(0, 100 * (packed - same) / packed)


def calibrate(path):
    """Write a platform; returns how long a line travels in it, and what an access to one that is fought for takes."""
    if os.path.exists(path): # of which the distance of its time would be kept
        os.remove(path)
    run(*FIRST, "perseus", "calibrate", "--quick", "-o", path)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = [re.search(p, text) for p in (r"transfer_ps: {.*?(\d+)}", r"rmw: {.*?shared_ps: {.*?(\d+)}",
                                          r"atomic: {.*?shared_ps: {.*?(\d+)}")]
    return [int(m.group(1)) if m else 1 for m in found]


def steady(before, after):
    return all(max(a, b) <= 1.4 * min(a, b) for a, b in zip(before, after))


def main():
    turns = int(sys.argv[1])
    cases = [tuple(c.split(":")) for c in sys.argv[2:]]
    seen = {c: [] for c in cases}
    after = calibrate("platform.yaml")
    for turn in range(turns):
        for c in cases:
            before = after
            number = count(c)
            gain = number and measured(c, number)
            cost = number and predicted(c, number, "platform.yaml")
            after = calibrate("platform.yaml")
            kept = gain is not None and cost is not None and steady(before, after)
            if kept:
                seen[c].append(cost + gain)
            if gain is not None and cost is not None:
                print("turn", turn, *c, "predicted %.1f planned %.1f measured %.1f placed %.1f" % (cost + gain),
                      "kept" if kept else "dropped: the cores moved", file=sys.stderr, flush=True)
    for c in cases:
        if seen[c]:
            cost, planned, gain, placed = (statistics.median(x) for x in zip(*seen[c]))
            print("case", *c, "%.1f" % cost, "%.1f" % gain, "%.1f" % planned, "%.1f" % placed, len(seen[c]))
        else:
            print("case", *c, "absent absent absent absent 0")


main()
