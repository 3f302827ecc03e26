#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge.py run OUT PEER NAME KIND SEED COMMAND...: one run of a target beside what was said of it.
judge.py figures ALL: the figures of all such lines."""
import collections
import json
import os
import resource
import statistics
import subprocess
import sys


def run(out, peer, name, kind, seed, *command):
    try:
        said = json.load(open(out))
    except ValueError:
        said = {"verdict": "no prediction", "refusal": "failed"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if os.environ.get("COUNTS"):
        took = float(dict(line.split() for line in printed.splitlines())["operations"])
    if said["verdict"] == "prediction":
        print(name, kind, seed, said["predicted"], said["low"], said["high"], said["cost_percent"], peer, took)
    else:
        print(name, kind, seed, said["refusal"], "-", "-", "-", peer, took)


def figures(path):
    task = collections.OrderedDict()
    for line in open(path):
        f = line.split()
        task.setdefault((f[0], f[1], f[2]), []).append(f[3:])
    off = {"regular": [], "data": [], "held": [], "alone": []}
    peer = {"regular": [], "data": [], "held": [], "alone": []}
    refused = {"regular": 0, "data": 0, "held": 0, "alone": 0}
    inside = runs = 0
    of = collections.defaultdict(list)
    cost = work = 0.0
    for (name, kind, seed), rows in task.items():
        took = [float(r[5]) for r in rows]
        peer[kind].append(100 * abs(float(rows[0][4]) / statistics.median(took) - 1))
        if rows[0][1] == "-":
            refused[kind] += 1
            print("# %s seed %s: no prediction (%s), takes %.3f s" % (name, seed, rows[0][0], statistics.median(took)))
            continue
        said, low, high, percent = (float(v) for v in rows[0][:4])
        off[kind].append(100 * abs(said / statistics.median(took) - 1))
        if kind == "alone":
            continue
        held = sum(low <= t <= high for t in took)
        inside += held
        runs += len(rows)
        cost += percent / 100 * said
        work += said
        of[name].append((off[kind][-1], held, len(rows), percent / 100 * said, said))
        print("# %s seed %s: %.4g (%.4g to %.4g), takes %.4g: %.1f %% off, %d of %d inside, probes %.1f %%; Extra-P %.1f %% off"
              % (name, seed, said, low, high, statistics.median(took), off[kind][-1], held, len(rows), percent, peer[kind][-1]))
    for name, rows in of.items():
        print("# %s: %.1f %% off on average, %.1f %% at worst, %d of %d inside, probes %.1f %%"
              % (name, statistics.mean(r[0] for r in rows), max(r[0] for r in rows), sum(r[1] for r in rows), sum(r[2] for r in rows),
                 100 * sum(r[3] for r in rows) / sum(r[4] for r in rows)))
    for kind in off:
        print("%s.tasks %d\n%s.refused %d" % (kind, len(off[kind]) + refused[kind], kind, refused[kind]))
    show = lambda name, f, v: print("predict.%s %.1f" % (name, f(v))) if len(v) else None
    show("regular.median", statistics.median, off["regular"])
    show("regular.worst", max, off["regular"])
    show("data.mean", statistics.mean, off["data"])
    show("data.worst", max, off["data"])
    show("held.mean", statistics.mean, off["held"])
    show("held.worst", max, off["held"])
    show("data.alone_mean", statistics.mean, off["alone"])
    show("peer.median", statistics.median, peer["regular"])
    show("peer.data_mean", statistics.mean, peer["alone"])
    if runs:
        print("predict.interval_percent %.1f\nall.runs %d\npredict.cost_percent %.2f" % (100 * inside / runs, runs, 100 * cost / work))


if __name__ == "__main__":
    {"run": run, "figures": figures}[sys.argv[1]](*sys.argv[2:])
