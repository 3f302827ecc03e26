#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/truth/rates.py [--paced|--staged|--announced] SEED [DIR]

Writes a program whose threads count their own accesses to the lines that they share:
DIR/rN.c, and DIR/rN.json with how to build it.  The same SEED gives the same program.

Each *cell* is what one thread uses in one way: a member, a variable of all of them, or
elements of an array.  At exit the program prints `@ CELL THREAD ACCESSES` for each, and
`wall SECONDS`.  A thread's *pace* says what it does between: nothing but work (loop), so
many accesses and then sleep (sleep, nap), so many and then work elsewhere (burst), or
one each time that it is due, by the clock (due).

With --paced all threads have a pace: so many accesses a tick, and then to the next tick
asleep (tick) or at the clock (spin), where ticks that were missed are made up for; or for
as long as a tick, whatever was missed (sleep, skip).  The program is DIR/pN.c then.

With --staged the threads go through stages with a barrier between, and use their cells in
each from another place and at another pace, or not at all.  What the only user of a stage
does is not counted: nobody shares it.  The program is DIR/sN.c then.

With --announced the threads use their cells in short loops of which the compiler knows how
often they turn, so that one probe in front announces all accesses.  The program is DIR/aN.c then.
"""
import json
import math
import os
import random
import sys

PATTERNS = {"false": 5, "fields": 2, "true": 2, "array": 2, "lines": 1}
PACES = {"loop": 5, "sleep": 4, "nap": 1, "burst": 2, "due": 1}
# Of paced programs; the first two make up for what they missed.
TICKS = {"tick": 5, "spin": 4, "sleep": 2, "skip": 2}
# An access and its probes take no longer, us: a thread that cannot keep its pace has none.
EACH_US = 0.5
KINDS = {"inc": 5, "store": 2, "load": 2, "atomic": 2}
SECONDS = {0.2: 4, 0.3: 4, 0.5: 4, 1: 2, 2: 1, 5: 0.3}
# Elements of an array for each thread.
SLICE = 16


def pick(rng, weights):
    return rng.choices(list(weights), list(weights.values()))[0]


def spread(rng, low, high):
    """A number of which each order of magnitude is as likely."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


class Pace:
    """What a thread does between its accesses."""

    def __init__(self, rng):
        self.kind = pick(rng, PACES)
        # Turns of a loop of one multiplication, one behind the other: about a nanosecond each.
        self.work = 0 if rng.random() < 0.3 else int(spread(rng, 5, 100000 if self.kind == "loop" else 300))
        self.count = int(spread(rng, 1, 500))
        self.us = int({"sleep": spread(rng, 50, 5000), "nap": spread(rng, 5000, 30000), "burst": spread(rng, 20, 5000),
                       "due": spread(rng, 1, 500)}.get(self.kind, 0))
        if self.kind == "nap":
            self.count *= 40
        if self.kind == "loop":
            self.count = max(1, int(20000 / (self.work + 4)))

    @classmethod
    def of_ticks(cls, rng):
        """One that a clock gives."""
        p = cls.__new__(cls)
        p.kind = pick(rng, TICKS)
        p.us = int(spread(rng, 20, 10000))
        p.count = int(spread(rng, 1, max(1.5, min(500, p.us / 2 / EACH_US))))
        p.work = 0 if rng.random() < 0.5 else int(spread(rng, 5, max(6, min(300, 500 * p.us / p.count - 1000 * EACH_US))))
        return p

    def wrap(self, body):
        """The loop of a thread round BODY, which is one turn."""
        turns = [f"for (long k = 0; k < {self.count}; k++) {{"] + ["\t" + l for l in body] + ["\tturns++;", "}"]
        after = {"loop": [], "sleep": [f"nap({self.us});"], "nap": [f"nap({self.us});"],
                 "burst": [f"x = work(x, {self.us}000);"], "due": [],
                 "tick": [f"due += {self.us}e-6;", "nap_until(due);"], "spin": [f"due += {self.us}e-6;"],
                 "skip": [f"due = now() + {self.us}e-6;"]}[self.kind]
        if self.kind in ("spin", "skip"):
            turns = ["while (now() < due)", "\tcontinue;"] + turns
        if self.kind == "due":
            turns = ["while (now() < due)", "\tcontinue;", f"due += {self.us}e-6;"] + body + ["turns++;"]
        return ["while (now() < end) {"] + ["\t" + l for l in turns + after] + ["}"]

    def text(self):
        return f"{self.kind} {self.count}x{self.work}" + (f"/{self.us}us" if self.us else "")


class Cell:
    def __init__(self, name, kind, form, sites):
        self.name, self.kind, self.form, self.sites = name, kind, form, sites

    def statement(self, e):
        return {"inc": f"{e}++;", "store": f"{e} = k;", "load": f"x += {e};",
                "atomic": f"__atomic_fetch_add(&{e}, 1, __ATOMIC_RELAXED);"}[self.kind]

    def function(self):
        how = {"call": "static NOIPA", "inline": "static inline"}.get(self.form)
        if not how:
            return []
        return [f"{how} long touch_{self.name}(volatile long *p, long x, long k)", "{", "\t" + self.statement("*p"), "\treturn x + (k & 0);", "}", ""]

    def use(self, e):
        one = [self.statement(e)] if self.form == "direct" else [f"x = touch_{self.name}(&{e}, x, k);"]
        return one * self.sites


class Program:
    prefix, salt = "r", 17
    make = Pace

    def __init__(self, seed):
        self.rng = random.Random(seed * 7919 + self.salt)
        self.seed, self.name = seed, f"{self.prefix}{seed}"
        self.choose()
        self.cells = self.make_cells()

    def choose(self):
        rng = self.rng
        self.n = pick(rng, {2: 8, 3: 2, 4: 1})
        self.pattern = pick(rng, PATTERNS)
        self.seconds = pick(rng, SECONDS)
        self.level = pick(rng, {"-O0": 2, "-O1": 1, "-O2": 5, "-O3": 2})
        equal = rng.random() < 0.6
        pace = self.make(rng)
        self.paces = [pace if equal else self.make(rng) for _ in range(self.n)]
        self.choose_kinds(equal)

    def choose_kinds(self, equal):
        rng = self.rng
        kind = pick(rng, KINDS)
        self.kinds = [kind if equal else pick(rng, KINDS) for _ in range(self.n)]
        if "load" in self.kinds:
            self.kinds[0] = "inc"

    def make_cells(self):
        rng, out = self.rng, []
        form = pick(rng, {"direct": 3, "call": 2, "inline": 1})
        for t in range(self.n):
            count = rng.randint(2, 3) if self.pattern == "fields" else 1
            sites = 1 if self.pattern in ("array", "lines") else pick(rng, {1: 5, 2: 1, 3: 1})
            out.append([Cell(f"c{t}_{i}", self.kinds[t], form, sites) for i in range(count)])
        return out

    def expr(self, t, cell):
        return {"true": "all.v", "array": f"all.a[turns % {SLICE} * {self.n} + {t}]", "lines": f"all.row[turns & 3].{cell.name}"}.get(self.pattern, f"all.{cell.name}")

    def declarations(self):
        members = [f"\tvolatile long {c.name};" for cells in self.cells for c in cells]
        if self.pattern == "true":
            members = ["\tvolatile long v;"]
        elif self.pattern == "array":
            members = [f"\tvolatile long a[{SLICE * self.n}];"]
        elif self.pattern == "lines":
            members = ["\tstruct row {"] + ["\t" + m for m in members] + ["\t\tlong spare[8];", "\t} __attribute__((aligned(64))) row[4];"]
        return ["static struct {"] + members + ["} all __attribute__((aligned(128)));", ""]

    def thread(self, t):
        body = [l for c in self.cells[t] for l in c.use(self.expr(t, c))]
        p = self.paces[t]
        if p.work and p.kind != "due":
            body.append(f"x = work(x, {p.work});")
        if p.kind == "due":
            body = ["{ long k = turns;"] + body + ["}"]
        says = [f'say("{c.name}", {t}, turns * {c.sites});' for c in self.cells[t]]
        return [f"static void *thread_{t}(void *arg)", "{", f"\tlong x = {t}, turns = 0;", f"\tdouble end, due;", "",
                "\tpthread_barrier_wait(&gate);", "\tdue = now();", f"\tend = due + {self.seconds};"] + \
            ["\t" + l for l in p.wrap(body)] + ["\tsink(x);"] + ["\t" + l for l in says] + ["\treturn arg;", "}", ""]

    def text(self):
        out = ["/* SPDX-License-Identifier: MIT */", f"/* {self.what()} */", '#include "rates.h"', ""] + self.declarations()
        for cells in self.cells:
            for c in cells:
                out += c.function()
        for t in range(self.n):
            out += self.thread(t)
        starts = [f"\tpthread_create(&t[{i}], NULL, thread_{i}, NULL);" for i in range(self.n)]
        return "\n".join(out + ["int main(void)", "{", f"\tpthread_t t[{self.n}];", "\tdouble from = now();", "",
                                f"\tpthread_barrier_init(&gate, NULL, {self.n});"] + starts +
                         [f"\tfor (int i = 0; i < {self.n}; i++)", "\t\tpthread_join(t[i], NULL);",
                          '\tprintf("wall %.6f\\n", now() - from);', "\treturn 0;", "}", ""])

    def what(self):
        return f"{self.pattern} {self.level} {self.seconds} s: " + ", ".join(f"{k} {p.text()} {c[0].form}" for k, p, c in zip(self.kinds, self.paces, self.cells))

    def write(self, folder):
        base = os.path.join(folder, self.name)
        with open(base + ".c", "w") as f:
            f.write(self.text())
        truth = {"seed": self.seed, "name": self.name, "pattern": self.pattern, "what": self.what(), "paces": [p.kind for p in self.paces], "flags": [self.level, "-g", "-pthread", "-w"]}
        with open(base + ".json", "w") as f:
            json.dump(truth, f)
        return truth


class Paced(Program):
    prefix, salt = "p", 29
    make = Pace.of_ticks


class Staged(Program):
    """Threads that use their cells at other places and another pace in each stage."""
    prefix, salt = "s", 43

    def choose(self):
        rng = self.rng
        self.n = pick(rng, {2: 8, 3: 2})
        self.pattern = pick(rng, {"false": 5, "true": 2})
        self.level = pick(rng, {"-O0": 2, "-O1": 1, "-O2": 5, "-O3": 2})
        self.choose_kinds(rng.random() < 0.6)
        self.stages = [[self.stage_pace(rng) for _ in range(self.n)] for _ in range(rng.randint(2, 4))]
        for t in range(self.n):
            if not any(st[t] for st in self.stages):
                self.stages[0][t] = Pace(rng)
        self.paces = [next(st[t] for st in self.stages if st[t]) for t in range(self.n)]
        self.seconds = pick(rng, {0.1: 3, 0.2: 3, 0.5: 1})

    @staticmethod
    def stage_pace(rng):
        """None: the thread works elsewhere in that stage."""
        if rng.random() < 0.15:
            return None
        p = Pace(rng)
        p.kind = pick(rng, {"loop": 6, "burst": 1, "sleep": 1})
        p.us = int(spread(rng, 50, 5000))
        p.work = 0 if rng.random() < 0.3 else int(spread(rng, 5, 100000 if p.kind == "loop" else 300))
        p.count = max(1, int(20000 / (p.work + 4))) if p.kind == "loop" else int(spread(rng, 1, 500))
        return p

    def one_stage(self, t, stage):
        p, shared = stage[t], sum(x is not None for x in stage) > 1
        body = [l for c in self.cells[t] for l in c.use(self.expr(t, c))] if p else ["x = work(x, 1000);"]
        if p and p.work:
            body.append(f"x = work(x, {p.work});")
        if not p:
            p = Pace(random.Random(0))
            p.kind, p.count = "loop", 20
        return ["pthread_barrier_wait(&gate);", "due = now();", f"end = due + {self.seconds};", "turns = 0;"] + \
            p.wrap(body) + (["count += turns;"] if stage[t] and shared else [])

    def thread(self, t):
        says = [f'say("{c.name}", {t}, count * {c.sites});' for c in self.cells[t]]
        stages = [l for st in self.stages for l in self.one_stage(t, st)]
        return [f"static void *thread_{t}(void *arg)", "{", f"\tlong x = {t}, turns, count = 0;", "\tdouble end, due;", ""] + \
            ["\t" + l for l in stages + ["sink(x);"] + says] + ["\treturn arg;", "}", ""]

    def what(self):
        text = ["; ".join(st[t].text() if st[t] else "elsewhere" for st in self.stages) for t in range(self.n)]
        return f"{self.pattern} {self.level} {len(self.stages)} stages of {self.seconds} s: " + \
            ", ".join(f"{k} {p} {c[0].form}" for k, p, c in zip(self.kinds, text, self.cells))


class Announced(Program):
    """Threads that use a cell in loops that are counted before they run."""
    prefix, salt = "a", 61

    def choose(self):
        rng = self.rng
        self.n, self.pattern, self.seconds = 2, "false", 0.4
        self.level = pick(rng, {"-O1": 1, "-O2": 5, "-O3": 2})
        self.kinds = [pick(rng, {"inc": 5, "store": 3})] + [pick(rng, {"inc": 5, "store": 3, "load": 2})]
        self.loops = [(int(spread(rng, 8, 500)), int(spread(rng, 5, 60))) for _ in range(2)]
        self.paces = [Pace(rng) for _ in range(2)]
        for p in self.paces:
            p.kind = "loop"

    def make_cells(self):
        return [[Cell(f"c{t}_0", self.kinds[t], "direct", 1)] for t in range(self.n)]

    def declarations(self):
        return [l.replace("volatile ", "") for l in super().declarations()]

    def thread(self, t):
        turns, work = self.loops[t]
        cell = self.cells[t][0]
        return [f"static void *thread_{t}(void *arg)", "{", f"\tlong x = {t}, turns = 0;", "\tdouble end;", "",
                "\tpthread_barrier_wait(&gate);", f"\tend = now() + {self.seconds};", "\twhile (now() < end) {",
                f"\t\tfor (long k = 0; k < {turns}; k++) {{", f"\t\t\tx = work(x, {work});",
                "\t\t\t" + cell.statement(f"all.{cell.name}"), "\t\t}", f"\t\tturns += {turns};", "\t}", "\tsink(x);",
                f'\tsay("{cell.name}", {t}, turns);', "\treturn arg;", "}", ""]

    def what(self):
        return f"announced {self.level} {self.seconds} s: " + ", ".join(f"{k} {n}x{w}" for k, (n, w) in zip(self.kinds, self.loops))


FORMS = {"": Program, "--paced": Paced, "--staged": Staged, "--announced": Announced}

if __name__ == "__main__":
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    kind = next((a for a in sys.argv[1:] if a.startswith("--")), "")
    if len(args) not in (1, 2) or kind not in FORMS:
        sys.exit(__doc__)
    print(json.dumps(FORMS[kind](int(args[0])).write(args[1] if len(args) > 1 else "."), indent=1))
