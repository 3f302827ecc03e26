#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ranges.py SEED: a C program of random loop nests over six arrays.

What its range probes say must be what the program touches, which the same source
says itself when it is compiled with -DLOG.  Odd seeds make programs in which
nothing keeps an access from being covered.
"""
import random
import sys

TYPES = {"char": [""], "short": [""], "int": [""], "double": [""],
         "struct small": [".x", ".y", ".z[0]", ".z[3]"], "struct large": [".a[0]", ".a[2]", ".b"]}
WORDS = ["int", "long", "size_t", "unsigned", "short"]


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.simple = seed % 2
        self.arrays = [self.r.choice(sorted(TYPES)) for _ in range(6)]
        self.words = [self.r.choice(WORDS) for _ in range(4)]
        self.loops = 0

    def bound(self):
        return f"n{self.r.randrange(4)}"

    def place(self, ivs):
        i, terms = self.r.randrange(6), []
        for v in ivs:
            factor = self.r.choice([0, 0, 1, 1, 2, 3, -1, 16, 40, "n", "(long)n"])
            if isinstance(factor, str):
                terms.append(f"{v} * {factor}{self.r.randrange(4)}")
            elif factor:
                terms.append(f"{v} * {factor}")
        terms.append(str(self.r.choice([0, 0, 1, -1, 5, 20])))
        return f"p{i}[500 + {' + '.join(terms)}]{self.r.choice(TYPES[self.arrays[i]])}"

    def statement(self, ivs):
        what = " + ".join([f"RD({self.place(ivs)})" for _ in range(self.r.randrange(3))] + [str(self.r.randrange(1, 9))])
        to = self.place(ivs)
        if self.r.random() < 0.5:
            what += f" + RD({to})"
        text = f"{{ __auto_type v = {what}; WR({to}) = v; }}"
        chance = self.r.random()
        if chance < 0.12:
            return f"if ({self.bound()} {self.r.choice(['>', '<', '==', '!='])} {self.r.choice([0, 2, 5])}) {text}"
        if chance < 0.2 and not self.simple:
            return f"if ({self.r.choice(ivs)} & {self.r.choice([1, 2, 4])}) {text}"
        return text

    def head(self, v, ivs):
        to = self.r.choice([self.bound()] * 3 + [str(self.r.choice([1, 3, 4, 9, 16, 20]))] +
                           ([f"{ivs[-1]} + 1", ivs[-1]] if ivs else []))
        shape = self.r.random()
        if shape < 0.6:
            t = self.r.choice(["int", "int", "long", "size_t", "unsigned"])
            start = self.r.choice(["0", "0", "1", "2"] + ivs[-1:])
            return f"for ({t} {v} = {start}; {v} < ({t})({to}); {v} += {self.r.choice([1, 1, 1, 2, 3])})"
        t = self.r.choice(["int", "long"])
        if shape < 0.8:
            return f"for ({t} {v} = ({t})({to}) - 1; {v} >= 0; {v}--)"
        return f"for ({t} {v} = 0; {v} < ({t})({to}); {v}++)"

    def loop(self, ivs, depth):
        v = f"i{self.loops}"
        self.loops += 1
        lines = [self.head(v, ivs) + " {"]
        for _ in range(self.r.randrange(1, 4)):
            if depth and self.r.random() < 0.55:
                lines += self.loop(ivs + [v], depth - 1)
            else:
                lines.append(self.statement(ivs + [v]))
        if self.r.random() < 0.08 and not self.simple:
            lines.append(f"if ({v} == {self.r.choice([2, 6])}) break;")
        return ["\t" + x for x in lines + ["}"]]

    def text(self):
        params = [f"{t} *p{i}" for i, t in enumerate(self.arrays)] + [f"{t} n{i}" for i, t in enumerate(self.words)]
        functions = 1 if self.simple else 3
        out = ['#include <stddef.h>', '#include "ranges.h"']
        for f in range(functions):
            out += [f"__attribute__((noipa)) void f{f}({', '.join(params)})", "{"]
            for _ in range(1 if self.simple else self.r.randrange(1, 3)):
                out += self.loop([], self.r.choice([1, 2, 2, 3]))
            out.append("}")
        out += ["int main(void)", "{"]
        for f in list(range(functions)) * 2:
            args = [f"(void *)(mem[{i}] + {self.r.choice([0, 0, 8, 16, 40])})" for i in range(6)]
            args += [str(self.r.choice([0, 1, 2, 3, 4, 5, 9, 13, 21])) for _ in range(4)]
            out.append(f"\tf{f}({', '.join(args)});")
        return "\n".join(out + ["\ttell();", "\treturn 0;", "}"])


print(Program(int(sys.argv[1])).text())
