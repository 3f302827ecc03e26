# SPDX-License-Identifier: MIT
"""Changes that mean nothing; a gate that speaks raises a false alarm."""
import re
import shutil

from lab import COMMENT
from plantext import PlanText
from registry import harmless
from subjects import make_plan


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


@harmless("ok-seed")
def seed(case, rng):
    new = PlanText(case.plan).number("seed") + rng.randrange(1, 99)
    if case.subject.model:  # figures of the plan rest on it
        case.plan = make_plan(case.lab, case.subject, ["--seed=%d" % new])
    else:
        plan = PlanText(case.plan)
        plan.set("seed", new)
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


LINK_FLAGS = ["-rdynamic", "-Wl,-z,relro,-z,now", "-Wl,-z,nodelete", "-Wl,-z,origin", "-Wl,--eh-frame-hdr", "-Wl,--hash-style=both", "-Wl,-z,now", "-Wl,--hash-style=gnu", "-Wl,--build-id=none", "-Wl,-O1", "-Wl,--gc-sections", "-Wl,-z,norelro",
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


def another_linker(rng):
    """One of the linkers beside GNU ld; where the release has no gold any more, of the others."""
    names = ["gold", "lld", "mold"] if shutil.which("ld.gold") else ["lld", "mold"]
    return rng.choice(names)


@harmless("ok-linker")
def linker(case, rng):
    name = another_linker(rng)
    if case.subject.static and name == "gold" or case.subject.lto and name in ("lld", "mold"):
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


@harmless("ok-relr")
def relr(case, rng):
    if case.subject.static or case.subject.lto:
        return None
    name = rng.choice(["bfd", "lld", "mold"])
    case.link += ["-fuse-ld=" + name, "-Wl,-z,pack-relative-relocs" if name != "lld" else "-Wl,--pack-dyn-relocs=relr"]
    return "packed relocations by " + name


@harmless("ok-threads")
def threads(case, rng):
    """Variables of threads with and without a first value, in units of either language."""
    text = "static __thread char scratch[256];\n__thread int filled = 7;\nextern \"C\" int spare(int);\n" \
           "int spare(int x) { scratch[x & 255]++; return scratch[0] + filled++; }\n"
    plus = rng.random() < 0.5
    text = text if plus else text.replace('extern "C" ', "")
    case.units.append(("spare." + ("cc" if plus else "c"), text.encode(), ["-O%d" % rng.randrange(4)], rng.random() < 0.5))
    return "thread-local variables"


@harmless("ok-names")
def names(case, rng):
    text = '#include <stdio.h>\nvoid perseus_report(void);\nstatic int perseus_count;\nstatic __attribute__((noinline)) void perseus_line(int n) { perseus_count += n; printf("%d\\n", n); }\n' \
           "void perseus_report(void) { perseus_line(perseus_count + 1); }\n"
    case.units.append(("report.c", text.encode(), ["-O2"], rng.random() < 0.5))
    return "functions and variables of the program that are called perseus_*"


@harmless("ok-clang")
def clang(case, rng):
    text = "#include <string.h>\n#include <stdio.h>\nint other(const char *s);\nstatic const char *const word[] = {\"a\", \"b\", \"c\"};\n" \
           "int other(const char *s) { for (int i = 0; i < 3; i++) if (!strcmp(s, word[i])) return i; switch (*s) { case 1: return 5; case 2: return 9;" \
           " case 3: return puts(s); case 4: return 11; case 5: return 2; } return -1; }\n"
    case.units.append(("other-clang.c", text.encode(), ["-O%d" % rng.randrange(4)] + rng.choice([[], ["-fPIC"], ["-fcf-protection"], ["-fno-plt"]]), False))
    return "a unit compiled by clang"


@harmless("ok-cet")
def cet(case, rng):
    flag = rng.choice(["full", "branch", "return"])
    case.flags.append("-fcf-protection=" + flag)
    case.gen_flags = case.gen_flags + ["-fcf-protection=" + flag]
    if not case.subject.static and rng.random() < 0.5:
        case.link.append("-Wl,-z,ibtplt")
    return "-fcf-protection=%s for all" % flag


@harmless("ok-split-debug")
def split_debug(case, rng):
    way = rng.choice(["-gsplit-dwarf", "-gz -g", "-g3", "-g -ffunction-sections", "objcopy"])
    if way == "objcopy":
        def split(data):
            out = case.lab.must(["objcopy", "--strip-debug", "in", "out"], {"in": data}, ["out"]).files["out"]
            return case.lab.must(["objcopy", "--add-gnu-debuglink=in", "out", "out2"], {"in": data, "out": out}, ["out2"]).files["out2"]
        case.binary.append(split)
    elif case.subject.lto:
        return None
    else:
        case.flags += way.split()
    return "debug information: " + way


@harmless("ok-constructor")
def constructor(case, rng):
    text = '#include <stdio.h>\n#include <stdlib.h>\nstatic void late(void) { puts("late"); }\n' \
           'static __attribute__((constructor)) void early(void) { atexit(late); puts("early"); }\n' \
           'static __attribute__((destructor)) void last(void) { puts("last"); }\n'
    case.units.append(("early.c", text.encode(), ["-O2"], rng.random() < 0.5))
    return "constructor and destructor of the program's own"


@harmless("ok-library")
def library(case, rng):
    if case.subject.static:
        return None
    argv = ["gcc", "-O2", "-shared", "-fPIC", "-Wl,-soname,libmath7.so", "-o", "libmath7.so", "s.c"]
    text = b"int seven(int x); int seven(int x) { return 7 * x; }\n"
    case.extra_inputs["libmath7.so"] = case.lab.must(argv, {"s.c": text}, ["libmath7.so"]).files["libmath7.so"]
    case.libraries = {"libmath7.so": case.extra_inputs["libmath7.so"]}
    case.units.append(("use.c", b"int seven(int x); int use(int x); int use(int x) { return seven(x); }\n", ["-O2"], False))
    case.link += ["./libmath7.so"]
    return "a library of its own, given"


@harmless("ok-fold")
def fold(case, rng):
    name = another_linker(rng)
    if case.subject.static or case.subject.lto:
        return None
    case.link += ["-fuse-ld=" + name, "-Wl,--icf=" + ("safe" if name == "gold" else rng.choice(["safe", "all"])), "-Wl,--gc-sections"]
    case.flags += ["-ffunction-sections", "-fdata-sections"]
    return "equal functions folded by " + name


@harmless("ok-parts")
def parts(case, rng):
    """Tables, weak and common symbols, variables of libraries, pointers to functions."""
    text = '#include <stdio.h>\n#include <math.h>\nint common_one;\n__attribute__((weak)) int weak_one(void) { return 3; }\nextern int nobody(void) __attribute__((weak));\n' \
           "static int a(void) { return 1; }\nstatic int b(void) { return 2; }\nstatic int (*const table[])(void) = {a, b, weak_one};\nint (*volatile changing)(void) = b;\n" \
           'int parts(int n);\nint parts(int n) { fprintf(stderr, "%d %p\\n", common_one, (void *)stdout); if (nobody) nobody(); return table[n % 3]() + changing() + (n > 9 ? printf("%s", "long text") : 0); }\n'
    case.units.append(("parts.c", text.encode(), ["-O%d" % rng.randrange(4)] + rng.choice([[], ["-fcommon"], ["-fno-pic" if "-no-pie" in case.link else "-fPIE"]]), rng.random() < 0.5))
    return "a unit with tables, weak and common names"
