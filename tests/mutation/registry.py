# SPDX-License-Identifier: MIT
"""Fault and harmless classes by id.  A change takes (case, rng), changes the case
and says what it did; None: this class has nothing to change here."""
import re

FAULTS = {}      # (id, kind) -> change
HARMLESS = {}    # id -> change


def fault(name, *kinds):
    def put(change):
        for kind in kinds:
            FAULTS[name, kind] = change
        return change
    return put


def harmless(name):
    def put(change):
        HARMLESS[name] = change
        return change
    return put


def source_fault(name, pattern, kinds=("reviewed", "built")):
    """A change (files, name of the file, rng, case) -> text of what was done; of a file that matches @pattern."""
    def put(change):
        for kind in kinds:
            FAULTS[name, kind] = lambda case, rng, kind=kind: on_files(case, rng, kind, pattern, change)
        return change
    return put


def on_files(case, rng, kind, pattern, change):
    """Try the change on a copy now; the case repeats it on the files of its way."""
    files = {n: d.decode() for n, d in case.reviewed_files().items() if n.endswith((".c", ".h", ".plan"))}
    names = [n for n in sorted(files) if re.fullmatch(pattern, n)]
    # Each line of them is as likely; where the drawn file has no such place, the next one.
    first = rng.choices(names, [len(files[n]) for n in names])[0]
    for name in [first] + [n for n in names if n != first]:
        after = dict(files)
        what = change(after, name, rng, case)
        changed = {n: d.encode() for n, d in after.items() if d != files.get(n)}
        if what is not None and changed:
            setattr(case, kind, lambda all_files, changed=changed: all_files.update(changed))
            return what
    return None


def pick(rng, pattern, text, flags=re.M):
    """A match of @pattern in the code of @text, comments left out."""
    dead = [m.span() for m in re.finditer(r"/\*.*?\*/", text, re.S)]
    found = [m for m in re.finditer(pattern, text, flags) if not any(a <= m.start() < b for a, b in dead)]
    return rng.choice(found) if found else None


def put(text, match, new, group=0):
    return text[:match.start(group)] + new + text[match.end(group):]


def line_at(text, place):
    """What a reader calls the place: line number and its text."""
    number = text.count("\n", 0, place) + 1
    return "line %d `%s`" % (number, text.split("\n")[number - 1].strip()[:60])
