# SPDX-License-Identifier: MIT
"""Faults of the build: wrong objects, flags, links."""
from plantext import PlanText
from registry import fault


def earlier_plan(case, rng):
    """A plan that generates and that is not this one."""
    plan = PlanText(case.plan)
    found = [t for t in plan.items("threads") if plan.get("core", t)]
    t = rng.choice(found)
    old = plan.number("core", t)
    plan.set("core", rng.choice([c for c in range(plan.number("n_cores")) if c != old]), t)
    return plan.bytes()


def seed_only(case):
    plan = PlanText(case.plan)
    plan.set("seed", plan.number("seed") + 1)
    return plan.bytes()


def other_case(case, plan):
    from flow import Case
    c = Case(case.lab, case.subject)
    c.plan = plan
    return c


@fault("build-plain-unit", "built")
def plain_unit(case, rng):
    plain = case.lab.must([case.subject.compiler] + case.flags + ["-c", "-o", "o.o", case.subject.source],
                          {case.subject.source: case.source}, ["o.o"]).files["o.o"]
    case.objects.append(lambda objects: objects.update({"user.o": plain}))
    return "%s compiled without the plan" % case.subject.source


@fault("build-other-plan", "built")
def other_plan(case, rng):
    """The unit sees the call lines of a plan with another trigger number or side."""
    plan = PlanText(case.plan)
    calls = [t for t in plan.items("triggers") if plan.get("at", t) == "call"]
    if not calls:
        return None
    t = rng.choice(calls)
    way = rng.choice(["side", "drop"])
    if way == "side":
        plan.set("after", "false" if plan.get("after", t) == "true" else "true", t)
    else:
        plan.drop(t if len(plan.items("triggers")) > 1 else (t[0] - 1, t[1]))
    other = other_case(case, plan.bytes())
    data = other.compile_user(other.built_files(), None)
    case.objects.append(lambda objects: objects.update({"user.o": data}))
    return "user.o of a plan with a trigger %s" % ("on the other side" if way == "side" else "less")


def stale(case, rng, name, plan, what):
    other = other_case(case, plan)
    objects = other.make_objects(other.built_files())
    key = next(n for n in objects if n.startswith(name))
    case.objects.append(lambda objs: objs.update({next(n for n in objs if n.startswith(name)): objects[key]}))
    return "%s of %s" % (key, what)


@fault("build-stale-user", "built")
def stale_user(case, rng):
    # what differs in the unit is its calls; the earlier plan had another place for one of them
    return other_plan(case, rng)


@fault("build-stale-triggers", "built")
def stale_triggers(case, rng):
    if rng.random() < 0.3:
        return stale(case, rng, "perseus_triggers", seed_only(case), "a plan with another seed")
    return stale(case, rng, "perseus_triggers", earlier_plan(case, rng), "a plan with another core")


@fault("build-stale-platform", "built")
def stale_platform(case, rng):
    plan = PlanText(case.plan)
    if rng.random() < 0.5:
        plan.set("n_cores", plan.number("n_cores") + 1)
        return stale(case, rng, "perseus_platform", plan.bytes(), "a plan for one core more")
    return stale(case, rng, "perseus_platform", seed_only(case), "a plan with another seed")


@fault("build-probe", "built")
def probe(case, rng):
    s = case.subject
    way = rng.choice(["calls", "unit"])
    inputs = {s.source: case.source, "perseus_triggers.plan": case.built_files()["perseus_triggers.plan"]}
    if way == "calls" and not s.lto:
        argv = [s.compiler] + case.flags + case.plugin_flags() + ["-fplugin-arg-perseus-probe=calls", "-c", "-o", "o.o", s.source]
        data = case.compiled(argv, inputs)
        case.objects.append(lambda objects: objects.update({"user.o": data}))
        return "probes left in %s" % s.source
    text = b"#include <stdio.h>\nvoid more(void);\nvoid more(void) { puts(\"more\"); }\n"
    data = case.compiled(["gcc", "-O2", "-fplugin=" + case.lab.plugin, "-c", "-o", "o.o", "more.c"], {"more.c": text})
    case.objects.append(lambda objects: objects.update({"more.o": data}))
    return "probes left in a unit without triggers"


@fault("build-unwrapped", "built")
def unwrapped(case, rng):
    if not case.subject.static:
        platform = next(n for n in case.make_objects(case.built_files()) if "platform" in n)
        case.platform_flags = ["-DPERSEUS_STATIC"]
        return "%s compiled for a static link" % platform
    case.link = [f for f in case.link if "wrap" not in f]
    return "static, linked without --wrap"


FLAGS = ["-O0", "-O1", "-O3", "-Os", "-pg", "-finstrument-functions", "-fsanitize=undefined", "-ftrapv", "-fstack-protector-all",
         "-funroll-all-loops", "-fno-inline", "-mtune=atom", "-fpatchable-function-entry=5", "-ftest-coverage -fprofile-arcs"]


@fault("build-flags", "built")
def flags(case, rng):
    flag = rng.choice(FLAGS)
    case.built_flags = case.gen_flags + flag.split()
    if "sanitize" in flag:
        case.link = case.link + [flag]
    if "profile" in flag:
        case.link = case.link + ["-lgcov"]
    return "generated files compiled with %s in place of the stated flags" % flag


@fault("build-define", "built")
def define(case, rng):
    define_ = rng.choice(["-Dperseus_pin(...)=(void)0", "-DPERSEUS_SET=PERSEUS_REFUSED", "-Dperseus_platform_pin=perseus_platform_stray",
                          "-DUINT32_MAX=4u", "-D__atomic_fetch_add(...)=0", "-DCPU_SET=CPU_CLR", "-Derrno=perseus_stray", "-Dstatic=",
                          "-Dsched_setaffinity(...)=0", "-DCPU_COUNT(x)=1", "-include=stray.h"])
    case.built_flags = case.gen_flags + [define_]
    if "stray" in define_:
        case.built_flags = case.gen_flags + ["-Dperseus_platform_count=perseus_platform_store2"]
        case.units.append(("stray.c", b"void perseus_platform_store2(unsigned *p);\nvoid perseus_platform_store2(unsigned *p) { (void)p; }\n",
                           ["-O2"], False))
        # both files must agree on the name, or the link fails; so only the triggers are compiled so
        return "perseus_platform_count is another function by -D"
    return "generated files compiled with %s" % define_


@fault("build-defsym", "built")
def defsym(case, rng):
    names = [n for n in planned_names(case)]
    a = rng.choice(names)
    way = rng.choice(["wrap", "muldefs", "defsym", "alias"])
    if way == "alias":
        text = "void stray_alias(void);\nvoid stray(void);\nvoid stray(void) { stray_alias(); }\n"
        case.units.append(("stray.c", text.encode(), ["-O2"], False))
        case.link.append("-Wl,--defsym=stray_alias=" + a)
        return "%s called under another name by --defsym" % a
    text = "extern void %s(void);\nvoid %s(void) {}\n"
    if way == "wrap":
        case.units.append(("stray.c", (text % ("__wrap_" + a, "__wrap_" + a)).encode(), ["-O2"], False))
        case.link.append("-Wl,--wrap=" + a)
        return "%s replaced by --wrap" % a
    if way == "defsym":
        case.link.append("-Wl,-z,muldefs,--defsym=%s=%s" % (a, rng.choice([n for n in names + ["abort", "perseus_create_end"] if n != a])))
        return "%s is another function by --defsym" % a
    case.units.append(("stray.c", (text % (a, a)).encode(), ["-O2"], False))
    case.link.append("-Wl,-z,muldefs")
    case.relink = lambda names_: ["stray.o"] + [n for n in names_ if n != "stray.o"]
    return "%s defined before the right one, -z muldefs" % a


def planned_names(case):
    from faults_user import names_of
    return names_of(case)


@fault("build-twice", "built")
def twice(case, rng):
    way = rng.choice(["muldefs", "renamed"])
    objects = case.make_objects(case.built_files())
    key = next(n for n in objects if n.startswith("perseus_triggers"))
    other = other_case(case, earlier_plan(case, rng))
    second = other.compile_generated(other.built_files(), case.gen_flags)[key]
    if way == "muldefs":
        case.link.append("-Wl,-z,muldefs")
        case.objects.append(lambda objs: put_first(objs, "again.o", second))
        return "a second %s, of another plan, linked first with -z muldefs" % key
    argv = ["objcopy", "--redefine-sym", "perseus_thread_table=perseus_thread_table2", "--redefine-sym", "perseus_plan_sha256=perseus_plan_sha2562",
            "--weaken", "o.o", "p.o"]
    weak = case.lab.must(argv, {"o.o": second}, ["p.o"]).files["p.o"]
    case.objects.append(lambda objs: objs.update({"again.o": weak}))
    return "a second %s, of another plan, weak" % key


def put_first(objects, name, data):
    rest = dict(objects)
    objects.clear()
    objects[name] = data
    objects.update(rest)


@fault("build-exchange", "built")
def exchange(case, rng):
    """All generated objects of another plan, the units of this one."""
    other = other_case(case, earlier_plan(case, rng))
    objects = other.compile_generated(other.built_files(), case.gen_flags)
    case.objects.append(lambda objs: objs.update(objects))
    return "both generated objects of another plan"
