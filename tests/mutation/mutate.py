#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py: seeded faults between a plan and the program that flies, and who notices.

The classes are in CLASSES.md; a class without code, or code without a class, is an error.
Exit status: 0 every fault caught and no false alarm; 1 not so; 2 usage; 3 a tool is missing or broken."""
import argparse
import multiprocessing
import os
import random
import re
import sys

import changes_harmless
import faults_binary
import faults_build
import faults_drift
import faults_flush
import faults_graft
import faults_linker
import faults_loader
import faults_pack
import faults_plan
import faults_source
import faults_text
import faults_user
from elf import Elf
from flow import Broken, Case, judge
from lab import Lab, sha
from registry import FAULTS, HARMLESS
from subjects import all_subjects

MODULES = (changes_harmless, faults_binary, faults_build, faults_drift, faults_graft, faults_linker, faults_loader, faults_pack, faults_plan, faults_source, faults_text, faults_user)
HERE = os.path.dirname(os.path.abspath(__file__))
TRIES = 27
NO_C = re.compile(r"undeclared|error: expected |lvalue|unknown type|too (few|many) arguments|no member named|not a pointer")
PACKED = ("man-", "ok-manifest", "ok-pack")
BY_MODEL = ("plan-core", "plan-core-swap", "plan-trigger-core", "plan-trigger-thread", "plan-every", "plan-trigger-twice")
# Nobody looks yet; CLASSES.md says so.  Counted apart, and caught ones as caught.
GAPS = ()


def arguments():
    p = argparse.ArgumentParser(prog="mutate.py", description=__doc__.split("\n")[0])
    p.add_argument("--build", default=os.environ.get("O", "build"), help="build tree")
    p.add_argument("--faults", type=int, default=200)
    p.add_argument("--harmless", type=int, default=50)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--class", dest="classes", action="append", help="only these (regular expression)")
    p.add_argument("--subject", action="append", help="only these programs")
    p.add_argument("--without", action="append", default=[], help="leave a gate out: who else would have noticed?")
    p.add_argument("--list", action="store_true", help="every fault, not only what was missed")
    return p.parse_args()


def documented():
    """Class ids of CLASSES.md: faults, harmless."""
    with open(HERE + "/CLASSES.md", encoding="utf-8") as f:
        parts = f.read().split("# Harmless changes")
    return [set(re.findall(r"(?m)^\| ([a-z]+-[a-z-]+) \|", p)) for p in parts]


def check_classes():
    faults, ok = documented()
    known = {name for name, _ in FAULTS}
    wrong = sorted(faults ^ known) + sorted(ok ^ set(HARMLESS))
    if wrong:
        sys.exit("mutate: CLASSES.md and the code do not agree about: " + " ".join(wrong))


# ---- one mutant --------------------------------------------------------------------------------------------

class Job:
    def __init__(self, number, name, kind, subject, attempt):
        self.number, self.name, self.kind, self.subject, self.attempt = number, name, kind, subject, attempt


def same_program(lab, case, good):
    """Is what runs, and what is signed, that of the right build, byte for byte?"""
    if not hasattr(case, "program") or case.judged_plan() != good.plan or case.pack is not None:
        return False
    return Elf(case.program).loaded() == Elf(good.program).loaded() and case.rebuilt_objects() == good.rebuilt_objects()


def run_fault(lab, good, seed, name, kind, skip, tried):
    """(outcome, gate, what, why); outcome: caught, noted, gap, missed, equivalent, broken; None: nothing to change."""
    rng = random.Random("%d/%s/%s/%s/%d" % (seed, name, kind, good.subject.name, tried))
    case = Case(lab, good.subject)
    try:
        what = FAULTS[name, kind](case, rng)
    except Exception as e:  # the change itself could not be made: a flaw of this program
        return ("broken", "", "%s cannot be made" % name, repr(e))
    if what is None:
        return None
    try:
        gate, why = judge(case, skip)
    except Broken as e:
        return ("broken", "", what, str(e))
    if gate and name.startswith(("trig-", "plat-")) and gate in ("gcc", "build") and NO_C.search(why):
        return None
    if gate:
        return ("caught", gate, what, why)
    if same_program(lab, case, good):
        return ("equivalent", "", what, "all that is loaded, and all objects that are signed, are those of the right build, byte for byte")
    if case.note and case.note != good.note and not case.plain:
        return ("noted", "verify", what, case.note)
    if hasattr(case, "program") and not case.plain and "verify" not in skip:
        return ("open", "verify", what, case.note or case.open)
    if name in BY_MODEL and kind == "reviewed":
        return ("equivalent", "", what, "every thread is at every moment where plan-check finds the same figures; all limits hold")
    return ("gap" if name in GAPS else "missed", "", what, "")


def run_harmless(lab, good, seed, name, skip, tried):
    rng = random.Random("%d/%s/%s/%d" % (seed, name, good.subject.name, tried))
    case = Case(lab, good.subject)
    what = HARMLESS[name](case, rng)
    if what is None:
        return None
    try:
        gate, why = judge(case, skip)
    except Broken as e:
        return ("broken", "", what, str(e))
    # A right build that is no more than "as far as shown" is told apart.
    return ("false alarm", gate, what, why) if gate else ("silent", "" if case.plain else "limited", what, case.note)


# ---- many --------------------------------------------------------------------------------------------------

STATE = {}


def run_slot(slot):
    """A slot is (number, name, kind): programs in seeded order until one has something to change."""
    number, name, kind = slot
    lab, goods, a = STATE["lab"], STATE["goods"], STATE["arguments"]
    rng = random.Random("%d/slot/%d/%s" % (a.seed, number, name))
    order = list(goods)
    for tried in range(TRIES):
        if tried % len(order) == 0:
            rng.shuffle(order)
        good = order[tried % len(order)]
        attempt = number * 100 + tried
        out = run_harmless(lab, good, a.seed, name, a.without, attempt) if kind == "harmless" else \
            run_fault(lab, good, a.seed, name, kind, a.without, attempt)
        if out:
            return (name, kind, good.subject.name) + out
    return (name, kind, "", "nothing", "", "", "")


def slots(a):
    """Classes in turn, all kinds of each."""
    want = [re.compile(c) for c in a.classes or [""]]
    keys = [k for k in sorted(FAULTS) if any(w.search(k[0]) for w in want)]
    ok = [k for k in sorted(HARMLESS) if any(w.search(k) for w in want)]
    rng = random.Random("%d/order" % a.seed)
    rng.shuffle(keys)
    rng.shuffle(ok)
    out = [(i,) + keys[i % len(keys)] for i in range(a.faults)] if keys else []
    return out + ([(i, ok[i % len(ok)], "harmless") for i in range(a.harmless)] if ok else [])


def prepare(a):
    lab = Lab(a.build)
    goods = []
    for s in all_subjects():
        if a.subject and s.name not in a.subject:
            continue
        good = Case(lab, s.make(lab))
        gate, why = judge(good, a.without)
        if gate:
            sys.exit("mutate: the right build of %s is refused by %s: %s" % (s.name, gate, why))
        goods.append(good)
    STATE.update(lab=lab, goods=goods, arguments=a)
    if any(w[1].startswith(PACKED) for w in slots(a)):
        for good in goods:
            good.good_pack()  # once, before the processes part


def run_all(work, jobs):
    if jobs < 2:
        return [run_slot(w) for w in work]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return pool.map(run_slot, work, chunksize=2)


def table(rows):
    """A line per class: how many, by which gate, what else."""
    lines = {}
    for name, kind, _, outcome, gate, _, _ in rows:
        key = name if kind == "harmless" else "%s %s" % (name, kind)
        lines.setdefault(key, []).append(gate if outcome in ("caught", "false alarm") else outcome)
    for key in sorted(lines):
        seen = lines[key]
        print("  %-30s %3d  %s" % (key, len(seen), "  ".join("%s %d" % (g, seen.count(g)) for g in sorted(set(seen)))))


def details(rows, a):
    for name, kind, subject, outcome, gate, what, why in rows:
        if outcome in ("missed", "noted", "open", "gap", "false alarm", "broken", "equivalent") or a.list:
            print("%s: %s (%s) in %s: %s%s" % (outcome.upper(), name, kind, subject, what,
                                               " [%s] %s" % (gate, why[:160]) if gate or why else ""))


def summary(rows):
    count = {o: sum(r[3] == o for r in rows) for o in ("caught", "noted", "open", "gap", "missed", "equivalent", "broken", "nothing", "silent", "false alarm")}
    faults = count["caught"] + count["noted"] + count["open"] + count["gap"] + count["missed"]
    if count["open"]:
        print("%d of those named by a line that the right build has as well: its verdict is limited, too" % count["open"])
    print("faults: %d, caught %d, named as not shown %d, known gaps %d, missed %d, equivalent %d; harmless: %d, false alarms %d" % (
        faults, count["caught"], count["noted"] + count["open"], count["gap"], count["missed"], count["equivalent"],
        count["silent"] + count["false alarm"], count["false alarm"]))
    print("harmless builds that are equal without a limit: %d" % sum(r[3] == "silent" and not r[4] for r in rows))
    gates = [r[4] for r in rows if r[3] == "caught"]
    print("caught by: " + ", ".join("%s %d" % (g, gates.count(g)) for g in sorted(set(gates), key=gates.count, reverse=True)))
    if count["nothing"]:
        print("nothing to change in any program: " + " ".join(sorted({"%s/%s" % r[:2] for r in rows if r[3] == "nothing"})))
    if count["broken"]:
        return 3
    return 1 if count["missed"] or count["false alarm"] else 0


def main():
    a = arguments()
    if not os.environ.get("MUTATE_PARTLY"):
        check_classes()
    prepare(a)
    rows = run_all(slots(a), a.jobs)
    table(rows)
    details(rows, a)
    sys.exit(summary(rows))


if __name__ == "__main__":
    main()
