# SPDX-License-Identifier: MIT
"""What sharing is said to cost in programs made by chance, against what their padded
twins save, for price.sh.

usage: twins.py SEED FIRST LAST   (in a folder to work in; PLUGIN names the plugin)

Program N of a seed has two pinned threads at one object (global, heap block, array of
elements or of atomics): each its own kind of access and its own work between two
accesses, 0 to 200 ns: a loop that turns as often as it is told when it runs, or (`fixed`)
as much code as is known when it is compiled.  Its twin has the same object with lines between.  Both do the
same number of accesses.  Prints a line for each: its form, the cost said with its
interval (with a timing run, then without), and the gain measured, in percent of run
time.  A program counts only if its threads had their cores to themselves, and the cores
kept their distance from the calibration before to the one behind each step.

BENCH_KEEP=DIR keeps the platform, the recordings and the gain of each that counts;
BENCH_AGAIN=DIR takes them instead of making new ones: only what is said is made again.
"""
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TRIES = 6
RUNS = 5
MS = 60
FIRST = ("chrt", "-f", "10") if os.geteuid() == 0 and shutil.which("chrt") else ()

ACCESS = {
    "store": "*p = (long)i;",
    "rmw": "++*p;",
    "atomic": "__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);",
    "xchg": "__atomic_store_n(p, (long)i, __ATOMIC_SEQ_CST);",
    "release": "__atomic_store_n(p, (long)i, __ATOMIC_RELEASE);",
    "load": "x += (unsigned long)*p;",
}
PLACES = {
    "global": ("struct two { long a; char gap[GAP]; long b; };\n"
               "static struct two object __attribute__((aligned(128)));",
               "", "&object.a", "&object.b"),
    "heap": ("struct two { long a; char gap[GAP]; long b; };\nstatic struct two *object;",
             "object = aligned_alloc(128, (sizeof(*object) + 127) / 128 * 128); object->a = object->b = 0;",
             "&object->a", "&object->b"),
    "array": ("struct one { long n; char gap[GAP]; };\nstatic struct one object[4] __attribute__((aligned(128)));",
              "", "&object[0].n", "&object[1].n"),
    "words": ("static long object[64] __attribute__((aligned(128)));", "", "&object[0]", "&object[1 + GAP / 8]"),
}


def make(seed, n):
    r = random.Random(seed * 1000003 + n)
    kinds = r.choice((("rmw", "rmw"), ("store", "store"), ("atomic", "atomic"), ("xchg", "xchg"),
                      ("release", "release"), ("rmw", "load"), ("atomic", "load"), ("store", "load"),
                      ("atomic", "rmw"), ("atomic", "store"), ("store", "rmw")))
    gap = r.choice((0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 180))
    other = gap if r.random() < 0.7 else r.choice((0, 2, 8, 32, 100))
    return {"place": r.choice(sorted(PLACES)), "kinds": kinds, "work": (gap, other),
            "level": r.choice(("-O1", "-O2", "-O3")), "fixed": r.random() < 0.5}


def source(case):
    declare, setup, a, b = PLACES[case["place"]]
    return f"""
#define KIND_A {ACCESS[case["kinds"][0]]}
#define KIND_B {ACCESS[case["kinds"][1]]}
#define PLACE_A ({a})
#define PLACE_B ({b})
#define SETUP {setup}
{fixed(case)}
#define _GNU_SOURCE
#include <stdlib.h>
{declare}
#include "{HERE}/twins.h"
"""


def fixed(case):
    """The work as text; a turn of the loop that is told takes as long as two thirds of a MIX."""
    if not case["fixed"]:
        return ""
    return "\n".join(f"#define FIXED_{t} " + "MIX " * ((2 * w + 2) // 3) for t, w in zip("AB", case["work"]))


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def quiet(*command):
    """The words of the first of some runs that was not disturbed; None: all were."""
    for _ in range(TRIES):
        for old in ("timing", "sharing"):
            if old in command:
                shutil.rmtree(old, ignore_errors=True)
        words = run(*command).stdout.split()
        if words and words[-1] == "quiet":
            return words
    return None


def build(case):
    with open("twin.c", "w", encoding="utf-8") as f:
        f.write(source(case))
    base = ["gcc", "-std=gnu11", "-g", case["level"], "-pthread", "twin.c"]
    plugin = "-fplugin=" + os.environ["PLUGIN"]
    for out, more in (("packed", ["-DGAP=8"]), ("padded", ["-DGAP=248"]), ("probed", ["-DGAP=8", plugin])):
        subprocess.run(base + more + ["-o", out], check=True)


def measured(case):
    """Accesses of both threads, and what the twin saves."""
    work = [str(w) for w in case["work"]]
    words = quiet("./padded", *work, str(MS))
    if not words:
        return None
    times = {"packed": [], "padded": []}
    for _ in range(RUNS):
        for name, seen in times.items():
            w = quiet("./" + name, *work, "0", words[1])
            if w:
                seen.append(float(w[0]))
    if not all(times.values()):
        return None
    packed, padded = (statistics.median(times[n]) for n in ("packed", "padded"))
    return words[1], 100 * (packed - padded) / packed


def predicted(case, number, timed):
    work = [str(w) for w in case["work"]]
    if timed and not quiet("perseus", "record", "-q", "-o", "timing", "./probed", *work, "0", number):
        return None
    shutil.rmtree("sharing", ignore_errors=True)
    if not timed: # one that lies beside is taken without being asked for
        shutil.rmtree("timing", ignore_errors=True)
    if not quiet("perseus", "record", "-q", "-o", "sharing", "--purpose=sharing", "./probed", *work, "0", number):
        return None
    if "BENCH_KEEP" in os.environ:
        keep(case["n"], "timed" if timed else "alone")
    return said(".", timed)


def said(folder, timed):
    """Of the recordings below @folder: the cost, and its interval."""
    at = lambda name: os.path.join(folder, name)
    more = ("--timing", at("timing")) if timed else ()
    out = run("perseus", "conflicts", "--all", "--json", "--platform", at("platform.yaml"), *more, at("sharing")).stdout
    found = [f for f in json.loads(out)["findings"] if "object" in f["object"] or "two" in f["object"]]
    if not found:
        return 0, 0, 0
    f = max(found, key=lambda f: f.get("cost_percent", 0))
    return f.get("cost_percent", 0), f.get("cost_percent_low", 0), f.get("cost_percent_high", 0)


def keep(n, how):
    to = os.path.join(os.environ["BENCH_KEEP"], str(n), how)
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(to)
    shutil.copy("platform.yaml", to)
    for name in ("timing", "sharing"):
        if os.path.exists(name):
            shutil.copytree(name, os.path.join(to, name))


def again(n):
    folder = os.path.join(os.environ["BENCH_AGAIN"], str(n))
    try:
        with open(os.path.join(folder, "gain"), encoding="utf-8") as f:
            gain = float(f.read())
    except FileNotFoundError:
        return "not kept"
    return words([said(os.path.join(folder, how), how == "timed") for how in ("timed", "alone")], gain)


def words(answers, gain):
    return "timed %.1f %.1f %.1f alone %.1f %.1f %.1f measured %.1f" % (*answers[0], *answers[1], gain)


def calibrate(path="platform.yaml", how="--no-steps"):
    """Write a platform; how long a line travels in it, and what accesses to one that is fought for take."""
    if os.path.exists(path): # of which the distance of its time would be kept
        os.remove(path)
    run(*FIRST, "perseus", "calibrate", how, "-o", path)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = [re.search(p, text) for p in (r"transfer_ps: {.*?(\d+)}", r"rmw: {.*?shared_ps: {.*?(\d+)}",
                                          r"atomic: {.*?shared_ps: {.*?(\d+)}")]
    return [int(m.group(1)) if m else 1 for m in found]


def steady(before, after):
    return all(max(a, b) <= 1.4 * min(a, b) for a, b in zip(before, after))


def judge(case):
    """What was said, what was measured; or why this program does not count."""
    build(case)
    before, answers = calibrate(), []
    for step in (lambda: measured(case), lambda: predicted(case, answers[0][0], True),
                 lambda: predicted(case, answers[0][0], False)):
        answers.append(step())
        if not answers[-1]:
            return "disturbed"
        if not steady(before, calibrate("after.yaml", "--quick")):
            return "moved"
    gain, *answers = answers
    if "BENCH_KEEP" in os.environ:
        with open(os.path.join(os.environ["BENCH_KEEP"], str(case["n"]), "gain"), "w", encoding="utf-8") as f:
            f.write(str(gain[1]))
    return words(answers, gain[1])


def main():
    seed, first, last = (int(a) for a in sys.argv[1:4])
    for n in range(first, last):
        case = dict(make(seed, n), n=n)
        form = f"{case['place']} {case['kinds'][0]}/{case['kinds'][1]} {case['work'][0]}:{case['work'][1]} {case['level']}"
        form += ",fixed" if case["fixed"] else ""
        print("twin", n, form, again(n) if "BENCH_AGAIN" in os.environ else judge(case), flush=True)


main()
