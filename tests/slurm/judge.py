#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the tasks of a run on Slurm wrote into started and ended, in this folder:
judge.py order WORKFLOW: dependencies, nodes and order are those of the last plan in its journal that has the task.
judge.py drained NODE TIME: no task started on NODE a second after TIME or later."""
import re
import sys


def nodes_of(text):
    """n[1-3,5] or n1,n2."""
    names = set()
    for name, inside in re.findall(r"(\w+?)(?:\[([^\]]*)\])?(?:,|$)", text):
        if not inside:
            names.add(name)
            continue
        for part in inside.split(","):
            low, _, high = part.partition("-")
            names.update("%s%d" % (name, k) for k in range(int(low), int(high or low) + 1))
    return names


def plans(path):
    """All plans of the journal: task number to (place, nodes)."""
    found, now = [], {}
    for line in open(path):
        words = line.split()
        if words[:1] == ["plan"]:
            now = {}
        elif words[:1] == ["order"]:
            now["t%s" % words[1]] = (len(now), set(words[2].split(",")))
        elif words[:1] == ["planned"]:
            found.append(now)
    return found


def starts():
    return {w[1]: (float(w[3]), nodes_of(w[2])) for w in (line.split() for line in open("started"))}


def drained(node, time):
    late = [task for task, (at, nodes) in starts().items() if node in nodes and at > float(time) + 1]
    assert not late, late
    assert any(node in nodes for _, nodes in starts().values())


def order(work):
    started = starts()
    ended = {w[1]: float(w[2]) for w in (line.split() for line in open("ended"))}
    after = {m[1]: re.findall(r"\w+", m[2]) for m in re.finditer(r"name: (t\d+),.*after: \[([^\]]*)\]", open(work).read())}
    for task, (at, _) in started.items():
        for other in after[task]:
            assert other in ended and ended[other] <= at + 0.01, "%s started before %s had ended" % (task, other)
    every = plans(work + ".journal")
    assert every
    # The last plan that has a task says its nodes: a job that was moved is in a later one.
    last = {}
    for number, plan in enumerate(every):
        for task, (place, nodes) in plan.items():
            last[task] = (number, place, nodes)
    for task, (at, nodes) in started.items():
        assert nodes == last[task][2], "%s ran on %s, planned was %s" % (task, nodes, last[task][2])
    for node in set().union(*(n for _, n in started.values())):
        mine = sorted((at, task) for task, (at, nodes) in started.items() if node in nodes)
        for (_, one), (_, other) in zip(mine, mine[1:]):
            if last[one][0] == last[other][0]:
                assert last[one][1] < last[other][1], "on %s %s came before %s" % (node, one, other)
    print("%d plans, %d tasks started" % (len(every), len(started)))


{"order": order, "drained": drained}[sys.argv[1]](*sys.argv[2:])
