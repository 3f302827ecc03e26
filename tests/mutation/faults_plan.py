# SPDX-License-Identifier: MIT
"""Faults in plan.yaml: before everything is made from it, or in what is judged."""
from plantext import PlanText
from registry import fault

CHANGES = {}


def plan_fault(name, needs_model=True):
    """(plan, rng, case) -> what was done."""
    def put(change):
        CHANGES[name] = change

        def reviewed(case, rng):
            if needs_model and not case.subject.model:
                return None
            plan = PlanText(case.plan)
            what = change(plan, rng, case)
            if what is None or plan.bytes() == case.plan:
                return None
            case.plan = plan.bytes()
            return what
        fault(name, "reviewed")(reviewed)
        return change
    return put


def placed(plan):
    return [t for t in plan.items("threads") if plan.get("core", t)]


def at_calls(plan):
    return [t for t in plan.items("triggers") if plan.get("at", t) == "call"]


def cores(plan):
    return list(range(plan.number("n_cores")))


def other(rng, values, than):
    rest = [v for v in values if v != than]
    return rng.choice(rest) if rest else None


def set_to(plan, span, key, new, what):
    old = plan.get(key, span)
    if new is None or str(new) == old:
        return None
    plan.set(key, new, span)
    return "%s: %s %s is %s" % (what, key, old, new)


def named(plan, span):
    return "thread %s" % plan.get("index", span) if plan.get("index", span) else "trigger %s" % plan.get("number", span)


@plan_fault("plan-core")
def core(plan, rng, _):
    t = rng.choice(placed(plan))
    return set_to(plan, t, "core", other(rng, cores(plan), plan.number("core", t)), named(plan, t))


@plan_fault("plan-core-unknown", needs_model=False)
def core_unknown(plan, rng, _):
    t = rng.choice(placed(plan))
    return set_to(plan, t, "core", plan.number("n_cores") + rng.choice([0, 1, 60]), named(plan, t))


@plan_fault("plan-core-swap")
def core_swap(plan, rng, _):
    a, b = rng.sample(placed(plan), 2)
    if plan.get("core", a) == plan.get("core", b):
        return None
    plan.exchange(a, b, "core")
    return "%s and %s exchange cores" % (named(plan, a), named(plan, b))


def actions_with(plan, triggers, key):
    return [(t, a) for t in triggers for a in plan.actions(t) if plan.get(key, a)]


@plan_fault("plan-trigger-core")
def trigger_core(plan, rng, _):
    found = actions_with(plan, plan.items("triggers"), "core")
    if not found:
        return None
    t, a = rng.choice(found)
    return set_to(plan, a, "core", other(rng, cores(plan), plan.number("core", a)), named(plan, t))


@plan_fault("plan-occurrence")
def occurrence(plan, rng, _):
    found = at_calls(plan)
    if not found:
        return None
    t = rng.choice(found)
    first = plan.number("first", t)
    return set_to(plan, t, "first", max(first + rng.choice([-1, 1, 7]), 1), named(plan, t))


@plan_fault("plan-every")
def every(plan, rng, _):
    found = at_calls(plan)
    if not found:
        return None
    t = rng.choice(found)
    return set_to(plan, t, "every", other(rng, [0, 1, 2, 3], plan.number("every", t)), named(plan, t))


@plan_fault("plan-side")
def side(plan, rng, _):
    found = at_calls(plan)
    if not found:
        return None
    t = rng.choice(found)
    return set_to(plan, t, "after", "false" if plan.get("after", t) == "true" else "true", named(plan, t))


@plan_fault("plan-trigger-thread")
def trigger_thread(plan, rng, _):
    found = plan.items("triggers")
    if not found:
        return None
    t = rng.choice(found)
    return set_to(plan, t, "thread", other(rng, range(len(plan.items("threads"))), plan.number("thread", t)), named(plan, t))


@plan_fault("plan-trigger-drop")
def trigger_drop(plan, rng, _):
    found = plan.items("triggers")
    if not found:
        return None
    t = rng.choice(found)
    what = named(plan, t) + " is left out"
    if len(found) == 1:
        t = (t[0] - 1, t[1])
    plan.drop(t)
    return what


@plan_fault("plan-trigger-twice", needs_model=False)
def trigger_twice(plan, rng, case):
    found = plan.items("triggers")
    if not found:
        return None
    t = rng.choice(found)
    copy = plan.lines[t[0]:t[1]]
    what = named(plan, t) + " twice"
    if case.subject.model and rng.random() < 0.5:
        last = max(plan.number("number", s) for s in found)
        copy[0] = "  - number: %d\n" % (last + 1)
        what += ", under a number of its own"
        t = (t[0], found[-1][1])
    plan.lines[t[1]:t[1]] = copy
    return what


@plan_fault("plan-trigger-site")
def trigger_site(plan, rng, _):
    found = at_calls(plan)
    if not found:
        return None
    t = rng.choice(found)
    return set_to(plan, t, "site", other(rng, range(len(plan.items("sites"))), plan.number("site", t)), named(plan, t))


@plan_fault("plan-action-drop")
def action_drop(plan, rng, _):
    found = [(t, a) for t in plan.items("triggers") for a in plan.actions(t)]
    if not found:
        return None
    t, a = rng.choice(found)
    what = "%s: an action is left out" % named(plan, t)
    plan.drop(a)
    return what


@plan_fault("plan-step")
def step(plan, rng, _):
    found = actions_with(plan, plan.items("triggers"), "domain")
    if not found:
        return None
    t, a = rng.choice(found)
    if rng.random() < 0.5:
        return set_to(plan, a, "domain", other(rng, cores(plan), plan.number("domain", a)), named(plan, t))
    khz = plan.number("khz", a)
    known = sorted({plan.number("khz", b) for _, b in found} | {2000000, 1500000, 1587000, 1853000})
    return set_to(plan, a, "khz", other(rng, known, khz), named(plan, t))


@plan_fault("plan-thread-drop")
def thread_drop(plan, rng, _):
    t = rng.choice(plan.items("threads"))
    what = named(plan, t) + " is left out"
    plan.drop(t)
    return what


@plan_fault("plan-creator")
def creator(plan, rng, _):
    found = [t for t in plan.items("threads") if plan.get("creator", t)]
    t = rng.choice(found)
    key = rng.choice(["creator", "create_site", "ordinal"])
    if key == "ordinal" and rng.random() < 0.5:
        a, b = rng.sample(found, 2)
        plan.exchange(a, b, "ordinal")
        return "%s and %s exchange ordinals" % (named(plan, a), named(plan, b))
    limit = {"creator": len(plan.items("threads")), "create_site": len(plan.items("sites")), "ordinal": 9}[key]
    old = plan.number(key, t)
    return None if old is None else set_to(plan, t, key, other(rng, range(limit), old), named(plan, t))


@plan_fault("plan-figure")
def figure(plan, rng, _):
    keys = [k for k in ("time_ns", "energy_nj", "base_time_ns", "base_energy_nj", "bound_time_ns", "bound_energy_nj",
                        "relaxed_time_ns", "relaxed_energy_nj", "peak_mw", "base_peak_mw") if plan.get(k)]
    key = rng.choice(keys)
    old = plan.number(key)
    # A bound found by search is not computed again; one that the plan itself beats is a contradiction.
    new = old + rng.choice([-1, 1]) if not key.startswith("bound") else plan.number(key[6:]) + 1
    plan.set(key, new)
    return "%s %d is %d" % (key, old, new)


@plan_fault("plan-input-hash")
def input_hash(plan, rng, _):
    key = rng.choice(["model_sha256", "platform_sha256"])
    old = plan.get(key)
    i = rng.randrange(1, 65)
    plan.set(key, old[:i] + ("0" if old[i] != "0" else "1") + old[i + 1:])
    return key + " has another digit"


@plan_fault("plan-machine")
def machine(plan, rng, case):
    key = rng.choice([k for k in ("n_cores", "max_core_id", "cpu") if plan.get(k)])
    if key == "cpu":
        plan.set(key, rng.choice(['"i386"', '"AMD EPYC 7742"']))
    else:
        plan.set(key, plan.number(key) + rng.choice([-1, 1]))
    return key + " is another one"


@plan_fault("plan-reason")
def reason(plan, rng, _):
    found = [i for i, l in enumerate(plan.lines) if l.strip().startswith("reason: ")]
    if not found:
        return None
    i = rng.choice(found)
    plan.lines[i] = plan.lines[i].rstrip()[:-1] + rng.choice([", as seen on the bench", " /* */ ??/", " \\u00b5s"]) + '"\n'
    return "a longer reason"


@plan_fault("plan-evidence")
def evidence(plan, rng, _):
    found = [i for i, l in enumerate(plan.lines) if l.strip().startswith("evidence: ")]
    if not found:
        return None
    i = rng.choice(found)
    old = plan.lines[i]
    plan.lines[i] = old.split(": ")[0] + ': "share-999999"\n'
    return "evidence %s is share-999999" % old.split(": ")[1].strip()


@plan_fault("plan-site-text", needs_model=False)
def site_text(plan, rng, _):
    s = rng.choice(plan.items("sites"))
    key = rng.choice(["function", "callee", "unit", "file", "line"])
    old = plan.get(key, s)
    if key == "line":
        new = int(old) + rng.choice([-1, 1, 10])
    else:
        new = '"%s"' % rng.choice(["main", "printf", "other.c", "half", "pthread_join"])
    return set_to(plan, s, key, new, "site %s" % plan.get("index", s))


@plan_fault("plan-instance", needs_model=False)
def instance(plan, rng, _):
    s = rng.choice(plan.items("sites"))
    return set_to(plan, s, "instance", '"%08x"' % rng.randrange(1, 1 << 32), "site %s" % plan.get("index", s))


def rough(plan, rng):
    """(what, bytes) of a plan that is no longer in canonical form."""
    data = plan.bytes()
    number = rng.choice([i for i, l in enumerate(plan.lines) if l.startswith("    core: ")] or [3])
    line = plan.lines[number].rstrip()
    value = line.split(": ")[-1]
    ways = {
        "an unknown key": data.replace(b"seed: ", b"sed: 1\nseed: ", 1),
        "a key twice": data.replace(b"objective: ", b"seed: 7\nobjective: ", 1),
        "a key of a thread twice": data.replace((line + "\n").encode(), (line + "\n" + line + "\n").encode(), 1),
        "CRLF": data.replace(b"\n", b"\r\n"),
        "cut off": data[:rng.randrange(len(data) // 2, len(data) - 8)],
        "a tab": data.replace(b"    ordinal", b"\tordinal", 1),
        "a byte order mark": b"\xef\xbb\xbf" + data,
        "a second document": data + b"---\n" + data,
        "a number in hex": data.replace((line + "\n").encode(), line.replace(": " + value, ": 0x" + value).encode() + b"\n", 1),
        "a number with a sign": data.replace((line + "\n").encode(), line.replace(": " + value, ": +" + value).encode() + b"\n", 1),
        "a number with a point": data.replace((line + "\n").encode(), (line + ".0\n").encode(), 1),
        "a number with a leading 0": data.replace((line + "\n").encode(), line.replace(": " + value, ": 0" + value).encode() + b"\n", 1),
        "a NUL": data.replace(b"seed: ", b"seed\0: ", 1),
        "an anchor": data.replace(b"seed: ", b"seed: &a ", 1),
    }
    return rng.choice(sorted(ways.items()))


@fault("plan-syntax", "reviewed", "judged")
def syntax(case, rng):
    what, data = rough(PlanText(case.plan), rng)
    if data == case.plan:
        return None
    case.judged = data
    return what


@fault("stale-plan", "judged")
def stale(case, rng):
    plan = PlanText(case.plan)
    name = rng.choice(sorted(CHANGES))
    what = CHANGES[name](plan, rng, case)
    if what is None or plan.bytes() == case.plan:
        return None
    case.judged = plan.bytes()
    return "after the build: " + what


@fault("stale-other-build", "judged")
def other_build(case, rng):
    plan = PlanText(case.plan)
    key = rng.choice(["seed", "evaluations", "build_id", "sites_sha256", "model_sha256"])
    if plan.get(key) is None:
        return None
    if key in ("seed", "evaluations"):
        plan.set(key, plan.number(key) + 1)
    else:
        old = plan.get(key)
        plan.set(key, '"' + old[1:-1][::-1] + '"')
    if plan.bytes() == case.plan:
        return None
    case.judged = plan.bytes()
    return "plan of another build: %s differs" % key


@fault("stale-hash-argument", "built")
def hash_argument(case, rng):
    from lab import sha
    plan = PlanText(case.plan)
    plan.set("seed", plan.number("seed") + rng.randrange(1, 9))
    case.hash_argument = sha(plan.bytes())
    return "the plugin is given the hash of another plan"
