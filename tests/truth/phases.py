#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/truth/phases.py SEED [DIR]

Writes a program of known stages: DIR/sN.c (or .cc) and DIR/sN.json with how to build it and
what is true.  The same SEED gives the same program.

Its threads go through STAGES stages, ROUNDS times, with a barrier behind each.  In some of the
stages two of them use one line, each its own word of it (false sharing): a *group* says who,
and in which stages.  Elsewhere they work as much on lines of their own, or wait.

barriers  each written out, one call in a loop over the stages, or one call in a function
places    the line is used by a function for each stage, or by one for all
lengths   the stages are as long as each other, or not
before    a stage in front of the loop, as long as one in it; or none

Twins in which nothing may be found: groups that meet in all stages, programs of one stage,
and OpenMP, whose barriers are not seen.
"""
import json
import os
import random
import sys

# Work between two uses, in multiplications one behind the other; all of it is about 10 ns.
GAP = 8
EACH_NS = 10


def pick(rng, weights):
    return rng.choices(list(weights), list(weights.values()))[0]


class Program:
    def __init__(self, seed):
        rng = random.Random(seed)
        self.seed, self.name = seed, f"s{seed}"
        self.language = pick(rng, {"c": 6, "c++": 3, "openmp": 1})
        self.threads = rng.choice([2, 3, 4])
        self.stages = pick(rng, {1: 1, 2: 5, 3: 4, 4: 2})
        self.rounds = rng.randint(4, 6)
        self.barriers = pick(rng, {"written": 5, "loop": 3, "function": 2}) if self.language != "openmp" else "written"
        self.places = pick(rng, {"each": 3, "one": 2})
        self.before = rng.random() < 0.25 and self.stages > 1 and self.language != "openmp"
        equal = rng.random() < 0.4
        lengths = rng.sample([40, 60, 90, 135], self.stages)
        self.ms = [60] * self.stages if equal else lengths
        self.before_ms = rng.choice(self.ms)
        self.equal = equal
        self.idle = {(s, t) for s in range(self.stages) for t in range(self.threads) if rng.random() < 0.1}
        self.groups = []
        free = {(s, t) for s in range(self.stages) for t in range(self.threads)}
        for _ in range(rng.randint(1, 3)):
            a, b = sorted(rng.sample(range(self.threads), 2))
            n = self.stages if rng.random() < 0.2 else pick(rng, {1: 6, 2: 3})
            where = [s for s in range(self.stages) if (s, a) in free and (s, b) in free]
            if not where or len(where) < n or any(g["a"] == a and g["b"] == b for g in self.groups):
                continue
            where = sorted(rng.sample(where, n))
            free -= {(s, t) for s in where for t in (a, b)}
            self.idle -= {(s, t) for s in where for t in (a, b)}
            self.groups.append({"object": f"g{len(self.groups)}", "a": a, "b": b, "stages": where})

    def group_of(self, stage, thread):
        for g in self.groups:
            if stage in g["stages"] and thread in (g["a"], g["b"]):
                return g
        return None

    def works(self, stage, thread):
        return (stage, thread) not in self.idle

    def use_of(self, stage, thread):
        """What a thread does in a stage, as a call."""
        n = int(self.ms[stage] * 1e6 / EACH_NS)
        g = self.group_of(stage, thread)
        if not g:
            return f"use_own (&own[{thread}].at, {n}L);" if self.works(stage, thread) else ";"
        side = "left" if thread == g["a"] else "right"
        if self.places == "one":
            return f"use (&{g['object']}.{side}, {n}L);"
        return f"use_{g['object']}_{side}_{stage} ({n}L);"

    def functions(self):
        yield "#define DO(at) do { (at)++; for (int k = 0; k < GAP; k++) { x = x * 6364136223846793005UL + 1; __asm__ volatile (\"\" : \"+r\"(x)); } } while (0)"
        for name in ("use", "use_own"):
            yield f"static NOIPA void {name} (volatile long *at, long n)"
            yield "{ unsigned long x = 1; for (long i = 0; i < n; i++) DO (*at); sink = x; }"
        for g in self.groups:
            for s in g["stages"]:
                for side in ("left", "right"):
                    if self.places == "each":
                        yield f"static NOIPA void use_{g['object']}_{side}_{s} (long n)"
                        yield f"{{ unsigned long x = 1; for (long i = 0; i < n; i++) DO ({g['object']}.{side}); sink = x; }}"
        for s in range(self.stages):
            yield f"static NOIPA void stage_{s} (int me)"
            yield "{ switch (me) {"
            for t in range(self.threads):
                yield f"case {t}: {self.use_of(s, t)} break;"
            yield "} }"

    def wait(self, mark):
        if self.language == "openmp":
            return "#pragma omp barrier"
        return "all_here ();" if self.barriers == "function" else f"pthread_barrier_wait (&barrier); /* {mark} */"

    def body(self):
        if self.before:
            yield f"use_own (&own[me].at, {int(self.before_ms * 1e6 / EACH_NS)}L);"
            yield self.wait("BEFORE")
        yield f"for (int r = 0; r < {self.rounds}; r++) {{"
        if self.barriers == "loop":
            yield f"for (int s = 0; s < {self.stages}; s++) {{"
            yield "stages[s] (me);"
            yield self.wait("ALL")
            yield "}"
        else:
            for s in range(self.stages):
                yield f"stage_{s} (me);"
                yield self.wait(f"STAGE {s}")
        yield "}"

    def text(self):
        yield "/* SPDX-License-Identifier: MIT */"
        yield f"/* tests/truth/phases.py {self.seed} */"
        yield "#include <pthread.h>"
        if self.language == "c++":
            yield "#include <thread>"
        yield f"#define GAP {GAP}"
        yield "#define NOIPA __attribute__ ((noipa))"
        yield f"#define THREADS {self.threads}"
        for g in self.groups:
            yield f"static struct {g['object']}_t {{ volatile long left, right; long rest[14]; }} {g['object']} __attribute__ ((aligned (128)));"
        yield "static struct own { volatile long at; long rest[15]; } own[THREADS] __attribute__ ((aligned (128)));"
        yield "static pthread_barrier_t barrier __attribute__ ((aligned (128)));"
        yield "static __thread unsigned long sink;"
        yield from self.functions()
        if self.barriers == "loop":
            yield "static void (*const stages[]) (int) = { " + ", ".join(f"stage_{s}" for s in range(self.stages)) + " };"
        if self.barriers == "function":
            yield "static NOIPA void all_here (void)"
            yield "{"
            yield "pthread_barrier_wait (&barrier); /* ALL */"
            yield "__asm__ volatile (\"\" ::: \"memory\");"
            yield "}"
        yield "static NOIPA void *work (void *arg)"
        yield "{"
        yield "int me = (int) (long) arg;"
        yield from self.body()
        yield "return 0;"
        yield "}"
        yield "int main (void)"
        yield "{"
        yield "pthread_barrier_init (&barrier, 0, THREADS);"
        yield from {"c": ["pthread_t t[THREADS];", "for (long i = 0; i < THREADS; i++) pthread_create (&t[i], 0, work, (void *) i);",
                          "for (int i = 0; i < THREADS; i++) pthread_join (t[i], 0);"],
                    "c++": ["std::thread t[THREADS];", "for (long i = 0; i < THREADS; i++) t[i] = std::thread (work, (void *) i);",
                            "for (int i = 0; i < THREADS; i++) t[i].join ();"],
                    "openmp": ["#pragma omp parallel for num_threads(THREADS) schedule(static, 1)",
                               "for (int i = 0; i < THREADS; i++) { }", "#pragma omp parallel num_threads(THREADS)",
                               "work ((void *) (long) omp_get_thread_num ());"]}[self.language]
        yield "return 0;"
        yield "}"

    def truth(self, lines):
        marks = {}
        for i, text in enumerate(lines, 1):
            if "/* " in text and "barrier_wait" in text:
                marks[text.split("/* ")[1].split(" */")[0]] = i
        what = (f"{self.language}, {self.threads} threads, {self.stages} stages x {self.rounds}, barriers {self.barriers}, "
                f"places {self.places}, {'equal' if self.equal else 'unequal'}{', one before' if self.before else ''}")
        return {"name": self.name, "seed": self.seed, "what": what, "language": self.language, "threads": self.threads,
                "stages": self.stages, "rounds": self.rounds, "barriers": self.barriers, "places": self.places, "equal": self.equal,
                "before": self.before, "marks": marks, "groups": self.groups,
                "works": [[t for t in range(self.threads) if self.works(s, t)] for s in range(self.stages)],
                "suffix": ".cc" if self.language == "c++" else ".c",
                "flags": ["-O2", "-g", "-pthread"] + (["-fopenmp"] if self.language == "openmp" else [])}


def generate(seed, folder):
    p = Program(seed)
    lines = list(p.text())
    if p.language == "openmp":
        lines.insert(3, "#include <omp.h>")
    truth = p.truth(lines)
    base = os.path.join(folder, truth["name"])
    with open(base + truth["suffix"], "w") as f:
        f.write("\n".join(lines) + "\n")
    with open(base + ".json", "w") as f:
        json.dump(truth, f, indent=1)
    return truth


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    print(generate(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ".")["what"])
