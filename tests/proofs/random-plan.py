#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random-plan.py SEED [KIND]: a plan that perseus codegen must take, on stdout.

The same seed gives the same plan: the generator of numbers is our own.  KIND
(start, phase or call) holds the plan to that kind; without it the seed decides.
"""
import math
import sys

MASK = (1 << 64) - 1
NONE = None

# Texts that try to leave a comment, a string, a field or a macro's name.
AWKWARD = [
    "*/ int oops; /*", "/* open", "ends in *", "ends in /", "// line", "???/", "??/", "trailing \\", "a\\\nb",
    "=1+1", "+cmd", "@sum", "tab\there", "quote \" and ' and `", "100 % of %n %s", "", " ", "  two  blanks  ",
    "\u00fcber die Br\u00fccke", "\u6f22\u5b57 \u2192 \U0001f600", "\u202eltr", "x" * 300, "#define main 1", "$(id)", "a,b;c",
    "worker 1", "worker_1", "Worker-1", "main", "\u00e9", "9lives", "default:", "}", "@if steps", "@end",
]
CALLEES = ["pthread_barrier_wait", "pthread_mutex_lock", "fir", "sem_wait", "operator/",
           "_ZNSt6threadC2IRFvvEJEvEEOT_DpOT0_", "std::vector<int, A<B*> >::push_back(int&&)", "f*/g", "MPI_Barrier"]
# What a plan of kind `phase` may hang a trigger on.
BARRIERS = ["pthread_barrier_wait", "pthread_join", "pthread_cond_wait", "sem_wait", "MPI_Barrier", "GOMP_barrier"]
UNITS = ["src/radar main.c", "fir.c", "a*/b.cc", "../x.c", "\u00fcnit.c", "/usr/include/c++/12/bits/std_thread.h"]
NAMES = ["worker", "rx", "tx", "logger", "decode", "std::thread", "std::pair<int*, char>/2", "operator*/"]
KHZ = [800000, 1200000, 1587000, 1853000, 2600000, 100000000]


class Random:
    """splitmix64"""

    def __init__(self, seed):
        self.state = (seed * 0x9E3779B97F4A7C15) & MASK

    def word(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n):
        return self.word() % n

    def chance(self, percent):
        return self.below(100) < percent

    def of(self, items):
        return items[self.below(len(items))]


def quoted(text):
    out = ""
    for c in text:
        if c in '"\\':
            out += "\\" + c
        elif ord(c) < 0x20:
            out += "\\x%02x" % ord(c)
        else:
            out += c
    return '"' + out + '"'


def text_of(r, usual):
    return r.of(AWKWARD) if r.chance(20) else r.of(usual)


class Plan:
    def __init__(self, seed, kind):
        r = self.r = Random(seed)
        self.kind = kind or r.of(["start", "phase", "call", "call"])
        self.n_cores = r.of([1, 2, 4, 8, 64])
        self.max_core = self.n_cores - 1 + r.of([0, 0, 1, 63])
        self.cores = sorted({r.below(self.max_core + 1) for _ in range(self.n_cores)})
        self.with_steps = r.chance(60)
        self.with_pins = r.chance(85)
        self.n_threads = r.of([1, 2, 3, 5, 8, 16, 33, 64])
        self.n_triggers = r.of([0, 1, 2, 4, 10, 25, 50])
        self.make_sites()
        self.make_threads()
        self.make_triggers()

    def make_sites(self):
        r = self.r
        self.sites = []
        for i in range(r.of([1, 2, 4, 9])):
            again = self.sites and r.chance(10)
            callee = r.of(BARRIERS) if self.kind == "phase" else text_of(r, CALLEES)
            self.sites.append({
                # Two numbers may name one site: it is one place in the program.
                "id": self.sites[-1]["id"] if again else "%016x" % r.word(),
                "instance": self.sites[-1]["instance"] if again else r.of(["*", "00000000", "%08x" % r.below(1 << 32)]),
                "unit": r.of(UNITS), "function": text_of(r, ["main", "worker", "run"]), "callee": callee,
                "file": text_of(r, UNITS), "line": r.below(100000)})

    def site_key(self, i):
        return None if i is None else (self.sites[i]["id"], self.sites[i]["instance"])

    def make_threads(self):
        r = self.r
        placed = r.of([0, 50, 100]) if self.with_pins else 0
        in_library = r.of([0, 20, 100])
        self.threads = [{"name": "main", "creator": NONE, "site": NONE, "ordinal": 0}]
        taken = {}
        for i in range(1, self.n_threads):
            creator = NONE if r.chance(5) else 0 if r.chance(60) else r.below(i)
            site = NONE if creator is NONE or r.chance(in_library) else r.below(len(self.sites))
            key = (creator, self.site_key(site))
            taken[key] = taken.get(key, -1) + 1 + (r.below(3) if r.chance(10) else 0)
            self.threads.append({"name": text_of(r, NAMES), "creator": creator, "site": site, "ordinal": taken[key]})
        for i, t in enumerate(self.threads):
            seen = i == 0 or t["creator"] is not NONE
            t["core"] = r.of(self.cores) if seen and r.chance(placed) else NONE

    def action(self):
        r = self.r
        if self.with_steps and (not self.with_pins or r.chance(40)):
            return ("step", r.below(min(self.max_core + 1, 8)), r.of(KHZ))
        return ("pin", r.of(self.cores))

    def actions(self):
        wanted = 1 + (self.r.below(4) if self.r.chance(30) else 0)
        chosen = {}
        for _ in range(wanted):
            a = self.action()
            chosen.setdefault(a[:-1], a)
        return list(chosen.values())

    def trigger(self, number, able, repeated):
        r = self.r
        at = "call" if self.kind != "start" and r.chance(75) else r.of(["program-start", "thread-start"])
        t = {"number": number, "at": at, "thread": 0 if at == "program-start" else r.of(able),
             "actions": self.actions()}
        if at == "call":
            t["site"] = r.below(len(self.sites))
            t["after"] = r.of(["true", "false"]) if self.kind == "call" else "true"
            t["first"] = r.of([1, 1, 1, 2, 3, 9, 1000, 4294967294])
            t["every"] = r.of([1, 1, 2, 7, 1000, 4294967294]) if r.chance(repeated) else 0
        return t

    def together(self, a, b):
        """Can both act at one moment of one thread?"""
        if a["thread"] != b["thread"] or (a["at"] == "call") != (b["at"] == "call"):
            return False
        if a["at"] != "call":
            return True
        if a["after"] != b["after"] or self.site_key(a["site"]) != self.site_key(b["site"]):
            return False
        low, high = sorted((a, b), key=lambda t: t["first"])
        apart = high["first"] - low["first"]
        if low["every"] == 0:
            return apart == 0
        return apart % math.gcd(low["every"], high["every"] if high["every"] else low["every"]) == 0

    def contradicts(self, t):
        """Would something be set to two values at one time?"""
        others = [o for o in self.triggers if self.together(o, t)]
        values = {}
        for a in [a for o in others + [t] for a in o["actions"]]:
            values.setdefault(a[:-1], set()).add(a[-1])
        core = self.threads[t["thread"]]["core"]
        if t["at"] != "call" and core is not NONE:
            values.setdefault(("pin",), set()).add(core)
        return any(len(v) > 1 for v in values.values())

    def make_triggers(self):
        r = self.r
        self.triggers = []
        number = 0
        able = [i for i, t in enumerate(self.threads) if i == 0 or t["creator"] is not NONE]
        if not self.with_steps and not self.with_pins:
            return
        repeated = r.of([0, 30, 100])
        for _ in range(self.n_triggers):
            number += 1 + (r.below(150) if r.chance(20) else 0)
            for _ in range(20):
                t = self.trigger(number, able, repeated)
                if not self.contradicts(t):
                    self.triggers.append(t)
                    break

    def reason(self, indent):
        r = self.r
        if r.chance(80):
            print(indent + "evidence: " + quoted(r.of(["share-001274", "phase-000031,share-000002", r.of(AWKWARD)])))
        if r.chance(90):
            print(indent + "reason: " + quoted(text_of(r, ["keeps its line in one cache", "alone in this phase"])))

    def print_head(self):
        zero = "0" * 64
        print("perseus: plan\nversion: 1\nprogram: " + quoted(text_of(self.r, ["radar", "pairs"])))
        print('model_sha256: "%s"\nplatform_name: "lab"\nplatform_sha256: "%s"' % (zero, zero))
        print("n_cores: %d\nmax_core_id: %d" % (self.n_cores, self.max_core))
        if self.r.chance(50):
            print('cpu: "Intel(R) Xeon(R) CPU E5320 @ 1.86GHz"')
        print("objective: time\nkind: %s\nseed: 1" % self.kind)
        print('method: "exact"\nevaluations: 1\nbaseline: "spread"\nbase_time_ns: 2\ntime_ns: 1\nproven: true')

    def print_threads(self):
        print("threads:")
        for i, t in enumerate(self.threads):
            print("  - index: %d\n    name: %s" % (i, quoted(t["name"])))
            if t["creator"] is not NONE:
                print("    creator: %d" % t["creator"])
            if t["site"] is not NONE:
                print("    create_site: %d" % t["site"])
            print("    ordinal: %d" % t["ordinal"])
            if t["core"] is not NONE:
                print("    core: %d" % t["core"])
            self.reason("    ")

    def print_sites(self):
        print("sites:")
        for i, s in enumerate(self.sites):
            print("  - index: %d" % i)
            for key in ("id", "instance", "unit", "function", "callee", "file"):
                print("    %s: %s" % (key, quoted(s[key])))
            print("    line: %d" % s["line"])

    def print_triggers(self):
        if self.triggers:
            print("triggers:")
        for t in self.triggers:
            print("  - number: %d\n    at: %s\n    thread: %d" % (t["number"], t["at"], t["thread"]))
            if t["at"] == "call":
                for key in ("site", "after", "first", "every"):
                    print("    %s: %s" % (key, t[key]))
            print("    actions:")
            for a in t["actions"]:
                keys = ("kind", "core") if a[0] == "pin" else ("kind", "domain", "khz")
                print("      - " + "\n        ".join("%s: %s" % p for p in zip(keys, a)))
            self.reason("    ")

    def sets(self):
        return self.triggers or any(t["core"] is not NONE for t in self.threads)

    def print(self):
        self.print_head()
        self.print_threads()
        self.print_sites()
        self.print_triggers()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: random-plan.py SEED [KIND]")
    sys.stdout.reconfigure(encoding="utf-8")
    wanted = int(sys.argv[1])
    plan = Plan(wanted, sys.argv[2] if len(sys.argv) > 2 else None)
    while not plan.sets():  # codegen writes nothing for such a plan
        wanted += 1000
        plan = Plan(wanted, plan.kind)
    plan.print()
