# SPDX-License-Identifier: MIT
"""What `perseus plan predict` says of placements against what they take, for predict.sh.

usage: predict.py RUNS ROUNDS PROGRAM:SIZE:PLACEMENT... ...

RUNS times recorded where the system placed the threads, then each placement
ROUNDS times with threads held on their cores, in turn.  A time is the wall time
of a run that has the machine to itself as far as this process may see to that:
a session of its own, which goes before all others.

Prints a line for each placement:
  place PROGRAM PLACEMENT predicted measured low high error
(ms; median and the 95 % interval of the median by bootstrap; percent), and
  all CLASSES PAIRS TAU MEDIAN_ERROR
CLASSES: placements whose interval overlaps no other one's of the same program
that counts; TAU: Kendall's tau-b over the pairs of them, of one program each.
"""
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

BOOTSTRAPS = 2000


def first():
    """In the child: a session of its own, before all others."""
    os.setsid()
    try:
        with open("/proc/self/autogroup", "w", encoding="ascii") as f:
            f.write("-20")
    except OSError:
        pass
    try:
        os.nice(-20)
    except OSError:
        pass


def run(*command, quiet=False, **env):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
                          env=dict(os.environ, **env), preexec_fn=first if quiet else None)


def must(*command, quiet=False):
    done = run(*command, quiet=quiet)
    if done.returncode:
        sys.exit("predict.py: %s: exit status %d" % (" ".join(command), done.returncode))
    return done.stdout


def record(program, size, runs):
    """A model of @program where the system places it."""
    names = []
    build = "probed" if os.path.exists("probed/" + program) else "calls"
    for i in range(runs):
        names.append("%s-timing-%d" % (program, i))
        shutil.rmtree(names[-1], ignore_errors=True)
        must("perseus", "record", "-q", "-o", names[-1], build + "/" + program, size, quiet=True)
    if build == "probed":
        names.append(program + "-sharing")
        shutil.rmtree(names[-1], ignore_errors=True)
        must("perseus", "record", "-q", "-o", names[-1], "--purpose=sharing", "probed/" + program, size, quiet=True)
    must("perseus", "analyze", *names, "-o", program + ".yaml")


def predict(program, placements):
    out = must("perseus", "plan", "predict", "--json", "-p", "platform.yaml", program + ".yaml", *placements)
    return {p["placement"]: p["time_ns"] / 1e6 for p in json.loads(out)}


def one_ms(program, size, placement):
    env = {"LD_PRELOAD": os.path.abspath("pin.so"), "PIN_CORES": placement} if placement != "os" else {}
    begin = time.monotonic()
    done = run("plain/" + program, size, quiet=True, **env)
    if done.returncode:
        sys.exit("predict.py: %s on %s: exit status %d" % (program, placement, done.returncode))
    return 1000 * (time.monotonic() - begin)


def interval(values):
    rng = random.Random(1)
    medians = sorted(statistics.median(rng.choices(values, k=len(values))) for _ in range(BOOTSTRAPS))
    return medians[BOOTSTRAPS // 40], medians[-1 - BOOTSTRAPS // 40]


def apart(rows):
    """The most rows of one program whose intervals do not overlap: earliest end first."""
    kept = []
    for r in sorted(rows, key=lambda r: r["high"]):
        if not kept or r["low"] > kept[-1]["high"]:
            kept.append(r)
    return kept


def sign(x):
    return (x > 0) - (x < 0)


def tau_b(classes):
    """Over the pairs of classes of one program; measured times are never the same."""
    same = pairs = ties = 0
    for kept in classes:
        for i, a in enumerate(kept):
            for b in kept[:i]:
                s = sign(a["predicted"] - b["predicted"]) * sign(a["measured"] - b["measured"])
                same += s
                ties += s == 0
                pairs += 1
    return pairs, same / ((pairs - ties) * pairs) ** 0.5 if pairs > ties else 0.0


def main():
    runs, rounds = int(sys.argv[1]), int(sys.argv[2])
    programs = [(w[0], w[1], w[2:]) for w in (arg.split(":") for arg in sys.argv[3:])]
    must("perseus", "calibrate", "--quick", "-o", "platform.yaml", quiet=True)
    for program, size, _ in programs:
        record(program, size, runs)
    took = {(p, place): [] for p, _, places in programs for place in places}
    for _ in range(rounds):
        for program, size, places in programs:
            for place in places:
                took[program, place].append(one_ms(program, size, place))
    classes, errors = [], []
    for program, _, places in programs:
        rows = []
        for place, said in predict(program, places).items():
            values = took[program, place]
            low, high = interval(values)
            rows.append({"predicted": said, "measured": statistics.median(values), "low": low, "high": high})
            error = 100 * (said / rows[-1]["measured"] - 1)
            errors.append(abs(error))
            print("place", program, place, "%.1f %.1f %.1f %.1f %+.1f" % (said, rows[-1]["measured"], low, high, error))
        classes.append(apart(rows))
    pairs, tau = tau_b(classes)
    print("all %d %d %.3f %.1f" % (sum(len(c) for c in classes), pairs, tau, statistics.median(errors)))


main()
