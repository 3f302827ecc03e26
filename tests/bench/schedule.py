#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""schedule.py workflow SEED TASKS NODES: a made-up workflow.
schedule.py planted SEED TASKS NODES: one whose optimum is known: a schedule without holes, cut into tasks.
schedule.py swf SEED JOBS NODES: a made-up log in the standard workload format.
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


def planted(seed, tasks, nodes):
    """Rectangles of nodes by seconds are cut in two until there are enough; tasks wait for such that end before them."""
    r = random.Random(int(seed))
    tasks, nodes, end = int(tasks), int(nodes), 12000
    speeds = (1, 1.5, 2)
    counts = [nodes // 3 + (k < nodes % 3) for k in range(3)]
    cells = [(k, counts[k], 0, end) for k in range(3)]
    while len(cells) < tasks:
        # The largest of some: tasks of sizes that differ, but none of nearly nothing.
        i = max(r.sample(range(len(cells)), min(8, len(cells))), key=lambda c: cells[c][1] * (cells[c][3] - cells[c][2]))
        k, width, a, b = cells[i]
        if width > 1 and (width > 8 or r.random() < 0.7):
            cut = r.randrange(1, width)
            cells[i] = (k, cut, a, b)
            cells.append((k, width - cut, a, b))
        elif b - a > 120:
            cut = r.randrange(a + 60, b - 59, 2)
            cells[i] = (k, width, a, cut)
            cells.append((k, width, cut, b))
    cells.sort(key=lambda c: (c[2], r.random()))
    print("workflow: 1\nnodes:")
    for k, speed in enumerate(speeds):
        print("  - {name: c%d, speed: %g, count: %d}" % (k, speed, counts[k]))
    print("tasks:")
    for t, (k, width, a, b) in enumerate(cells):
        earlier = [o for o in range(max(0, t - 100), t) if cells[o][3] <= a]
        after = sorted({r.choice(earlier) for _ in range(r.choice((0, 1, 2)))} if earlier else set())
        print("  - {name: t%d, seconds: %g, nodes: %d, after: [%s]}" % (t, (b - a) * speeds[k], width, ", ".join("t%d" % o for o in after)))


def swf(seed, jobs, nodes):
    """Jobs at a load of nine tenths, requested times up to five times what they take."""
    r = random.Random(int(seed))
    jobs, nodes, now = int(jobs), int(nodes), 0.0
    for j in range(jobs):
        width = min(nodes, 2 ** r.randrange(0, 8))
        takes = 60 * 50 ** r.random()
        now += r.expovariate(0.9 * nodes / (31.9 * 751))
        print("%d %d -1 %d %d -1 -1 %d %d -1 1 1 1 1 1 1 -1 -1" % (j + 1, now, takes, width, width, takes * (1 + 4 * r.random())))


def documents(path):
    decoder, text, at = json.JSONDecoder(), open(path).read(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        document, at = decoder.raw_decode(text, at)
        yield document


def cases(path):
    """The case study: mean makespans of each group of loads, what planning gains, whether probes were chosen rightly."""
    groups = {}
    for d in documents(path):
        groups.setdefault(d["group"], []).append({p["policy"]: p for p in d["policies"]})
    gain, loss = [], []
    for name, loads in groups.items():
        kind, tasks, cost = name.split()
        mean = {p: statistics.mean(load[p]["makespan"] for load in loads) for p in loads[0]}
        fifo = min(mean["sequential"], mean["parallel"])
        best = min(mean[p] for p in ("sequential", "parallel", "blind", "probed"))
        chose = [load["chosen"]["done"] for load in loads]
        print("# %s, %s tasks, probes of %s %%: %s; chosen: %s" % (kind, tasks, cost, ", ".join("%s %.0f s" % m for m in mean.items()),
              ", ".join("%s %d times" % (c, chose.count(c)) for c in sorted(set(chose)))))
        print("# ... beside the better FIFO: perfect %+.1f %%, chosen %+.1f %%, probed %+.1f %%; beside FIFO on one node: perfect %+.1f %%, probed %+.1f %%"
              % tuple(100 * (mean[p] / base - 1) for p, base in (("perfect", fifo), ("chosen", fifo), ("probed", fifo),
                      ("perfect", mean["sequential"]), ("probed", mean["sequential"]))))
        loss.append(100 * (mean["chosen"] / best - 1))
        if kind == "atlas":
            gain.append(100 * (mean["perfect"] / fifo - 1))
    print("schedule.atlas_percent %.2f" % max(gain))
    print("schedule.choice_loss_percent %.2f" % max(loss))


def figures(where):
    cases(where + "/cases")
    print("schedule.gap_percent %.3f" % max(d["gap_percent"] for d in documents(where + "/gaps")))
    print("schedule.planted_gap_percent %.3f" % max(d["gap_percent"] for d in documents(where + "/planted-gaps")))
    print("schedule.seconds %.2f" % max(float(line) for line in open(where + "/all-seconds")))
    for error in ("20", "0"):
        less = {"fifo": [], "backfill": [], "heft": [], "genetic": []}
        wait = {"fifo": [], "backfill": [], "heft": [], "genetic": [], "search": []}
        for d in documents(where + "/simulated-" + error):
            of = {p["policy"]: p for p in d["policies"]}
            for name in less:
                less[name].append(100 * (of["search"]["makespan"] / of[name]["makespan"] - 1))
            for name in wait:
                wait[name].append(of[name]["wait"])
        for name, v in less.items():
            print("# predictions %s %% off: search beside %s %+.1f %% (median %+.1f, %+.1f to %+.1f)"
                  % (error, name, statistics.mean(v), statistics.median(v), min(v), max(v)))
            if error == "20":
                print("schedule.vs_%s %.2f" % (name, statistics.mean(v)))
        print("# predictions %s %% off: mean wait %s" % (error, ", ".join("%s %.0f s" % (n, statistics.mean(v)) for n, v in wait.items())))


if __name__ == "__main__":
    {"workflow": workflow, "planted": planted, "swf": swf, "figures": figures}[sys.argv[1]](*sys.argv[2:])
