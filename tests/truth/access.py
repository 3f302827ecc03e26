# SPDX-License-Identifier: MIT
"""How a generated program touches memory: types, statements, and the functions around them."""

TYPES = ["char", "short", "int", "unsigned", "long", "unsigned long", "long long", "float", "double", "uint8_t", "uint32_t", "int64_t"]
ATOMIC_C = ["_Atomic int", "_Atomic long", "atomic_uint", "_Atomic uint64_t"]
ATOMIC_CXX = ["std::atomic<int>", "std::atomic<long>", "std::atomic<uint64_t>", "std::atomic<unsigned>"]
POINTERS = ["char *", "const char *", "void **"]


def pick(rng, weights):
    return rng.choices(list(weights), list(weights.values()))[0]


class Access:
    """One kind of access to one type, in one form of code."""

    def __init__(self, rng, cxx, w, member=True, bits=False, load=False, store_only=False, atomic=None, same=None):
        self.rng, self.cxx, self.w, self.bits = rng, cxx, w, bits
        self.type, self.shape = same or self.choose_type(atomic)
        self.kind = "load" if load else self.choose_kind()
        self.member = member

    def choose_type(self, atomic):
        rng = self.rng
        if self.bits:
            return "unsigned", "plain"
        shape = pick(rng, {"plain": 6, "builtin": 1, "atomic": 3, "pointer": 0.5})
        if atomic:
            shape = "atomic"
        if shape == "atomic":
            return rng.choice(ATOMIC_CXX if self.cxx else ATOMIC_C), shape
        if shape == "pointer":
            return rng.choice(POINTERS), shape
        if shape == "builtin":
            return rng.choice([t for t in TYPES if t not in ("float", "double")]), shape
        return rng.choice(TYPES), shape

    def choose_kind(self):
        kinds = {"plain": {"inc": 4, "add": 3, "store": 2, "cond": 1, "memset": 0.4, "memcpy": 0.3},
                 "builtin": {"fetch_add": 2, "sync_add": 1, "astore": 1},
                 "atomic": {"fetch_add": 4, "inc": 1, "astore": 2, "cas": 1},
                 "pointer": {"inc": 2, "store": 1}}[self.shape]
        if self.bits:
            kinds = {"inc": 2, "add": 2, "store": 1}
        return pick(self.rng, kinds)

    def bind(self, program, cell):
        """Choose the form of code, now that the storage is known."""
        self.cell, self.storage = cell, program.storage
        forms = {"direct": 3, **({} if self.bits else {"pointer": 2})}
        if self.storage.struct_of(cell):
            forms["object"] = 2
            if self.cxx:
                forms["method"] = 2
        if self.cxx and not self.bits:
            forms.update(reference=2, template=1, **{"lambda": 1})
        self.form = "outside" if self.storage.in_second_unit(cell) else pick(self.rng, forms)
        # What keeps the access in the loop.  The loop has a fence, which stands for the caller's other work.
        self.volatile = self.shape == "plain" and self.rng.random() < 0.4 and self.kind not in ("memset", "memcpy")
        self.how = pick(self.rng, {"static inline": 2, "static __attribute__((noinline))": 2, "static NOIPA": 2,
                                   "static inline __attribute__((always_inline))": 1})

    # ---- what is true of it ------------------------------------------------

    def writes(self):
        return self.kind != "load"

    def is_atomic(self):
        return self.kind in ("fetch_add", "sync_add", "cas") or (self.shape == "atomic" and self.kind == "inc")

    def heat(self):
        """hot: harmful for sure where it meets another one; gray: it may be."""
        if self.is_atomic():
            return "hot"
        if self.kind in ("store", "astore", "memset", "memcpy"):
            return "hot" if self.w <= 2 else "gray"
        return "hot" if self.w <= 30 else "gray"

    # ---- text --------------------------------------------------------------

    def qualified(self):
        return ("volatile " if self.volatile else "") + self.type

    def statement(self, e):
        t, k = self.type, self.kind
        if self.shape == "atomic" and self.cxx:
            order = self.rng.choice(["std::memory_order_relaxed", "std::memory_order_seq_cst"])
            return {"fetch_add": f"{e}.fetch_add(1, {order});", "inc": f"{e}++;", "astore": f"{e}.store(i, {order});",
                    "load": f"x += (long){e}.load({order});",
                    "cas": f"for (auto old = {e}.load(); !{e}.compare_exchange_weak(old, old + 1);) continue;"}[k]
        if self.shape == "atomic":
            return {"fetch_add": f"atomic_fetch_add(&{e}, 1);", "inc": f"{e}++;", "astore": f"atomic_store(&{e}, i);",
                    "load": f"x += (long)atomic_load(&{e});",
                    "cas": f"for (__typeof__({e} + 0) old = {e}; !atomic_compare_exchange_weak(&{e}, &old, old + 1);) continue;"}[k]
        if self.shape == "pointer" and k == "store":
            return f"{e} = ({t})(i * 8);"
        return {"inc": f"{e}++;", "add": f"{e} += 3;", "store": f"{e} = ({t})i;", "cond": f"if (i & 1) {e}++;",
                "load": f"x += (long){e};", "memset": f"memset((void *)&{e}, (int)i, some(sizeof({e})));",
                "memcpy": f"memcpy((void *)&{e}, (void *)&i, some(sizeof({e})));",
                "fetch_add": f"__atomic_fetch_add(&{e}, 1, __ATOMIC_RELAXED);", "sync_add": f"__sync_fetch_and_add(&{e}, 1);",
                "astore": f"__atomic_store_n(&{e}, i, __ATOMIC_RELEASE);"}[k]

    def mark(self):
        return f"/* <- {self.cell.name} */"

    def name(self):
        return "touch_" + self.cell.name

    def expr(self):
        return self.storage.expr(self.cell)

    def address(self):
        return self.storage.address(self.cell)

    def size(self):
        return self.storage.size(self.cell)

    def method(self):
        """As a member of the struct; the storage puts it there."""
        if self.form != "method":
            return []
        keep = self.how.replace("static ", "").replace("inline", "").strip() if "NOIPA" in self.how or "noinline" in self.how else ""
        return [f"\t{keep} long {self.name()}(long x, long i) {{ {self.statement(self.cell.member)} return x; }} {self.mark()}"]

    def function(self):
        q, st = self.qualified(), self.storage
        if self.form == "object":
            s = st.struct_of(self.cell)
            return [f"{self.how} long {self.name()}(struct {s} *p, long x, long i)", "{",
                    f"\t{self.statement('p->' + self.cell.member)} {self.mark()}", "\treturn x;", "}", ""]
        if self.form == "pointer":
            return [f"{self.how} long {self.name()}({q} *p, long x, long i)", "{", f"\t{self.statement('(*p)')} {self.mark()}", "\treturn x;", "}", ""]
        if self.form == "reference":
            return [f"{self.how} long {self.name()}({q} &r, long x, long i)", "{", f"\t{self.statement('r')} {self.mark()}", "\treturn x;", "}", ""]
        if self.form == "template":
            return [f"template <class T> {self.how} long {self.name()}(T &r, long x, long i)", "{", f"\t{self.statement('r')} {self.mark()}",
                    "\treturn x;", "}", ""]
        if self.form == "outside":
            return [f'extern "C" long {self.name()}(long x, long i);' if self.cxx else f"extern long {self.name()}(long x, long i);", ""]
        return []

    def outside(self):
        """The function as it stands in the second unit."""
        c = 'extern "C" ' if self.cxx else ""
        return [f"{c}long {self.name()}(long x, long i)", "{", f"\t{self.statement(self.cell.member)} {self.mark()}", "\treturn x;", "}"]

    def call(self):
        e, n = self.expr(), self.name()
        if self.form == "direct":
            return f"{self.statement(e)} {self.mark()}"
        if self.form == "lambda":
            return f"[&] {{ {self.statement(e)} }}(); {self.mark()}"
        if self.form == "method":
            return f"x = {self.storage.owner(self.cell)}.{n}(x, i);"
        if self.form == "object":
            return f"x = {n}(&{self.storage.owner(self.cell)}, x, i);"
        if self.form == "outside":
            return f"x = {n}(x, i);"
        return f"x = {n}({'&' if self.form == 'pointer' else ''}{e}, x, i);"
