#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/truth/generate.py SEED [DIR]

Writes a program whose sharing is known by construction: DIR/sN.c or .cc, perhaps a
second unit, and DIR/sN.json with how to build it and what is true of it.  The same
SEED gives the same program.  Its repaired twin (Program(SEED, twin=True)) has each
thread's cells on lines of their own.

Each *cell* is memory that some threads use in one way, through one field of one
object.  Its accesses stand on lines that say /* <- CELL */, the declaration or the
allocation of its object on one that says /* = OBJECT */.  When it runs, each thread
prints `@ CELL THREAD ADDRESS SIZE` for the cells that it uses: which of them lie on
one line follows from that (see judge.py), whatever compiler and linker did.
"""
import json
import os
import random
import sys

from access import Access
from storage import make_storage

PATTERNS = {"false": 34, "true": 12, "both": 7, "reader": 8, "onlyread": 4, "private": 13, "handover": 6, "rare": 7}
# A burst of accesses lasts about so long.
BURST_NS = 20000


def pick(rng, weights):
    return rng.choices(list(weights), list(weights.values()))[0]


class Program:
    """What was chosen; the text is made of it."""

    def __init__(self, seed, twin=False):
        self.seed, self.twin, self.rng = seed, twin, random.Random(seed)
        rng = self.rng
        self.cxx = rng.random() < 0.5
        self.pattern = pick(rng, PATTERNS)
        self.apart = twin or self.pattern == "private"
        self.n = pick(rng, {2: 6, 3: 2, 4: 2, 5: 1, 6: 1})
        self.pin = rng.random() < 0.5
        self.w = pick(rng, {0: 4, rng.randint(1, 20): 4, rng.randint(21, 500): 2})
        self.storage = make_storage(self)
        self.api = self.storage.api or pick(rng, {"pthread": 4, "openmp": 1, **({"std": 5} if self.cxx else {"c11": 1})})
        self.sync = self.choose_sync()
        self.burst = max(20, min(2000, (BURST_NS if self.sync in ("none", "mutex") else 10 * BURST_NS) // (self.w + 4)))
        self.cells = self.storage.cells()
        self.flags = self.choose_flags()

    def choose_sync(self):
        if self.pattern == "handover":
            return "turns"
        if self.storage.processes or self.api == "openmp":
            return "none"
        return pick(self.rng, {"none": 6, "mutex": 2, "barrier": 1, "rejoin": 1})

    def choose_flags(self):
        rng = self.rng
        std = pick(rng, {"gnu++14": 1, "gnu++17": 3, "gnu++20": 2} if self.cxx else {"gnu11": 3, "gnu17": 2})
        flags = ["-std=" + std, pick(rng, {"-O0": 2, "-O1": 1, "-O2": 5, "-O3": 2, "-Os": 1}), "-pthread", "-w"]
        if rng.random() < 0.9:
            flags.append("-g")
        if rng.random() < 0.12:
            flags.append("-flto")
        how = rng.random()
        if how < 0.08:
            flags.append("-static")
        elif how < 0.2:
            flags += ["-no-pie", "-fno-pie"]
        if self.api == "openmp":
            flags.append("-fopenmp")
        return flags

    # ---- text --------------------------------------------------------------

    def body(self, role):
        """What a thread of ROLE does: one burst of accesses."""
        acc = [c for c in self.cells if role in c.roles]
        hot = [c.access.call() for c in acc if not c.rare]
        rare = [c.access.call() for c in acc if c.rare]
        work = [f"for (int k = 0; k < {self.w}; k++) x = x * 6364136223846793005L + 1;"] if self.w else []
        fence = ['asm volatile("" ::: "memory");']
        lines = [f"for (long i = 0; i < {self.burst}; i++) {{"] + ["\t" + l for l in hot + work + fence] + ["}"]
        if rare:
            lines += [f"if ({self.turn()} % {100 if self.sync in ('none', 'mutex', 'turns') else 10} == 0) {{ long i = 1;"] + ["\t" + l for l in rare] + ["}"]
        if self.sync == "mutex":
            lines += [f"if ({self.turn()} % 100 == 0) {{", "\tpthread_mutex_lock(&guard);", "\tguarded.n++;",
                      "\tpthread_mutex_unlock(&guard);", "}"]
        return lines

    def turn(self):
        return {"barrier": "r", "rejoin": "r"}.get(self.sync, "crew_t.turns")

    def loop(self):
        return {"none": "FOR_A_WHILE {", "mutex": "FOR_A_WHILE {", "turns": "FOR_US(crew_run_us() / 3) {",
                "barrier": "for (int r = 0; r < 600; r++, pthread_barrier_wait(&crew_gate)) {",
                "rejoin": "for (int r = 0; r < 60; r++) {"}[self.sync]

    def role_text(self, role):
        says = [f'say("{c.name}", id, {c.access.address()}, {c.access.size()});' for c in self.cells if role in c.roles]
        st = self.storage
        out = [f"static void role_{role}(int id{st.param()})", "{", "\tlong x = id;"]
        out += ["\t" + l for l in st.prologue()] + ["\t" + l for l in says]
        if not st.processes and self.sync not in ("turns", "rejoin"):
            out.append("\tpthread_barrier_wait(&crew_gate);" if self.api != "openmp" else "\tspin_up();")
        out.append("\t" + self.loop())
        out += ["\t\t" + l for l in self.body(role)]
        return out + ["\t}", "\tsink(x);", "}", ""]

    def go_text(self):
        arg = ", s" if self.storage.param() else ""
        out = [f"static void go(int id{self.storage.param()})", "{"]
        if self.pin:
            out.append("\tcrew_pin(id);")
        roles = self.storage.roles
        for r in range(roles - 1):
            out += [f"\tif (id == {r})", f"\t\treturn role_{r}(id{arg});"]
        return out + [f"\trole_{roles - 1}(id{arg});", "}", ""]

    def start_text(self):
        p = self.storage.type()
        if self.api == "pthread":
            head, end = "static void *start(void *arg)", "\treturn NULL;"
        elif self.api == "c11":
            head, end = "static int start(void *arg)", "\treturn 0;"
        else:
            return []
        cast = f", (({p})((struct seat *)arg)->s)" if p else ""
        return ["struct seat { int id; void *s; };", "", head, "{", f"\tgo(((struct seat *)arg)->id{cast});", end, "}", ""]

    def one_thread(self, i, s):
        return {"pthread": f"pthread_create(&t[{i}], NULL, start, &seats[{i}]);",
                "c11": f"thrd_create(&t[{i}], start, &seats[{i}]);",
                "std": f"t[{i}] = std::thread(go, {i}{s});" if self.seed % 2 else f"t[{i}] = std::thread([&, i] {{ go({i}{s}); }});"}[self.api]

    def team_text(self):
        """The statements of main that run the threads."""
        n, st = self.n, self.storage
        s = ", " + st.handle() if st.param() else ""
        if st.processes:
            return ["pid_t child = fork();", f"if (!child) {{ go(1{s}); _exit(0); }}", f"go(0{s});", "waitpid(child, NULL, 0);"]
        if self.api == "openmp":
            body = f"go(omp_get_thread_num(){s});"
            if self.sync == "turns":
                body = f"for (int turn = 0; turn < {n}; turn++) {{ if (turn == omp_get_thread_num()) {body}\n#pragma omp barrier\n }}"
            return [f"\n#pragma omp parallel num_threads({n})", "{ " + body + " }"]
        out = {"std": [f"std::thread t[{n}];"], "pthread": [f"pthread_t t[{n}];"], "c11": [f"thrd_t t[{n}];"]}[self.api]
        if self.api != "std":
            out.append(f"struct seat seats[{n}];")
            out.append(f"for (int i = 0; i < {n}; i++) {{ seats[i].id = i; seats[i].s = (void *){st.handle() if s else '0'}; }}")
        join = {"std": "t[i].join();", "pthread": "pthread_join(t[i], NULL);", "c11": "thrd_join(t[i], NULL);"}[self.api]
        create = self.one_thread("i", s)
        if self.sync == "turns":
            return out + [f"for (int i = 0; i < {n}; i++) {{ {create} {join} }}"]
        run = [f"for (int i = 0; i < {n}; i++) {create}", f"for (int i = 0; i < {n}; i++) {join}"]
        if self.sync == "rejoin":
            run = ["for (int round = 0; round < 12; round++) {"] + ["\t" + l for l in run] + ["}"]
        return out + run

    def head(self):
        inc = ["string.h", "sys/mman.h", "sys/wait.h", "unistd.h"]
        inc += ["atomic", "thread", "vector", "memory", "array"] if self.cxx else ["stdatomic.h", "threads.h", "stdbool.h"]
        if self.api == "openmp":
            inc.append("omp.h")
        return ["/* SPDX-License-Identifier: MIT */", f"/* Seed {self.seed}: {self.what()}. */", '#include "crew.h"', '#include "truth.h"'] + \
            [f"#include <{i}>" for i in inc] + [""]

    def what(self):
        return f"{self.pattern}, {self.storage.name}, {self.n} x {self.api}, {self.sync}, {self.w} steps"

    def text(self):
        st = self.storage
        out = self.head()
        if self.sync == "mutex":
            out += ["static AT_LINE pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;", "static AT_LINE struct { long n; char apart[56]; } guarded;", ""]
        out += st.declarations()
        for c in self.cells:
            out += c.access.function()
        for r in range(st.roles):
            out += self.role_text(r)
        out += self.go_text()
        out += self.start_text()
        out += ["int main(void)", "{"]
        out += [f"\tpthread_barrier_init(&crew_gate, NULL, {self.n});"] if not st.processes else []
        if self.api == "openmp":
            out.append(f"\tspin_team = {self.n};")
        out += ["\t" + l for l in st.setup() + ["begin();"] + self.team_text()]
        return "\n".join(out + ["\treturn 0;" if st.processes else "\treturn end();", "}", ""])

    def truth(self):
        st, ext = self.storage, ".cc" if self.cxx else ".c"
        name = self.name()
        units = [name + ext] + ([name + "-b" + ext] if st.second_unit() else [])
        if self.rng.random() < 0.5:
            units.reverse()
        return {"seed": self.seed, "what": self.what(), "pattern": self.pattern, "storage": st.name, "compiler": "g++" if self.cxx else "gcc",
                "flags": self.flags, "units": units, "threads": self.n, "pinned": self.pin, "sync": self.sync, "api": self.api,
                "sequential": self.sync == "turns", "processes": st.processes, "moving": st.moving,
                "cells": {c.name: c.truth() for c in self.cells}, "objects": st.objects()}

    def name(self):
        return f"s{self.seed}" + ("-twin" if self.twin else "")

    def write(self, folder):
        truth = self.truth()
        ext = ".cc" if self.cxx else ".c"
        base = os.path.join(folder, self.name())
        with open(base + ext, "w") as f:
            f.write(self.text())
        if self.storage.second_unit():
            with open(base + "-b" + ext, "w") as f:
                f.write("\n".join(self.storage.second_unit()) + "\n")
        with open(base + ".json", "w") as f:
            json.dump(truth, f, indent=1)
        return truth


class Cell:
    """Memory that the threads of some roles use in one way."""

    def __init__(self, program, name, obj, field, member, roles, access, rare=False):
        self.name, self.object, self.field, self.member, self.roles, self.rare = name, obj, field, member, roles, rare
        self.access = access
        access.bind(program, self)

    def truth(self):
        # The other member of a union is as good a name only where the access is not by name.
        by_name = self.access.form in ("direct", "object", "method", "lambda")
        fields = [f for f in self.field if not by_name or ".raw" not in f]
        return {"object": self.object, "fields": fields, "roles": self.roles, "write": self.access.writes(),
                "access": self.access.kind, "heat": "rare" if self.rare else self.access.heat()}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    Program(int(sys.argv[1])).write(sys.argv[2] if len(sys.argv) > 2 else ".")


if __name__ == "__main__":
    main()
