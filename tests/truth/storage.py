# SPDX-License-Identifier: MIT
"""Where the memory of a generated program lies, and what an expression for it looks like."""
from access import Access, pick

OBJECTS = ["stats", "tally", "ring", "meter", "session", "totals", "progress", "account", "traffic", "monitor", "board", "census"]
FIELDS = ["seen", "hits", "misses", "amount", "lines_", "errors", "sent", "acked", "depth", "visits", "odd", "score", "epoch", "queued", "busy", "drops"]
FILLERS = ["int", "long", "short", "char", "void *", "double"]
STRUCTS = {"global": 4, "static": 4, "static-local": 2, "malloc": 3, "calloc": 2, "wrapper": 2, "stack": 3, "tls": 1.5, "mmap": 1, "process": 1}
STRUCTS_CXX = {"new": 4, "unique": 2}
ARRAYS = {"global": 4, "static": 3, "malloc": 3, "calloc": 2, "stack": 3, "mmap": 1, "blocks": 3, "member": 1.5}
ARRAYS_CXX = {"new": 3, "vector": 6, "unique": 2, "std-array": 2}


def make_storage(p):
    rng = p.rng
    families = {"struct": 4, "variables": 2, "array": 5}
    if p.pattern == "both":
        families = {"struct": 3, "variables": 1}
    return {"struct": Struct, "variables": Variables, "array": Array}[pick(rng, families)](p)


class Storage:
    """Defaults of all kinds of storage."""

    def __init__(self, p):
        self.p, self.rng, self.cxx = p, p.rng, p.cxx
        self.api, self.processes, self.moving = None, False, False
        self.object = self.rng.choice(OBJECTS)
        self.names = self.rng.sample(FIELDS, len(FIELDS))
        self.aligned = self.rng.random() < 0.6
        p = self.p.pattern
        self.roles = {"true": 1, "onlyread": 1, "reader": 2, "rare": 2}.get(p, self.p.n)

    def param(self):
        return f", {self.type()}s" if self.type() else ""

    def type(self):
        return ""

    def handle(self):
        return ""

    def prologue(self):
        return []

    def setup(self):
        return []

    def struct_of(self, cell):
        return None

    def in_second_unit(self, cell):
        return False

    def second_unit(self):
        return []

    def address(self, cell):
        return "&" + self.expr(cell)

    def size(self, cell):
        return f"sizeof({self.expr(cell)})"

    def access(self, **more):
        return Access(self.rng, self.cxx, self.p.w, **more)

    def wanted(self):
        """[(roles, load, rare, apart)]: what the pattern asks for, a cell each."""
        n, apart = self.p.n, self.p.apart
        pattern = self.p.pattern
        if pattern in ("true", "onlyread"):
            return [([0], pattern == "onlyread", False, False)]
        if pattern == "reader":
            return [([0], False, False, apart), ([1], True, False, apart)]
        if pattern == "rare":
            return [([0], False, False, apart), ([1], False, True, apart)]
        own = [([r], False, False, apart) for r in range(n)]
        if pattern == "both":
            own.insert(self.rng.randint(0, n), (list(range(n)), False, False, apart))
        elif n <= 3 and self.rng.random() < 0.3:
            own = [c for r in range(n) for c in (own[r], ([r], False, False, False))]
        return own

    def filler(self, k):
        return f"\t{self.rng.choice(FILLERS)} spare_{k};"


class Struct(Storage):
    """One struct; each cell is a member of it."""

    def __init__(self, p):
        super().__init__(p)
        kinds = {**STRUCTS, **(STRUCTS_CXX if self.cxx else {})}
        if p.pattern not in ("false", "true", "private") or p.n != 2:
            kinds.pop("process")
        self.kind = pick(self.rng, kinds)
        if self.kind == "process":
            self.api, self.processes = "pthread", True
        self.bits = self.rng.random() < 0.08
        self.name = f"struct {self.kind}" + (" of bit-fields" if self.bits else "")
        self.moving = self.kind == "stack" and not self.aligned
        self.tag = self.object.capitalize() if self.cxx else self.object
        self.var = self.object + "_" if self.cxx else self.object

    def cells(self):
        from generate import Cell
        self.members, out = [], []
        if self.rng.random() < 0.5:
            self.members += [self.filler(100 + k) for k in range(self.rng.randint(1, 4))]
        for k, (roles, load, rare, apart) in enumerate(self.wanted()):
            a = self.access(bits=self.bits, load=load)
            field, member, text = self.member(k, a)
            c = Cell(self.p, f"c{k}", "o0", field, member, roles, a, rare)
            if apart or (self.p.apart and k == 0):
                text = self.apart(k) + text
            self.members.append((c, text))
            if not self.bits and self.rng.random() < 0.2:
                self.members.append(self.filler(k))
            out.append(c)
        return out

    def apart(self, k):
        return f"\tchar apart_{k}[64];\n"

    def member(self, k, a):
        """([what the field may be called], the path to it, its text with %s for the qualified type)"""
        n = self.names[k]
        how = pick(self.rng, {"plain": 6, "nested": 1.5, "union": 1 if a.shape != "atomic" else 0})
        if self.bits:
            return [n], n, f"\tunsigned : 0;\n\t%s {n} : {self.rng.randint(3, 31)};"
        if how == "nested":
            return [n, f"in_{k}.{n}"], f"in_{k}.{n}", f"\tstruct {{ %s {n}; }} in_{k};"
        if how == "union":
            return [n, f"u_{k}.{n}", f"u_{k}", f"u_{k}.raw", f"u_{k}.raw[]"], f"u_{k}.{n}", f"\tunion {{ %s {n}; unsigned char raw[8]; }} u_{k};"
        return [n], n, f"\t%s {n};"

    def struct_text(self):
        out = [f"struct {self.tag} {{"]
        methods = []
        for m in self.members:
            if isinstance(m, str):
                out.append(m)
            else:
                out += (m[1] % m[0].access.qualified()).split("\n")
                methods += m[0].access.method()
        return out + methods + ["};", ""]

    def declarations(self):
        al, tag, var = ("AT_LINE " if self.aligned else ""), self.tag, self.var
        out = self.struct_text()
        k = self.kind
        if k in ("global", "static"):
            out += [f"{'static ' if k == 'static' else ''}{al}struct {tag} {var}; /* = o0 */", ""]
        elif k == "static-local":
            out += [f"static NOIPA struct {tag} *the_{self.object}(void)", "{", f"\tstatic {al}struct {tag} {var}; /* = o0 */", "",
                    f"\treturn &{var};", "}", ""]
        elif k == "tls":
            # A std::atomic may have a constructor, which __thread does not take.
            out += [f"static {'thread_local' if self.cxx else '__thread'} {al}struct {tag} {var}; /* = o0 */", ""]
        elif k == "wrapper":
            out += ["static __attribute__((noinline)) void *get_memory(size_t n)", "{", "\tvoid *p = malloc(n + some(0)); /* = o0 */", "",
                    "\tmemset(p, 0, n);", "\treturn p;", "}", ""]
        return out

    def setup(self):
        t = f"struct {self.tag}"
        al = "AT_LINE " if self.aligned else ""
        shift = [f"void *before = malloc({self.rng.choice([8, 24, 40, 56, 72, 100])});", "sink((long)before);"] if self.rng.random() < 0.5 else []
        make = {"malloc": f"{t} *s = ({t} *)malloc(sizeof(*s)); /* = o0 */", "calloc": f"{t} *s = ({t} *)calloc(1, sizeof(*s)); /* = o0 */",
                "wrapper": f"{t} *s = ({t} *)get_memory(sizeof(*s)); /* = o0 */", "new": f"{t} *s = new {t}(); /* = o0 */",
                "unique": f"auto owner = std::make_unique<{t}>(); /* = o0 */\n\t{t} *s = owner.get();",
                "stack": f"{al}{t} {self.var}; /* = o0 */\n\tmemset((void *)&{self.var}, 0, sizeof({self.var}));",
                "mmap": f"{t} *s = ({t} *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* = o0 */",
                "process": f"{t} *s = ({t} *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); /* = o0 */"}
        if self.kind not in make:
            return []
        zero = ["memset((void *)s, 0, sizeof(*s));"] if self.kind == "malloc" else []
        return (shift if self.kind in ("malloc", "calloc", "wrapper", "new", "unique") else []) + [make[self.kind]] + zero

    def by_pointer(self):
        return self.kind not in ("global", "static")

    def type(self):
        return f"struct {self.tag} *" if self.by_pointer() else ""

    def handle(self):
        return {"stack": f"&{self.var}", "tls": f"&{self.var}", "static-local": f"the_{self.object}()"}.get(self.kind, "s")

    def struct_of(self, cell):
        return self.tag

    def owner(self, cell):
        return "(*s)" if self.by_pointer() else self.var

    def expr(self, cell):
        return ("s->" if self.by_pointer() else self.var + ".") + cell.member

    def address(self, cell):
        if self.bits:
            return f"(char *)&{self.owner(cell)} + {self.bits_offset(cell)}"
        return "&" + self.expr(cell)

    def bits_offset(self, cell):
        """Each bit-field begins a unit of its own; there is nothing but units and `apart`."""
        at = 0
        for m in self.members:
            at += 64 * (not isinstance(m, str) and "apart_" in m[1])
            if m[0] is cell:
                return at
            at += 4

    def filler(self, k):
        return f"\tunsigned spare_{k};" if self.bits else super().filler(k)

    def size(self, cell):
        return "4" if self.bits else super().size(cell)

    def objects(self):
        names = [self.var] if self.kind in ("global", "static", "static-local", "stack", "tls") else [self.tag]
        return {"o0": {"names": names}}


class Variables(Storage):
    """A variable for each cell, of one unit or of two."""

    def __init__(self, p):
        super().__init__(p)
        self.two = self.rng.random() < 0.35
        self.static = not self.two and self.rng.random() < 0.5
        self.init = self.rng.random() < 0.5
        self.name = "globals of two units" if self.two else "static globals" if self.static else "globals"

    def cells(self):
        from generate import Cell
        out = []
        self.apart = []
        for k, (roles, load, rare, apart) in enumerate(self.wanted()):
            n = self.names[k]
            a = self.access(load=load)
            out.append(Cell(self.p, f"c{k}", f"o{k}", [], n, roles, a, rare))
            self.apart.append(apart or (k == 0 and self.aligned))
        self.all = out
        return out

    def in_second_unit(self, cell):
        return self.two and int(cell.name[1:]) % 2 == 1

    def variable(self, k):
        c = self.all[k]
        init = "" if not self.init else "{1}" if "std::" in c.access.type else " = 0" if "*" in c.access.type else " = 1"
        return f"{'static ' if self.static else ''}{'AT_LINE ' if self.apart[k] else ''}{c.access.qualified()} {c.member}{init}; /* = o{k} */"

    def declarations(self):
        noise = [f"{self.rng.choice(FILLERS)} other_{k}{' = 0' if self.rng.random() < 0.5 else ''};" for k in range(self.rng.randint(0, 4))]
        own = [self.variable(k) for k, c in enumerate(self.all) if not self.in_second_unit(c)]
        ext = [f"extern {c.access.qualified()} {c.member};" for c in self.all if self.in_second_unit(c)]
        return noise + own + ext + [""]

    def second_unit(self):
        if not self.two:
            return []
        inc = ["/* SPDX-License-Identifier: MIT */", '#include "crew.h"', '#include "truth.h"', "#include <string.h>",
               "#include <atomic>" if self.cxx else "#include <stdatomic.h>", ""]
        mine = [k for k, c in enumerate(self.all) if self.in_second_unit(c)]
        out = inc + [self.variable(k) for k in mine]
        for k in mine:
            out += [""] + self.all[k].access.outside()
        return out

    def expr(self, cell):
        return cell.member

    def objects(self):
        return {f"o{k}": {"names": [c.member]} for k, c in enumerate(self.all)}


class Array(Storage):
    """Elements of an array, one for each thread: numbers or structs."""

    def __init__(self, p):
        super().__init__(p)
        kinds = {**ARRAYS, **(ARRAYS_CXX if self.cxx else {})}
        self.kind = pick(self.rng, kinds)
        self.structs = self.kind == "blocks" or (self.kind != "member" and self.rng.random() < 0.6)
        self.row = 0 if self.structs or self.kind not in ("global", "static") or self.rng.random() < 0.6 else self.rng.randint(2, 12)
        self.mine = self.rng.random() < 0.5
        self.moving = self.kind in ("stack", "std-array") and not self.aligned
        self.tag = self.object.capitalize() if self.cxx else self.object
        self.var = ("all_" + self.object) if self.kind != "member" else self.object + "_all"
        self.name = f"array {self.kind}" + (" of structs" if self.structs else f" of rows of {self.row}" if self.row else " of numbers")
        self.roles = {"reader": 2, "rare": 2}.get(p.pattern, 1)
        self.stride = 1 if not p.apart or self.kind == "blocks" else 8 if self.structs else 64

    def cells(self):
        from generate import Cell
        out, fields, same = [], (self.rng.choice([1, 1, 2, 3]) if self.structs else 1), None
        for role in range(self.roles):
            load = self.p.pattern == "onlyread" or (self.p.pattern == "reader" and role == 1)
            rare = self.p.pattern == "rare" and role == 1
            for k in range(fields):
                old = [c for c in out if c.member == self.names[k]] if self.structs else out
                a = self.access(load=load, same=(old[0].access.type, old[0].access.shape) if old else None)
                if self.row and a.shape == "atomic" and self.cxx:
                    pass
                field = [self.names[k]] if self.structs else ["[]", "", *([self.names[0], self.names[0] + "[]"] if self.kind == "member" else [])]
                c = Cell(self.p, f"c{role * fields + k}", "o0", field, self.names[k] if self.structs else "", [role], a, rare)
                if old:
                    a.volatile = old[0].access.volatile
                out.append(c)
        self.all, self.fields = out, fields
        return out

    def element(self):
        return f"struct {self.tag}" if self.structs else self.all[0].access.qualified()

    def declarations(self):
        out = []
        if self.structs:
            out += [f"struct {self.tag} {{"] + [self.filler(100 + k) for k in range(self.rng.choice([0, 0, 1, 2, 5]))]
            out += [f"\t{c.access.qualified()} {c.member};" for c in self.all[:self.fields]]
            for c in self.all:
                out += c.access.method()
            if self.kind == "blocks" and self.p.apart:
                out.append("\tchar apart[128];")
            out += ["};", ""]
        n, al = self.p.n * self.stride, "AT_LINE " if self.aligned else ""
        if self.kind in ("global", "static"):
            row = f"[{self.row}]" if self.row else ""
            out += [f"{'static ' if self.kind == 'static' else ''}{al}{self.element()} {self.var}[{n}]{row}; /* = o0 */", ""]
        elif self.kind == "member":
            out += [f"struct {self.tag} {{ long spare; {self.element()} {self.names[0]}[{n}]; }};", f"static {al}struct {self.tag} {self.var}; /* = o0 */", ""]
        return out

    def setup(self):
        e, n = self.element(), self.p.n * self.stride
        al = "AT_LINE " if self.aligned else ""
        zero = ["memset((void *)s, 0, sizeof(*s) * %d);" % n]
        if self.kind == "blocks":
            other = "sink((long)malloc(%d));" % self.rng.choice([1, 30, 50, 100]) if self.rng.random() < 0.3 else ""
            make = f"new {e}()" if self.cxx and self.rng.random() < 0.6 else f"({e} *)calloc(1, sizeof({e}))"
            if self.rng.random() < 0.5:
                return [f"{e} *s[{n}];", f"for (int i = 0; i < {n}; i++) {{", f"\ts[i] = {make}; /* = o0 */", "\t" + other, "}"]
            return [f"{e} *s[{n}];"] + [f"s[{i}] = {make}; /* = o0 */ {other}" for i in range(n)]
        return {"malloc": [f"{e} *s = ({e} *)malloc({n} * sizeof(*s)); /* = o0 */"] + zero,
                "calloc": [f"{e} *s = ({e} *)calloc({n}, sizeof(*s)); /* = o0 */"],
                "new": [f"{e} *s = new {e}[{n}](); /* = o0 */"],
                "vector": [f"std::vector<{self.plain()}> {self.var}({n}); /* = o0 */"],
                "unique": [f"std::unique_ptr<{e}[]> owner(new {e}[{n}]()); /* = o0 */", f"{e} *s = owner.get();"],
                "std-array": [f"{al}std::array<{self.plain()}, {n}> {self.var}; /* = o0 */", f"memset((void *)&{self.var}, 0, sizeof({self.var}));"],
                "stack": [f"{al}{e} {self.var}[{n}]; /* = o0 */", f"memset((void *){self.var}, 0, sizeof({self.var}));"],
                "mmap": [f"{e} *s = ({e} *)mmap(NULL, {n} * sizeof(*s), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* = o0 */"]}.get(self.kind, [])

    def plain(self):
        return self.element().replace("volatile ", "")

    def type(self):
        if self.kind in ("global", "static", "member"):
            return ""
        if self.kind == "vector" and not self.mine:
            return f"std::vector<{self.plain()}> *"
        return f"{self.element()} *" + ("*" if self.kind == "blocks" else "")

    def handle(self):
        if self.kind == "vector":
            return self.var + ".data()" if self.mine else "&" + self.var
        return {"std-array": self.var + ".data()", "stack": self.var}.get(self.kind, "s")

    def base(self):
        return {"global": self.var, "static": self.var, "member": f"{self.var}.{self.names[0]}"}.get(self.kind) or (
            "(*s)" if self.kind == "vector" and not self.mine else "s")

    def index(self):
        if self.p.pattern == "true":
            return "0"
        return "id" if self.stride == 1 else f"id * {self.stride}"

    def prologue(self):
        if not self.local():
            return []
        if self.kind == "blocks":
            return [f"{self.element()} *mine = s[{self.index()}];"]
        return [f"{self.element()} *mine = &{self.base()}[{self.index()}];"]

    def local(self):
        return self.kind == "blocks" or (self.mine and not self.row)

    def owner(self, cell):
        return "(*mine)" if self.local() else f"{self.base()}[{self.index()}]"

    def expr(self, cell):
        if self.row:
            return f"{self.owner(cell)}[i % {self.row}]"
        return self.owner(cell) + ("." + cell.member if cell.member else "")

    def address(self, cell):
        return f"&{self.owner(cell)}[0]" if self.row else super().address(cell)

    def size(self, cell):
        return f"sizeof({self.owner(cell)})" if self.row else super().size(cell)

    def struct_of(self, cell):
        return self.tag if self.structs else None

    def objects(self):
        named = self.kind in ("global", "static", "stack", "std-array", "member")
        return {"o0": {"names": [self.var] if named else [self.tag] if self.structs else []}}
