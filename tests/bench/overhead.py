# SPDX-License-Identifier: MIT
"""overhead.py CORES DIR NAME PLAIN PROBED ARGUMENT...: CPU time of a program as it is
beside that of the program recorded in each mode with its recorder, and the extra that
the report tells.  A machine of several users changes its pace within milliseconds, so
both run at the same time, in turns of the scheduler on the same CORES: what slows one
down slows down the other (of two plain ones the quotient is 1.00, within 1 %, where
runs after each other differ by 20 %).  The plain program is started again until
the recorded one has ended.  Pairs are added until what was measured is certain
within a factor of 1.3 or 2 points; where it never is, nothing is judged.
BENCH_KEEP=DIR keeps the recordings, without traces, with what was measured of each;
BENCH_AGAIN=DIR takes these instead of new ones: only what is told is made again.
`interval`: no middle is told, since it is known no closer, and both ends hold.
One line a mode: NAME MODE plain_s measured (its interval) told (low to high) verdict"""
import json, os, shutil, statistics, subprocess, sys
from spawn import start

MODES = [("timing", []), ("trace", ["--trace"]), ("budget", ["--budget=3%"]), ("sharing", ["--purpose=sharing"])]
PAIRS, PAIRS_MOST = 3, 9
POINTS, FACTOR = 0.02, 1.3


def pair(plain, recorded, cores):
    """Mean CPU time of the plain runs, and that of the recorded one."""
    watched, other, times = start(recorded, cores), start(plain, cores), []
    while watched or other:
        pid, _, use = os.wait3(0)
        seconds = use.ru_utime + use.ru_stime
        if pid == watched:
            watched, result = 0, seconds
        elif pid == other:
            times.append(seconds)
            other = start(plain, cores) if watched else 0
    return statistics.mean(times[:-1] or times), result


def report(run):
    """The overhead that is told, and whether the run is called good."""
    text = subprocess.run(["perseus", "report", run], capture_output=True, text=True).stdout
    told = json.loads(subprocess.run(["perseus", "report", "--json", run], capture_output=True).stdout)
    return (*(told["overhead"][k] for k in ("low", "estimate", "high")), "\ntrust     good" in text)


def medians(told):
    """Of each end, and of the estimate, if most of the runs tell one."""
    low, estimate, high, _ = zip(*told)
    some = [e for e in estimate if e is not None]
    return statistics.median(low), statistics.median(some) if 2 * len(some) > len(estimate) else None, statistics.median(high)


def near(a, b):
    return abs(a - b) <= POINTS or (min(a, b) > 0 and max(a, b) / min(a, b) <= FACTOR)


def middle(values):
    """Median, and an interval of it: without the two ends from six pairs on."""
    v = sorted(values)
    cut = len(v) // 6
    return statistics.median(v), v[cut], v[-1 - cut]


def verdict(got, told):
    if not near(got[1], got[2]):
        return "not sure"
    if told[1] is not None and near(got[0], told[1]):
        return "in goal"
    if told[0] > got[2] or got[1] > told[2]:
        return "OFF"
    return "wide" if told[1] is not None else "interval"


def keep(run, to, plain, recorded):
    """Without the streams of a trace: what is told does not rest on them."""
    shutil.copytree(run, to, ignore=shutil.ignore_patterns("*.ctf", "trace"))
    with open(os.path.join(to, "measured.json"), "w") as f:
        json.dump([plain, recorded], f)


def again(folder):
    base, ratio, told = [], [], []
    for name in sorted(os.listdir(folder)):
        run = os.path.join(folder, name)
        with open(os.path.join(run, "measured.json")) as f:
            plain, recorded = json.load(f)
        base.append(plain)
        ratio.append(recorded / plain - 1)
        told.append(report(run))
    return summary(base, ratio, told)


def summary(base, ratio, told):
    return statistics.median(base), middle(ratio), medians(told), any(t[3] for t in told)


def measure(options, sides, cores, run, kept):
    base, ratio, told = [], [], []
    while len(ratio) < PAIRS or (len(ratio) < PAIRS_MOST and not near(*middle(ratio)[1:])):
        shutil.rmtree(run, ignore_errors=True)
        plain, recorded = pair(
            sides[0], ["perseus", "record", "-q", "-o", run] + options + ["--"] + sides[1], cores[len(ratio) % len(cores)])
        base.append(plain)
        ratio.append(recorded / plain - 1)
        told.append(report(run))
        if kept:
            keep(run, os.path.join(kept, str(len(ratio))), plain, recorded)
    return summary(base, ratio, told)


def main():
    n, scratch, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    sides = [sys.argv[4]] + sys.argv[6:], sys.argv[5:]
    all_cores = sorted(os.sched_getaffinity(0))
    cores = [{c} for c in all_cores] if n == 1 else [set(all_cores[:n])]
    for mode, options in MODES:
        if mode not in os.environ.get("BENCH_MODES", mode).split():
            continue
        kept = os.path.join(os.environ["BENCH_KEEP"], name, mode) if "BENCH_KEEP" in os.environ else None
        if "BENCH_AGAIN" in os.environ:
            base, got, told, good = again(os.path.join(os.environ["BENCH_AGAIN"], name, mode))
        else:
            base, got, told, good = measure(options, sides, cores, os.path.join(scratch, "run"), kept)
        print("%-8s %-8s %6.3f s  measured %6.1f %% (%.1f to %.1f)  told %6s %% (%.1f to %.1f)  %s%s" % (
            name, mode, base, *(100 * x for x in got), "-" if told[1] is None else "%.1f" % (100 * told[1]), 100 * told[0],
            100 * told[2], verdict(got, told),
            ", called good" if good and got[1] > 0.1 else ""), flush=True)


main()
