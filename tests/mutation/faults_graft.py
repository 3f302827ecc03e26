# SPDX-License-Identifier: MIT
"""Faults in source that was grafted by hand: the patch of the generator applied, then one thing wrong."""
import re

from registry import FAULTS, fault, harmless, pick

STATEMENT = r"(?m)^([ \t]*)(perseus_(?:trigger_\d+|create_\d+_begin|create_end|program_start)\(\);)[^\n]*\n"


def graft(case, plan=None):
    """The user's source with the calls of the plan in it; None if the generator leaves something to do by hand."""
    s = case.subject
    measured = case.lab.must([s.compiler] + [f for f in s.flags if f != "-flto"] + ["-fplugin=" + case.lab.plugin, "-c", "-o", "m.o", s.source],
                             {s.source: s.text}, ["m.o"]).files["m.o"]
    argv = ["perseus", "codegen", "plan.yaml", "-o", "gen", "--graft=src", "--program=m.o"]
    r = case.lab.run(argv, {"plan.yaml": plan or case.plan, "src/" + s.source: s.text, "m.o": measured}, ["gen"])
    if r.status != 0 or "gen/perseus_graft.patch" not in r.files:
        return None
    patch = r.files["gen/perseus_graft.patch"]
    r = case.lab.run(["sh", "-c", "cd src && patch -s -p1 <../graft.patch"], {"src/" + s.source: s.text, "graft.patch": patch}, ["src"])
    return r.files["src/" + s.source].decode() if r.status == 0 else None


def graft_fault(name):
    """A change (text, rng, case) -> (text, what) or None."""
    def put(change):
        def apply(case, rng):
            text = graft(case)
            if text is None:
                return None
            out = change(text, rng, case)
            if out is None or out[0] == text:
                return None
            case.grafted = out[0].encode()
            return out[1]
        FAULTS[name, "reviewed"] = apply
        return change
    return put


def without(text, m):
    return text[:m.start()] + text[m.end():]


@graft_fault("graft-drop")
def drop(text, rng, _):
    m = pick(rng, STATEMENT, text)
    return (without(text, m), "`%s` is missing" % m.group(2)) if m else None


@graft_fault("graft-line")
def line(text, rng, _):
    m = pick(rng, STATEMENT, text)
    if not m:
        return None
    rest = without(text, m)
    if rng.random() < 0.5:
        to = rest.find("\n", m.start()) + 1
    else:
        to = rest.rfind("\n", 0, m.start() - 1) + 1
    over = rest[min(to, m.start()):max(to, m.start())]
    over = re.sub(r"\bmem(?:set|cpy|move|cmp)\s*\(", "", over)  # a compiler puts these anywhere itself
    if not re.search(r"\w\s*\(|[{}]|\breturn\b", over):
        return None  # a line without a call: on which side of a call is asked, and that stays
    return rest[:to] + m.group(0) + rest[to:], "`%s` one line too %s" % (m.group(2), "late" if to > m.start() else "early")


@graft_fault("graft-number")
def number(text, rng, _):
    m = pick(rng, r"perseus_(?:trigger_\d+|create_\d+_begin)\(\)", text)
    names = sorted(set(re.findall(r"perseus_(?:trigger_\d+|create_\d+_begin|create_end)\(\)", text)) - {m.group(0)})
    new = rng.choice(names)
    return text[:m.start()] + new + text[m.end():], "%s is %s" % (m.group(0), new)


@graft_fault("graft-side")
def side(text, rng, _):
    """The call and the statement beside it change places; a call in a comma expression goes behind it."""
    m = pick(rng, r"(?m)^([ \t]*perseus_trigger_\d+\(\);[^\n]*\n)([ \t]*[^\n{}]*;[^\n]*\n)|^([ \t]*[^\n{}]*\([^\n{}]*;\n)([ \t]*perseus_trigger_\d+\(\);[^\n]*\n)", text)
    if not m:
        return None
    a, b = (m.group(1), m.group(2)) if m.group(1) else (m.group(3), m.group(4))
    return text[:m.start()] + b + a + text[m.end():], "`%s` and `%s` exchanged" % (a.strip(), b.strip())


@graft_fault("graft-braces")
def braces(text, rng, case):
    """The braces that the patch put round a call and its statement are forgotten."""
    found = [m for m in re.finditer(r"(?m)^([^\n]*\)) \{\n((?:[ \t]*[^\n{}]*;[^\n]*\n){2,4})[ \t]*\}", text)
             if "perseus_" in m.group(2) and m.group(1) + " {" not in case.subject.text.decode()]
    if not found:
        return None
    m = rng.choice(found)
    return text[:m.start()] + m.group(1) + "\n" + m.group(2) + text[m.end():], "braces gone: `%s`" % m.group(1).strip()


@graft_fault("graft-twice")
def twice(text, rng, _):
    m = pick(rng, STATEMENT, text)
    return (text[:m.start()] + m.group(0) + text[m.start():], "`%s` twice" % m.group(2)) if m else None


@graft_fault("graft-guard")
def guard(text, rng, _):
    m = pick(rng, STATEMENT, text)
    if not m:
        return None
    new = "%sif (%s)\n%s\t%s\n" % (m.group(1), rng.choice(["perseus_status.started > 2u", "perseus_status.machine != 0u"]), m.group(1), m.group(2))
    return text[:m.start()] + new + text[m.end():], "`%s` under a condition" % m.group(2)


@graft_fault("graft-create")
def create(text, rng, _):
    begins = list(re.finditer(r"perseus_create_\d+_begin\(\)", text))
    ends = list(re.finditer(r"perseus_create_end\(\)", text))
    if not begins or not ends:
        return None
    way = rng.choice(["begin", "end", "swap"])
    if way == "swap":
        b, e = begins[0], ends[0]
        text = text[:e.start()] + b.group(0) + text[e.end():]
        return text[:b.start()] + e.group(0) + text[b.end():], "marks of a creation exchanged"
    m = rng.choice(begins if way == "begin" else ends)
    return text[:m.start()] + "(void)0" + text[m.end():], "%s of a creation gone" % way


@graft_fault("graft-start")
def start(text, rng, _):
    m = re.search(r"(?m)^[ \t]*perseus_program_start\(\);[^\n]*\n", text)
    if not m:
        return None
    if rng.random() < 0.5:
        return without(text, m), "the start call is gone"
    rest = without(text, m)
    calls = [k.end() for k in re.finditer(r"(?m)^\t[a-z_]+\([^\n]*\);\n", rest) if k.start() > m.start()]
    if not calls:
        return None
    to = rng.choice(calls)
    return rest[:to] + m.group(0) + rest[to:], "the start call is late"


@fault("graft-stale", "built")
def stale(case, rng):
    """The patch of an earlier plan is still in the source."""
    from faults_build import earlier_plan
    text = graft(case, earlier_plan(case, rng))
    if text is None:
        return None
    case.grafted = text.encode()
    return "grafted with the patch of another plan"


@harmless("ok-graft")
def good_graft(case, rng):
    """Grafted by hand as the generator says, by any compiler."""
    text = graft(case)
    if text is None:
        return None
    case.grafted = text.encode()
    case.flags = [f for f in case.flags if not f.startswith("-O")] + [rng.choice(["-O0", "-O1", "-O2", "-O3"])]
    return "grafted source, user code with " + case.flags[-1]
