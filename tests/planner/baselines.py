#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Naive baselines for random programs, and what perseus plan says about the same ones.

baselines.py FOLDER COUNT: for seeds 1 to COUNT a random program (phases behind
barriers, threads that start light and get work later, some that never have
any) on a random platform without conflicts and locks goes through `perseus
plan` for each baseline and kind of plan.  The places and the time of spread,
pack and os are formed here from the sentences of perseus-plan(1); nothing of
Perseus is used.
"""
import os
import random
import subprocess
import sys

KHZ = 2000000


def make_platform(r):
    packages = r.randint(1, 3)
    cores = []
    for package in range(packages):
        for _ in range(r.randint(1, 4)):
            cores.append(package)
    usable = [True] + [r.random() > 0.1 for _ in cores[1:]]
    return cores, usable


def platform_text(cores, usable):
    lines = ["perseus: platform", "version: 1", 'name: "naive"', "cores:"]
    for i, package in enumerate(cores):
        lines.append("  - {id: %d, package: %d, cache_group: %d, physical: %d, domain: 0, usable: %s}"
                     % (i, package, package, i, str(usable[i]).lower()))
    lines += ["steps:", "  - {khz: %d, busy_mw: 5000, idle_mw: 1000}" % KHZ, "energy_known: true", "can_halt: true",
              "package_halt_mw: 500", "slice_ns: 4000000", "trigger_ns: 100", "affinity_ns: 1000",
              "frequency_ns: 0", "migrate_ns: {cache: 3000, package: 3000, remote: 9000}"]
    return "\n".join(lines) + "\n"


def make_program(r):
    """work[phase][thread] in ns of 2 GHz; thread 0 is main.  All threads are made before the first phase."""
    threads, phases = r.randint(2, 7), r.randint(2, 5)
    work = []
    for phase in range(phases):
        row = {0: r.choice([1, 2000, 9000000])}
        for thread in range(1, threads + 1):
            kind = r.random()
            if phase == 0 and kind < 0.5:
                row[thread] = r.randint(1, 2000)  # starts light
            elif kind < 0.2:
                row[thread] = r.randint(1, 2000)
            elif kind < 0.8 or phase == 0:
                row[thread] = r.randint(1000000, 40000000)
        work.append(row)
    if r.random() < 0.3:  # one that never has work to speak of
        for row in work:
            if threads in row:
                row[threads] = 7
    return work


def program_text(work):
    threads = max(max(row) for row in work) + 1
    lines = ["perseus: model", "version: 2", 'program: "naive"', 'build_id: "00ff"', 'clock: "made"',
             "hz: %d" % (KHZ * 1000), "wall_ns: 1000000", "outside: 0", "threads:"]
    lines.append('  - {index: 0, name: "main", ordinal: 0, plannable: true}')
    for t in range(1, threads):
        lines.append('  - {index: %d, name: "worker", creator: 0, create_site: 0, ordinal: %d, plannable: true}' % (t, t - 1))
    lines.append("sites:")
    for i, callee in enumerate(["pthread_create", "pthread_barrier_wait"]):
        lines.append('  - {index: %d, id: "%016x", instance: "00000000", unit: "n.c", function: "f", callee: "%s", file: "n.c", line: %d}'
                     % (i, i + 1, callee, i + 1))
    lines.append("phases:")
    visits = dict.fromkeys(range(threads), 0)
    for p, row in enumerate(work):
        items = []
        for t in sorted(row):
            entry = ""
            if p == 0:
                entry = ", starts: true"
            else:
                visits[t] += 1
                entry = ", enter_site: 1, enter_visit: %d" % visits[t]
            items.append("{thread: %d, cycles: %d%s}" % (t, row[t] * KHZ // 1000000, entry))
        after = "after: %d, " % (p - 1) if p else ""
        lines.append('  - {index: %d, name: "phase-%06d", opened_by: %s, %srepeats: 1, wall_ns: 1, accepted: true, work: [%s]}'
                     % (p, p, "barrier" if p else "start", after, ", ".join(items)))
    return "\n".join(lines) + "\n"


def dealing_order(cores, usable, alternate):
    units = [i for i in range(len(cores)) if usable[i]]
    if not alternate:
        return units
    by_package = {}
    for u in units:
        by_package.setdefault(cores[u], []).append(u)
    order = []
    while any(by_package.values()):
        for package in sorted(by_package):
            if by_package[package]:
                order.append(by_package[package].pop(0))
    return order


def busy(row):
    """Who matters in a phase: all but the last ones that together have at most 1 % of the longest one's work."""
    order = sorted(row, key=lambda t: (-row[t], t))
    rest = 0
    while order:
        rest += row[order[-1]]
        if rest and rest > max(row.values()) // 100:
            break
        order.pop()
    return set(order)


def static(work, order):
    """Each thread to the core with the fewest before it that are busy when it is."""
    when = {}
    for p, row in enumerate(work):
        for t in busy(row):
            when.setdefault(t, set()).add(p)
    place = {}
    for t in sorted(set().union(*work)):
        if t and t not in when:
            place[t] = place[0]  # main made it
            continue
        fewest = {u: sum(1 for o in place if o in when and t in when and when[o] & when[t] and place[o] == u)
                  for u in order}
        place[t] = min(order, key=lambda u: fewest[u])
    return [{t: place[t] for t in row} for row in work]


def system(work, order):
    places = []
    for row in work:
        load = dict.fromkeys(order, 0)
        place = {}
        for t in sorted(row, key=lambda t: (-row[t], t)):
            place[t] = min(order, key=lambda u: load[u])
            load[place[t]] += row[t]
        places.append(place)
    return places


def run_time(work, places):
    total = 0
    for row, place in zip(work, places):
        load = {}
        for t in row:
            load[place[t]] = load.get(place[t], 0) + row[t]
        total += max(load.values())
    return total


def said(path):
    """base_time_ns and base_places of a plan."""
    time, places, inside = None, {}, False
    for line in open(path):
        if line.startswith("base_time_ns:"):
            time = int(line.split()[1])
        if line[0] not in " -":
            inside = line.startswith("base_places:")
        elif inside:
            f = dict(item.split(": ") for item in line.strip(" -{}\n").split(", "))
            places.setdefault(int(f["thread"]), []).append((int(f["phase"]), int(f["core"])))
    return time, places


def kinds_wrong(path, kind):
    """What is false in the kinds of a plan: nothing set is the baseline, and its own kind is the plan."""
    figures, kinds, cores, triggers = {}, {}, 0, 0
    for line in open(path):
        word = line.split(":")[0]
        if word in ("base_time_ns", "base_energy_nj", "time_ns", "energy_nj"):
            figures[word] = int(line.split()[1])
        elif line.startswith("  - {kind: "):
            f = dict(item.split(": ") for item in line.strip(" -{}\n").split(", "))
            kinds[f["kind"]] = (int(f["time_ns"]), int(f["energy_nj"]), int(f["triggers"]))
        cores += line.startswith("    core: ")
        triggers += line.startswith("  - number: ")
    base = (figures["base_time_ns"], figures["base_energy_nj"], 0)
    out = [k for k, reach in kinds.items() if not reach[2] and reach != base]
    if cores + triggers and kinds[kind][:2] != (figures["time_ns"], figures["energy_nj"]):
        out.append(kind)
    return out


def as_said(work, places):
    out = {}
    for t in sorted(set().union(*work)):
        for p, row in enumerate(work):
            if t in row and (t not in out or out[t][-1][1] != places[p][t]):
                out.setdefault(t, []).append((p, places[p][t]))
    return out


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    light = compared = bad = models = 0
    for seed in range(1, count + 1):
        r = random.Random(seed)
        cores, usable = make_platform(r)
        work = make_program(r)
        model, platform, plan = (os.path.join(folder, n) for n in ("model.yaml", "platform.yaml", "plan.yaml"))
        open(model, "w").write(program_text(work))
        open(platform, "w").write(platform_text(cores, usable))
        models += 1
        light += any(t not in busy(work[0]) and any(t in busy(row) for row in work[1:]) for t in work[0] if t)
        naive = {"spread": static(work, dealing_order(cores, usable, True)),
                 "pack": static(work, dealing_order(cores, usable, False)),
                 "os": system(work, dealing_order(cores, usable, True))}
        for baseline, places in naive.items():
            for kind in ("start", "call"):
                ret = subprocess.run(["perseus", "plan", model, "-p", platform, "-o", plan, "--baseline=" + baseline,
                                      "--kind=" + kind, "--objective=energy", "--evaluations=300", "--threads=1"],
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                compared += 1
                if ret.returncode:
                    print("seed %d: %s" % (seed, ret.stdout.decode()))
                    bad += 1
                    continue
                wrong = kinds_wrong(plan, kind)
                if wrong:
                    print("seed %d, %s, kind %s: kinds %s are wrong" % (seed, baseline, kind, wrong))
                    bad += 1
                time, said_places = said(plan)
                if time != run_time(work, places) or said_places != as_said(work, places):
                    print("seed %d, %s, kind %s: time %s, expected %d; places %s, expected %s"
                          % (seed, baseline, kind, time, run_time(work, places), said_places, as_said(work, places)))
                    bad += 1
    print("%d models, %d with threads that start light; %d baselines compared, %d differ" % (models, light, compared, bad))
    return bad != 0


sys.exit(main())
