# SPDX-License-Identifier: MIT
"""Faults in the user's code: what the plugin should not have made of it (both
compilations show it), or what was done to the object afterwards."""
import re

from elf import Elf
from registry import FAULTS, fault

CALL = r"^\tcall\t(%s)(?:@PLT)?$"
HELPERS = ("printf", "memset", "memcpy", "puts")


class Assembly:
    def __init__(self, text):
        self.lines = text.split("\n")

    def text(self):
        return "\n".join(self.lines)

    def functions(self):
        """name: (line of its label, line of its .size)."""
        out, open_ = {}, {}
        for i, line in enumerate(self.lines):
            m = re.match(r"^([A-Za-z_][\w.$]*):", line)
            if m:
                open_[m.group(1)] = i
            m = re.match(r"^\t\.size\t([\w.$]+),", line)
            if m and m.group(1) in open_:
                out[m.group(1)] = (open_[m.group(1)], i)
        return {n: s for n, s in out.items() if any("call" in l or "ret" in l or "jmp" in l for l in self.lines[s[0]:s[1]])}

    def calls(self, pattern):
        return [i for i, l in enumerate(self.lines) if re.match(CALL % pattern, l)]

    def function_of(self, i):
        return next((n for n, (a, b) in self.functions().items() if a <= i < b), None)

    def target(self, i):
        return re.match(CALL % r"[\w.$]+", self.lines[i]).group(1)

    def starts(self, without=None):
        """Lines at which the first instruction of a function may be preceded by another."""
        out = []
        for name, (a, b) in self.functions().items():
            if name == without or name.startswith("_GLOBAL"):
                continue
            at = a + 1
            while at < b and re.match(r"^\t\.|^\.L", self.lines[at]):
                at += 1
            out.append((name, at))
        return out


PLANNED = r"perseus_(?:trigger_\d+|create_\d+_begin|create_end|program_start|flush_\d+_(?:begin|end))"
TRIGGER = r"perseus_trigger_\d+"


def user_fault(name, kinds=("reviewed", "built")):
    """A change (Assembly, rng, case) -> what was done."""
    def put(change):
        for kind in kinds:
            FAULTS[name, kind] = lambda case, rng, kind=kind: on_assembly(case, rng, kind, change)
        return change
    return put


def on_assembly(case, rng, kind, change):
    if case.subject.lto:
        return None
    s = case.subject
    files = case.built_files()
    inputs = {s.source: case.source, "perseus_triggers.plan": files["perseus_triggers.plan"]}
    inputs.update({n: d for n, d in files.items() if n.endswith(".h")})
    text = case.compiled([s.compiler] + case.flags + case.plugin_flags() + ["-S", "-o", "o.o", s.source], inputs).decode()
    a = Assembly(text)
    what = change(a, rng, case)
    if what is None or a.text() == text:
        return None
    changed = a.text()
    case.assembly = lambda _: changed
    case.plugin_erred = kind == "reviewed"
    return what


def names_of(case):
    """The generated functions that the plan has called."""
    out = ["perseus_program_start"]
    for line in case.built_files()["perseus_triggers.plan"].decode().split("\n"):
        f = line.split(" ")
        out += ["perseus_flush_%s_begin" % f[1], "perseus_flush_%s_end" % f[1]] if f[0] == "flush" else []
        out += ["perseus_trigger_" + f[1]] if f[0] == "call" else ["perseus_create_%s_begin" % f[1]] if f[0] == "create" else []
    return out


def planned_call(a, rng, pattern=PLANNED):
    found = a.calls(pattern)
    return rng.choice(found) if found else None


@user_fault("user-extra-call")
def extra_call(a, rng, case):
    name = rng.choice(names_of(case))
    function, at = rng.choice(a.starts())
    a.lines.insert(at, "\tcall\t%s@PLT" % name)
    return "%s called at the start of %s" % (name, function)


@user_fault("user-twice")
def call_twice(a, rng, _):
    i = planned_call(a, rng)
    if i is None:
        return None
    a.lines.insert(i, a.lines[i])
    return "%s called twice in %s" % (a.target(i), a.function_of(i))


@user_fault("user-moved")
def moved(a, rng, _):
    """To the other side of the next or last call of the program."""
    i = planned_call(a, rng, TRIGGER)
    if i is None:
        return None
    name, line = a.function_of(i), a.lines[i]
    first, last = a.functions()[name]
    others = [k for k in range(first, last) if re.match(CALL % r"(?!perseus_)[\w.$]+", a.lines[k])]
    before, behind = [k for k in others if k < i], [k for k in others if k > i]
    ways = ([before[-1]] if before else []) + ([behind[0] + 1] if behind else [])
    if not ways:
        return None
    to = rng.choice(ways)
    del a.lines[i]
    a.lines.insert(to - (to > i), line)
    return "%s in %s on the other side of a call" % (line.split("\t")[2], name)


@user_fault("user-elsewhere")
def elsewhere(a, rng, _):
    i = planned_call(a, rng)
    if i is None:
        return None
    name, target = a.function_of(i), a.target(i)
    line = a.lines.pop(i)
    starts = a.starts(without=name)
    if not starts:
        return None
    to, at = rng.choice(starts)
    a.lines.insert(at, line)
    return "%s moved from %s to %s" % (target, name, to)


@user_fault("user-guarded")
def guarded(a, rng, _):
    i = planned_call(a, rng)
    if i is None:
        return None
    test = rng.choice(["\ttestl\t%eax, %eax", "\tcmpl\t$0, perseus_status+8(%rip)", "\ttestb\t$1, %spl"])
    jump = rng.choice(["je", "jne", "js"])
    target = a.target(i)
    a.lines[i:i + 1] = [test, "\t%s\t.Lmutation" % jump, a.lines[i], ".Lmutation:"]
    return "%s under a condition (%s)" % (target, test.strip())


@user_fault("user-swapped")
def swapped(a, rng, _):
    found = a.calls(PLANNED)
    i = rng.choice(found)
    rest = [k for k in found if a.target(k) != a.target(i)]
    if not rest:
        return None
    k = rng.choice(rest)
    what = "%s and %s exchanged" % (a.target(i), a.target(k))
    a.lines[i], a.lines[k] = a.lines[k], a.lines[i]
    return what


@user_fault("user-erased")
def erased(a, rng, _):
    i = planned_call(a, rng)
    if i is None:
        return None
    what = "%s in %s erased" % (a.target(i), a.function_of(i))
    a.lines[i] = rng.choice(["\tnopl\t0(%rax,%rax)", "\tnop"])
    return what


@user_fault("user-pointer")
def pointer(a, rng, case):
    name = rng.choice(names_of(case))
    function, at = rng.choice(a.starts())
    ways = {
        "got": ["\tmovq\t%s@GOTPCREL(%%rip), %%rax" % name, "\tcall\t*%rax"],
        "lea": ["\tleaq\t%s(%%rip), %%rax" % name, "\tcall\t*%rax"],
        "got-call": ["\tcall\t*%s@GOTPCREL(%%rip)" % name],
        "data": ["\tcall\t*.Lmutation(%rip)"],
        "push": ["\tleaq\t%s(%%rip), %%rax" % name, "\tpushq\t%rax", "\tret"],
    }
    way = rng.choice(sorted(ways))
    a.lines[at:at] = ways[way]
    if way == "data":
        a.lines += ['\t.section\t.data.rel.local,"aw"', "\t.align 8", ".Lmutation:", "\t.quad\t" + name, ""]
    return "%s reached by a pointer (%s) in %s" % (name, way, function)


@user_fault("user-tail")
def tail(a, rng, case):
    name = rng.choice(names_of(case))
    way = rng.choice(["jmp", "je", "js"])
    if rng.random() < 0.5:
        function, at = rng.choice(a.starts())
        a.lines.insert(at, "\t%s\t%s" % ("js" if way == "jmp" else way, name))
    else:
        function = "stray"
        a.lines += ["\t.text", "\t.globl\tstray", "\t.type\tstray, @function", "stray:", "\t%s\t%s" % (way, name), "\tret", "\t.size\tstray, .-stray", ""]
    return "%s reached by a jump in %s" % (name, function)


@user_fault("user-offset")
def offset(a, rng, case):
    name = rng.choice(names_of(case))
    k = rng.choice([1, 4, 8, 11])
    function, at = rng.choice(a.starts())
    a.lines[at:at] = rng.choice([["\tcall\t%s+%d" % (name, k)], ["\tjs\t%s+%d" % (name, k)],
                                 ["\tleaq\t%s+%d(%%rip), %%rax" % (name, k), "\tcall\t*%rax"],
                                 ["\tleaq\t%s-%d(%%rip), %%rax" % (name, 64 * k), "\taddq\t$%d, %%rax" % (64 * k), "\tcall\t*%rax"]])
    return "%s reached behind its entry in %s" % (name, function)


@user_fault("user-alias")
def alias(a, rng, case):
    name = rng.choice(names_of(case))
    if rng.random() < 0.5:
        a.lines += ["\t.text", "\t.weak\t" + name, "\t.type\t%s, @function" % name, name + ":", "\tret", "\t.size\t%s, .-%s" % (name, name), ""]
        return "a weak %s of the program's own" % name
    # the unit's own function under the name: calls here go there
    a.lines += ["\t.text", "\t.type\t%s, @function" % name, name + ":", "\tret", "\t.size\t%s, .-%s" % (name, name), ""]
    return "a local %s in the unit" % name


@user_fault("user-namesake")
def namesake(a, rng, case):
    i = planned_call(a, rng, TRIGGER)
    if i is None:
        return None
    name, target = a.function_of(i), a.target(i)
    del a.lines[i]
    text = "void %s(void);\nvoid stray(void);\nstatic __attribute__((noinline)) void %s(void)\n{\n\t%s();\n\t__asm__ volatile(\"\");\n}\n" \
           "void stray(void)\n{\n\t%s();\n}\n" % (target, name, target, name)
    if name == "main":
        return None
    case.units.append(("other.c", text.encode(), ["-O2"], False))
    return "%s called in another unit's function %s instead" % (target, name)


@user_fault("user-constructor")
def constructor(a, rng, case):
    name = rng.choice(names_of(case))
    section = rng.choice([".init_array", ".preinit_array", ".fini_array", ".init_array.101"])
    if case.subject.static and section == ".preinit_array":
        section = ".init_array"
    kind = {"i": "@init_array", "p": "@preinit_array", "f": "@fini_array"}[section[1]]
    a.lines += ['\t.section\t%s,"aw",%s' % (section, kind), "\t.align 8", "\t.quad\t" + name, ""]
    return "%s in %s" % (name, section)


@user_fault("user-internal")
def internal(a, rng, case):
    name = rng.choice(["perseus_thread_enter", "perseus_platform_pin", "perseus_creation_take", "perseus_creation_undo",
                       "perseus_creator_return", "perseus_platform_count", "perseus_platform_start"])
    function, at = rng.choice(a.starts())
    a.lines[at:at] = ["\txorl\t%edi, %edi", "\tcall\t%s@PLT" % name]
    return "%s called in %s" % (name, function)


@user_fault("user-status")
def status(a, rng, case):
    function, at = rng.choice(a.starts())
    what = rng.choice(["movl\t$%d, perseus_status+8(%%rip)" % rng.choice([0, 1, 2]), "movl\t$0, perseus_status+28(%rip)",
                       "addl\t$1, perseus_status+24(%rip)", "andl\t$0, perseus_status+12(%rip)"])
    if rng.random() < 0.3:
        a.lines[at:at] = ["\tleaq\tperseus_status(%rip), %rax", "\tmovl\t$1, 8(%rax)"]
        what = "movl $1, 8(perseus_status)"
    else:
        a.lines.insert(at, "\t" + what)
    return "the program writes the status in %s: %s" % (function, what.replace("\t", " "))


@user_fault("user-setter", kinds=("built",))
def setter(a, rng, _):
    name = rng.choice(["sched_setaffinity", "pthread_setaffinity_np", "sched_setscheduler", "pthread_attr_setaffinity_np"])
    function, at = rng.choice(a.starts())
    a.lines.insert(at, "\tcall\t%s@PLT" % name)
    return "%s called in %s" % (name, function)


@user_fault("user-create")
def create(a, rng, _):
    begins, ends = a.calls(r"perseus_create_\d+_begin"), a.calls(r"perseus_create_end")
    if not begins or not ends:
        return None
    way = rng.choice(["swap", "begin", "end", "number"])
    b, e = rng.choice(begins), rng.choice(ends)
    if way == "swap":
        a.lines[b], a.lines[e] = a.lines[e], a.lines[b]
    elif way == "number":
        numbers = sorted({a.lines[k] for k in begins} - {a.lines[b]})
        a.lines[b] = rng.choice(numbers) if numbers else a.lines[e]
    else:
        del a.lines[b if way == "begin" else e]
    return "marks of a creation: " + {"swap": "exchanged", "begin": "begin gone", "end": "end gone", "number": "another number"}[way]


@user_fault("user-start")
def start(a, rng, _):
    i = planned_call(a, rng, "perseus_program_start")
    line = a.lines.pop(i)
    way = rng.choice(["gone", "late", "elsewhere"])
    if way == "late":
        first, last = a.functions()["main"]
        later = [k for k in range(i, last) if re.match(CALL % r"(?!perseus_)[\w.$]+", a.lines[k])]
        a.lines.insert(rng.choice(later) + 1, line)
    elif way == "elsewhere":
        starts = a.starts(without="main")
        a.lines.insert(rng.choice(starts)[1], line)
    return "the start call is " + way


@user_fault("user-section")
def section(a, rng, case):
    name = rng.choice(names_of(case))
    flags, where = rng.choice([("awx", ".mutation"), ("ax", ".mutation"), ("ax", ".text.unlikely.mutation"), ("awx", ".data.mutation")])
    a.lines += ['\t.section\t%s,"%s",@progbits' % (where, flags), "\t.globl\tstray", "stray:", "\tcall\t" + name, "\tret", ""]
    return "%s called in section %s (%s)" % (name, where, flags)


def planned_relas(elf):
    symbols = elf.symbols()
    return [(r, symbols) for r in elf.relas() if re.fullmatch(PLANNED, symbols[r.symbol].name)]


@fault("user-relocation", "built")
def relocation(case, rng):
    if case.subject.lto:
        return None
    objects = case.make_objects(case.built_files())
    elf = Elf(objects["user.o"])
    found = planned_relas(elf)
    if not found:
        return None
    r, symbols = rng.choice(found)
    name = symbols[r.symbol].name
    way = rng.choice(["symbol", "addend", "none"])
    if way == "symbol":
        # another function that the unit calls, generated or not
        rest = [i for i, s in enumerate(symbols) if s.name and not s.section and i != r.symbol and i]
        r.symbol = rng.choice(rest)
        what = "%s is %s" % (name, symbols[r.symbol].name)
    elif way == "addend":
        r.addend += rng.choice([1, 4, -5])
        what = "%s%+d" % (name, r.addend + 4)
    else:
        r.type = 0
        elf.patch(elf.sections[r.target].offset + r.offset - 1, b"\x0f\x1f\x44\0\0")
        what = "%s erased in the object" % name
    elf.set_rela(r)
    data = bytes(elf.data)
    case.objects.append(lambda objs: objs.update({"user.o": data}))
    return "relocation in user.o: " + what
