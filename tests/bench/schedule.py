#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""schedule.py workflow SEED TASKS NODES: a made-up workflow.
schedule.py figures DIR: the figures of bench-schedule."""
import json
import random
import statistics
import sys


def workflow(seed, tasks, nodes):
    """Tasks over a factor of 50; two thirds wait for one or two of the last hundred; a tenth is wide."""
    r = random.Random(int(seed))
    tasks, nodes = int(tasks), int(nodes)
    print("workflow: 1\nnodes:")
    for k, speed in enumerate((1, 1.5, 2)):
        print("  - {name: c%d, speed: %g, count: %d}" % (k, speed, nodes // 3 + (k < nodes % 3)))
    print("tasks:")
    for t in range(tasks):
        after = sorted({r.randrange(max(0, t - 100), t) for _ in range(r.choice((0, 1, 2)))} if t else set())
        print("  - {name: t%d, seconds: %.3f, nodes: %d, after: [%s]}"
              % (t, 60 * 50 ** r.random(), r.choice((2, 4, 8)) if r.random() < 0.1 else 1, ", ".join("t%d" % a for a in after)))


def documents(path):
    decoder, text, at = json.JSONDecoder(), open(path).read(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        document, at = decoder.raw_decode(text, at)
        yield document


def figures(where):
    print("schedule.gap_percent %.3f" % max(d["gap_percent"] for d in documents(where + "/gaps")))
    print("schedule.seconds %.2f" % max(float(line) for line in open(where + "/all-seconds")))
    for error in ("20", "0"):
        less = {"fifo": [], "backfill": [], "heft": []}
        wait = {"fifo": [], "backfill": [], "heft": [], "genetic": []}
        for d in documents(where + "/simulated-" + error):
            of = {p["policy"]: p for p in d["policies"]}
            for name in less:
                less[name].append(100 * (of["genetic"]["makespan"] / of[name]["makespan"] - 1))
            for name in wait:
                wait[name].append(of[name]["wait"])
        for name, v in less.items():
            print("# predictions %s %% off: genetic beside %s %+.1f %% (median %+.1f, %+.1f to %+.1f)"
                  % (error, name, statistics.mean(v), statistics.median(v), min(v), max(v)))
            if error == "20":
                print("schedule.vs_%s %.2f" % (name, statistics.mean(v)))
        print("# predictions %s %% off: mean wait %s" % (error, ", ".join("%s %.0f s" % (n, statistics.mean(v)) for n, v in wait.items())))


if __name__ == "__main__":
    {"workflow": workflow, "figures": figures}[sys.argv[1]](*sys.argv[2:])
