# SPDX-License-Identifier: MIT
"""What is true of a generated program, and whether an answer of `perseus conflicts` says so."""
import os
import re

LINE = 64


class Use:
    """A thread's use of a cell: its bytes, as the program printed them."""

    def __init__(self, cell, thread, address, size):
        self.cell, self.thread, self.address, self.size = cell, thread, address, size

    def lines(self):
        return range(self.address // LINE, (self.address + self.size - 1) // LINE + 1)

    def overlaps(self, other):
        return self.address < other.address + other.size and other.address < self.address + self.size


def read_uses(text):
    """The lines `@ CELL THREAD ADDRESS SIZE`, each use once."""
    seen = {}
    for cell, thread, address, size in re.findall(r"^@ (\w+) (\d+) ([0-9a-f]+) ([0-9a-f]+)$", text, re.M):
        seen[cell, int(thread)] = Use(cell, int(thread), int(address, 16), int(size, 16))
    return list(seen.values())


def layout(uses):
    """Which uses of two threads lie on one line, and whether in the same bytes: what must not change by recording."""
    out = set()
    for i, u in enumerate(uses):
        for v in uses[i + 1:]:
            if u.thread != v.thread and set(u.lines()) & set(v.lines()):
                out.add((*sorted([(u.cell, u.thread), (v.cell, v.thread)]), u.overlaps(v)))
    return out


class Conflict:
    """Two uses of one line by threads that run at the same time, one of them writing."""

    def __init__(self, u, v, heat):
        self.u, self.v, self.heat = u, v, heat
        self.kind = "true" if u.overlaps(v) else "false"


def conflicts(truth, uses):
    if truth["sequential"]:
        return []
    out, cells = [], truth["cells"]
    for i, u in enumerate(uses):
        for v in uses[i + 1:]:
            a, b = cells[u.cell], cells[v.cell]
            if u.thread == v.thread or not set(u.lines()) & set(v.lines()) or not (a["write"] or b["write"]):
                continue
            heats = {a["heat"], b["heat"]}
            heat = "rare" if "rare" in heats else "gray" if "gray" in heats else "hot"
            if truth["pinned"] and (u.thread - v.thread) % truth["cores"] == 0 and heat == "hot":
                heat = "gray"  # on one core: they take turns
            if truth.get("long_slices") and truth["threads"] > truth["cores"] and heat == "hot":
                heat = "gray"
            out.append(Conflict(u, v, heat))
    return out


def groups(truth, found):
    """Conflicts joined by the objects that they are in: one finding is expected of each group."""
    parent = {}

    def root(o):
        while parent.setdefault(o, o) != o:
            o = parent[o]
        return o

    for c in found:
        parent[root(truth["cells"][c.u.cell]["object"])] = root(truth["cells"][c.v.cell]["object"])
    out = {}
    for c in found:
        out.setdefault(root(truth["cells"][c.u.cell]["object"]), []).append(c)
    return list(out.values())


def marks(folder, units):
    """({(file, line): cells}, {object: {(file, line)}}) of the marks in the text"""
    cells, objects = {}, {}
    for unit in units:
        for n, line in enumerate(open(os.path.join(folder, unit)), 1):
            for name in re.findall(r"/\* <- (\w+) \*/", line):
                cells.setdefault((unit, n), set()).add(name)
            for name in re.findall(r"/\* = (\w+) \*/", line):
                objects.setdefault(name, set()).add((unit, n))
    return cells, objects


class Verdict:
    """Faults by class, and what was counted right."""

    def __init__(self):
        self.faults = []  # (class, text)
        self.count = dict.fromkeys(("expected", "found", "kind", "sides", "object", "field", "line", "named"), 0)

    def fault(self, kind, text):
        self.faults.append((kind, text))

    def classes(self):
        return sorted({k for k, _ in self.faults})


class Judge:
    def __init__(self, truth, folder, uses, answer):
        self.truth, self.answer = truth, answer
        self.cell_at, self.places = marks(folder, truth["units"])
        self.conflicts = conflicts(truth, uses)
        self.groups = groups(truth, self.conflicts)
        self.verdict = Verdict()

    def object_of(self, finding):
        """The objects of the program that a finding's text names."""
        text = finding["object"].replace("`", "") + " " + finding["subject"]
        out = set()
        for o, what in self.truth["objects"].items():
            near = any(re.search(rf"{re.escape(f)}:{n}(?!\d)", text) for f, n in self.places.get(o, ()))
            if near or any(re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text) for n in what["names"]):
                out.add(o)
        return out

    def cells_of_side(self, side):
        return self.cell_at.get((os.path.basename(side["file"] or ""), side["line"]), set())

    def objects_of_lines(self, finding):
        cells = {c for p in finding["pairs"] for s in "ab" for c in self.cells_of_side(p[s])}
        return {self.truth["cells"][c]["object"] for c in cells}

    def judge(self):
        v = self.verdict
        todo = [f for f in self.answer["findings"] if f["significant"]]
        for g in self.groups:
            todo = self.judge_group(g, todo)
        for f in todo:
            v.fault("invented", f"{f['kind']} {f['subject']} ({f.get('cost_percent', 0):.1f} %)")
        return v

    def judge_group(self, group, todo):
        """Findings that are left after those of this group."""
        v = self.verdict
        objects = {self.truth["cells"][u.cell]["object"] for c in group for u in (c.u, c.v)}
        mine = [f for f in todo if self.object_of(f) & objects or self.objects_of_lines(f) & objects]
        heats = {c.heat for c in group}
        if heats == {"rare"}:
            for f in mine:
                v.fault("harmless", f"{f['kind']} {f['subject']} is rare, but said to cost {f.get('cost_percent', 0):.1f} %")
            return [f for f in todo if f not in mine]
        if "hot" in heats:
            v.count["expected"] += 1
            v.count["found"] += bool(mine)
            if not mine:
                self.missed(group, objects)
        kinds = {c.kind for c in group if c.heat != "rare"}
        for f in mine:
            self.judge_finding(f, group, objects, kinds, "hot" in heats)
        return [f for f in todo if f not in mine]

    def missed(self, group, objects):
        kinds = "/".join(sorted({c.kind for c in group if c.heat == "hot"}))
        small = [f for f in self.answer["findings"] if self.object_of(f) & objects or self.objects_of_lines(f) & objects]
        if any(f["perhaps_significant"] for f in small):
            self.verdict.fault("perhaps", f"{small[0]['kind']} {small[0]['subject']}: it may cost more, says the answer")
        elif small:
            self.verdict.fault("insignificant", f"{small[0]['kind']} {small[0]['subject']}: {small[0].get('cost_percent', '?')} % only")
        else:
            self.verdict.fault("missed", f"{kinds} of {' '.join(sorted(objects))}")

    def judge_finding(self, f, group, objects, kinds, required):
        v, kind = self.verdict, f["kind"].removesuffix("-sharing")
        right = kind in kinds
        v.count["kind"] += right and required
        if not right:
            v.fault("kind", f"{kind} instead of {'/'.join(sorted(kinds))}: {f['subject']}")
        v.count["named"] += 1
        in_pairs = {self.truth["cells"][c]["object"] for c in self.seen_cells(f)} & objects or objects
        named = self.object_of(f)
        if in_pairs <= named:
            v.count["object"] += 1
        else:
            v.fault("object", f"'{f['object']}' does not name {' '.join(sorted(in_pairs - named))}")
        for p in f["pairs"]:
            self.judge_pair(p, group)

    def seen_cells(self, f):
        return {c for p in f["pairs"] for s in "ab" for c in self.cells_of_side(p[s])}

    def judge_pair(self, p, group):
        v = self.verdict
        sides = [self.cells_of_side(p[s]) for s in "ab"]
        for s, cells in zip("ab", sides):
            side = p[s]
            v.count["sides"] += 1
            where = f"{side['function']} {os.path.basename(side['file'] or '?')}:{side['line']} '{side['field']}' {side['access']}"
            met = {u.cell for c in group for u in (c.u, c.v)}
            if not cells & met:
                v.fault("line", f"{where}: no access of this line is in the dispute")
                continue
            v.count["line"] += 1
            want = {n for c in cells & met for n in self.truth["cells"][c]["fields"]}
            said = side["field"] or ""  # with or without the index of an element
            if (not want and not said) or {said, re.sub(r"\[\d+(\.\.\d+)?\]", "[]", said)} & want:
                v.count["field"] += 1
            else:
                v.fault("field", f"{where}: field is {' or '.join(sorted(want)) or 'none'}")
        # A pair of threads may meet in several fields; its sides name one each.  Threads of one
        # round after the other hand the same field over.
        if self.truth["sync"] == "rejoin" and sides[0] & sides[1]:
            return
        kinds, kind = {c.kind for c in group}, p["kind"].removesuffix("-sharing")
        if kind != "unclear" and kind not in kinds:
            v.fault("pair-kind", f"{kind} instead of {'/'.join(sorted(kinds))}: {p['a']['field']} and {p['b']['field']}")
