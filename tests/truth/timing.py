# SPDX-License-Identifier: MIT
"""Facts of the timing programs: queue.c, cv.cc and sig.c say on top what is true of them."""
import collections
import re


def base(name):
    """`consume 2` and `consume 0..2` without the numbers."""
    return re.sub(r" \d+(\.\.\d+)?$", "", name)


class Answer:
    """What the verbs say of one timing run: report and waits as JSON, analyze as text."""

    def __init__(self, report, waits, analyze):
        self.report, self.waits, self.analyze = report, waits, analyze

    def threads(self):
        return collections.Counter(base(t["name"]) for t in self.report["threads"])

    def who(self):
        names = {w["who"] for w in self.waits["waits"]}
        return {base(n) for n in names | {p["name"] for w in self.waits["waits"] for p in w["whom"]} if n}

    def mutexes(self):
        """(object, line) of waits for mutexes"""
        return [(w["object"], w["line"]) for w in self.waits["waits"] if w["kind"] == "mutex"]


def names(a, expected):
    said = a.threads()
    if said != expected:
        yield f"threads are {dict(expected)}, not {dict(said)}"
    strange = a.who() - set(expected)
    if strange:
        yield f"waits name {', '.join(sorted(strange))}, which is no thread"


def queue(a):
    yield from names(a, collections.Counter(main=1, produce=1, consume=3))
    for o, line in a.mutexes():
        if o not in ("log_lock", "queue.lock"):
            yield f"the mutex of line {line} is called {o}"
    for q in a.waits["queues"]:
        ends = [base((q.get(k) or {}).get("name") or "") for k in ("producer", "consumer")]
        if ends != ["", ""] and ends != ["produce", "consume"]:
            yield f"the queue goes from {ends[0]} to {ends[1]}, not from produce to consume"


def cv(a):
    yield from names(a, collections.Counter({"main": 1, "Pool::loop": 4}))
    for o, line in a.mutexes():
        if not re.search(r"\b(queue_mutex|stats_mutex)\b", o or ""):
            yield f"the mutex of line {line} is called {o}"


def sig(a):
    yield from names(a, collections.Counter(main=1, service=1, worker=6))
    idle = re.search(r"while nobody worked, (\d+) %", a.analyze)
    if idle and int(idle[1]) > 5:
        yield f"'{idle[0]}', but the workers never paused"
    if "worker" not in {f["name"] for f in a.report["functions"]}:
        yield "worker, where the time goes, is not among the functions"


FACTS = {"queue": queue, "cv": cv, "sig": sig}
