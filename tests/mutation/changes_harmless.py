# SPDX-License-Identifier: MIT
"""Changes that mean nothing; a gate that speaks raises a false alarm."""
import re

from lab import COMMENT
from plantext import PlanText
from registry import harmless


@harmless("ok-user-comment")
def user_comment(case, rng):
    lines = case.source.decode().split("\n")
    found = [i for i, l in enumerate(lines) if l.endswith((";", "{")) and not l.startswith("#")]
    for i in rng.sample(found, min(3, len(found))):
        lines[i] += rng.choice([" /* looked at twice */", "  // here", "\t"])
    case.source = "\n".join(lines).encode()
    return "comments and blanks in the user's source"


def generated_text(case, kind, change):
    def apply(files):
        for name in [n for n in files if n.endswith((".c", ".h"))]:
            files[name] = change(files[name].decode()).encode()
    setattr(case, kind, apply)


@harmless("ok-trigger-comment")
def trigger_comment(case, rng):
    way = rng.choice(["add", "strip", "blanks"])
    if way == "add":
        def change(text):
            return re.sub(r"(?m)^(\tswitch [^\n]*)$", r"\1 /* by thread */", text)
    elif way == "blanks":
        def change(text):
            return text.replace("\n\n", "\n\n\n")
    else:
        def change(text):
            return COMMENT.sub(lambda m: " " if m.group(0).startswith("/*") and "cppcheck" not in m.group(0) and "\n" not in m.group(0) else m.group(0), text)
    # a stripped comment may be one that a checker wants to see: only what is compiled
    generated_text(case, "built" if way == "strip" else rng.choice(["built", "reviewed"]), change)
    return "comments of the generated sources: " + way


@harmless("ok-link-order")
def link_order(case, rng):
    def shuffled(names):
        names = list(names)
        rng_order = sorted(names, key=lambda n: salt + n[::-1])
        return rng_order[::-1] if flip else rng_order
    salt, flip = "", rng.random() < 0.5
    case.relink = shuffled
    return "other order at the link"


@harmless("ok-object-order")
def object_order(case, rng):
    case.judged_objects = lambda objects: objects[::-1]
    return "objects named in another order"


@harmless("ok-debug")
def debug(case, rng):
    if rng.random() < 0.5 and not case.subject.lto:
        case.flags.append("-g")
        return "user code with -g"

    def strip(data):
        return case.lab.must(["strip", "-g", "-o", "out", "in"], {"in": data}, ["out"]).files["out"]
    case.binary.append(strip)
    return "debug information taken away"


@harmless("ok-reason")
def reason(case, rng):
    plan = PlanText(case.plan)
    found = [i for i, l in enumerate(plan.lines) if l.strip().startswith("reason: ")]
    if not found:
        return None
    i = rng.choice(found)
    plan.lines[i] = plan.lines[i].rstrip()[:-1] + rng.choice([", as seen on the bench", " /* */ ??/", " \\u00b5s"]) + '"\n'
    case.plan = plan.bytes()
    return "a longer reason"


@harmless("ok-seed")
def seed(case, rng):
    plan = PlanText(case.plan)
    plan.set("seed", plan.number("seed") + rng.randrange(1, 99))
    case.plan = plan.bytes()
    return "another seed"


@harmless("ok-unit")
def unit(case, rng):
    text = "#include <stdio.h>\nint perseus(int x);\nint perseus(int x)\n{\n\treturn printf(\"%d\", x);\n}\n"
    case.units.append(("more.c", text.encode(), ["-O2"], rng.random() < 0.5))
    return "one more unit"


@harmless("ok-function")
def function(case, rng):
    case.source += b'\nint stray_sum(int a, int b);\nint stray_sum(int a, int b)\n{\n\treturn a + b;\n}\n'
    return "one more function at the end"


LINK_FLAGS = ["-rdynamic", "-Wl,-z,now", "-Wl,--hash-style=gnu", "-Wl,--build-id=none", "-Wl,-O1", "-Wl,--gc-sections", "-Wl,-z,norelro",
              "-Wl,-z,separate-code", "-Wl,-z,noseparate-code", "-Wl,--as-needed", "-Wl,--sort-section=name", "-Wl,-Map=map", "-Wl,-z,lazy"]


@harmless("ok-link-flags")
def link_flags(case, rng):
    flag = rng.choice(LINK_FLAGS)
    case.link.append(flag)
    return flag


@harmless("ok-pie")
def pie(case, rng):
    way = rng.choice([["-no-pie", "-fno-pie"], ["-fno-plt"], ["-ffunction-sections"], ["-fPIC"], ["-fcf-protection=none"]])
    if case.subject.static and "-no-pie" in way:
        way = ["-ffunction-sections"]
    case.flags += way
    if "-no-pie" in way:
        case.link.append("-no-pie")
    return " ".join(way)


@harmless("ok-optimise")
def optimise(case, rng):
    flag = rng.choice(["-O1", "-O2", "-O3", "-Os", "-O0", "-O2 -fno-omit-frame-pointer", "-O2 -fno-inline", "-O2 -fstack-protector-strong",
                       "-O2 -fno-optimize-sibling-calls", "-O2 -fno-reorder-blocks-and-partition", "-Og"])
    if any(site_instance != "00000000" for site_instance in re.findall(r'instance: "(\w+)"', case.plan.decode())):
        # an inlined copy exists at its own level of optimisation only
        flag = "-O2 -fno-omit-frame-pointer"
    case.flags = [f for f in case.flags if not f.startswith("-O")] + flag.split()
    return "user code with " + flag


@harmless("ok-archive")
def archive(case, rng):
    def pack(objects):
        names = [n for n in objects if n.startswith("perseus_triggers")]
        data = {n: objects[n] for n in names}
        lib = case.lab.must(["ar", "rcsD", "lib.a"] + names, data, ["lib.a"]).files["lib.a"]
        case.extra_inputs["libgenerated.a"] = lib
        case.relink = lambda all_names: [n for n in all_names if n not in names] + ["libgenerated.a"]
    case.objects.append(pack)
    return "triggers linked from an archive"


@harmless("ok-linker")
def linker(case, rng):
    name = rng.choice(["gold", "lld"])
    if case.subject.static and name == "gold" or case.subject.lto and name == "lld":
        name = "bfd"
    case.link.append("-fuse-ld=" + name)
    return "linked by " + name


@harmless("ok-status-read")
def status_read(case, rng):
    text = '#include <stdio.h>\n#include "perseus_triggers.h"\nvoid show(void);\nvoid show(void)\n{\n' \
           '\tprintf("%u %u\\n", (unsigned)perseus_status.pins[0], (unsigned)perseus_status.machine);\n' \
           '\tprintf("%s %u\\n", perseus_plan_sha256, (unsigned)perseus_thread_table[0].core);\n}\n'
    case.units.append(("show.c", text.encode(), ["-O2"], False))
    return "the program prints its status"


@harmless("ok-comment-section")
def comment_section(case, rng):
    def mark(objects):
        name = sorted(objects)[0]
        objects[name] = case.lab.must(["objcopy", "--add-section", ".comment.team=note", "in.o", "out.o"],
                                      {"in.o": objects[name], "note": b"seen"}, ["out.o"]).files["out.o"]
    case.objects.append(mark)
    return "a section with a note"


@harmless("ok-renumber")
def renumber(case, rng):
    plan = PlanText(case.plan)
    items = plan.items("triggers")
    if not items:
        return None
    lead = rng.randrange(1, 500)
    for t in items:
        plan.set("  - number", plan.number("  - number", t) + lead, t) if False else None
    for t in items:
        plan.lines[t[0]] = "  - number: %d\n" % (int(plan.lines[t[0]].split(": ")[1]) + lead)
    case.plan = plan.bytes()
    return "all triggers renumbered by %d" % lead


@harmless("ok-again")
def again(case, rng):
    return "everything once more"


@harmless("ok-directory")
def directory(case, rng):
    case.flags.append("-ffile-prefix-map=.=/flight")
    return "paths mapped to another directory"
