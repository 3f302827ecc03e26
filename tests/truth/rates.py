#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/truth/rates.py SEED [DIR]

Writes a program whose threads count their own accesses to the lines that they share:
DIR/rN.c, and DIR/rN.json with how to build it.  The same SEED gives the same program.

Each *cell* is what one thread uses in one way: a member, a variable of all of them, or
elements of an array.  At exit the program prints `@ CELL THREAD ACCESSES` for each, and
`wall SECONDS`.  A thread's *pace* says what it does between: nothing but work (loop), so
many accesses and then sleep (sleep, nap), so many and then work elsewhere (burst), or
one each time that it is due, by the clock (due).
"""
import json
import math
import os
import random
import sys

PATTERNS = {"false": 5, "fields": 2, "true": 2, "array": 2, "lines": 1}
PACES = {"loop": 5, "sleep": 4, "nap": 1, "burst": 2, "due": 1}
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

    def wrap(self, body):
        """The loop of a thread round BODY, which is one turn."""
        turns = [f"for (long k = 0; k < {self.count}; k++) {{"] + ["\t" + l for l in body] + ["\tturns++;", "}"]
        after = {"loop": [], "sleep": [f"nap({self.us});"], "nap": [f"nap({self.us});"],
                 "burst": [f"x = work(x, {self.us}000);"], "due": []}[self.kind]
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
    def __init__(self, seed):
        rng = self.rng = random.Random(seed * 7919 + 17)
        self.seed = seed
        self.n = pick(rng, {2: 8, 3: 2, 4: 1})
        self.pattern = pick(rng, PATTERNS)
        self.seconds = pick(rng, SECONDS)
        self.level = pick(rng, {"-O0": 2, "-O1": 1, "-O2": 5, "-O3": 2})
        equal = rng.random() < 0.6
        pace = Pace(rng)
        self.paces = [pace if equal else Pace(rng) for _ in range(self.n)]
        kind = pick(rng, KINDS)
        self.kinds = [kind if equal else pick(rng, KINDS) for _ in range(self.n)]
        if "load" in self.kinds:
            self.kinds[0] = "inc"
        self.cells = self.make_cells()

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
        base = os.path.join(folder, f"r{self.seed}")
        with open(base + ".c", "w") as f:
            f.write(self.text())
        truth = {"seed": self.seed, "pattern": self.pattern, "what": self.what(), "paces": [p.kind for p in self.paces], "flags": [self.level, "-g", "-pthread", "-w"]}
        with open(base + ".json", "w") as f:
            json.dump(truth, f)
        return truth


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    print(json.dumps(Program(int(sys.argv[1])).write(sys.argv[2] if len(sys.argv) > 2 else "."), indent=1))
