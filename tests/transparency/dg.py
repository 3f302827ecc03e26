# SPDX-License-Identifier: MIT
"""The directives in GCC's test programs, as far as they say what to compile and run.

Read are dg-do, dg-options, dg-additional-options, dg-additional-sources,
dg-require-effective-target, dg-set-target-env-var and dg-shouldfail, with
their target selectors.  The rest (dg-skip-if, dg-xfail-run-if, ...) is about
programs that fail on some machine: a program that fails without the plugin is
left out by its name anyway.
"""
import fnmatch
import re

TRIPLET = "x86_64-pc-linux-gnu"
# Effective targets that hold for GCC 11 and later on x86-64 GNU/Linux.
HOLDS = set("""lp64 int32 int32plus int128 double64 double64plus longlong64 ptr32plus size32plus size20plus
    alloca label_values indirect_jumps nonlocal_goto trampolines signal c99_runtime stdint_types untyped_assembly
    return_address mmap fileio fpic fpie pie shared static tls tls_native tls_runtime fopenmp pthread pthread_h
    vect_int vect_simd_clones sse2 sse2_runtime sse sse_runtime sync_int_long sync_char_short sync_long_long
    freorder weak weak_undefined alias gld gnu c lto dfp dfprt float128 float128_runtime float64 float64x
    float32 float32x x87 hard_float inf large_double wchar mempcpy stpcpy string_merging noinit cet exceptions
    exceptions_enabled gthreads unwrapped run_expensive_tests named_sections""".split())
CXX = ["98", "11", "14", "17", "20"]
DIRECTIVE = re.compile(r"\{\s*(dg-[a-z-]+)")


def _closing(text, start):
    """Index after the brace that closes the one at start."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] == "{":
            depth += 1
        elif text[i] == "}":
            depth -= 1
            if depth == 0:
                return i + 1
    return len(text)


def words(text):
    """The words of a Tcl list: quoted, braced or bare."""
    found, i = [], 0
    while i < len(text):
        if text[i].isspace():
            i += 1
        elif text[i] == "{":
            end = _closing(text, i)
            found.append(text[i + 1:end - 1])
            i = end
        elif text[i] == '"':
            end = i + 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            found.append(text[i + 1:end])
            i = end + 1
        else:
            end = i
            while end < len(text) and not text[end].isspace() and text[end] not in "{}":
                end += 1
            found.append(text[i:end])
            i = max(end, i + 1)
    return found


def directives(text):
    """All (name, words) of a source file, in order."""
    for match in DIRECTIVE.finditer(text):
        body = text[match.end():_closing(text, match.start()) - 1]
        yield match.group(1), words(body)


def holds(name, std):
    """Whether this machine, compiling C++ of level std (None: C), is what name says."""
    match = re.fullmatch(r"c\+\+(\d\d|[12][a-z])(_only|_down)?", name)
    if match:
        level = {"0x": "11", "1y": "14", "1z": "17", "2a": "20", "2b": "23"}.get(match.group(1), match.group(1))
        if std is None or level not in CXX:
            return False
        have, want = CXX.index(std), CXX.index(level)
        return {"_only": have == want, "_down": have <= want}.get(match.group(2), have >= want)
    if name == "c":
        return std is None
    if name == "c++":
        return std is not None
    if name.startswith("avx") or name == "vect_simd_clones":
        return "avx2" in _cpu_flags() if "2" in name or name.startswith("vect") else "avx" in _cpu_flags()
    return name in HOLDS or ("-" in name and fnmatch.fnmatchcase(TRIPLET, name))


def _cpu_flags():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        match = re.search(r"^flags\s*:(.*)$", f.read(), re.M)
    return match.group(1).split() if match else []


class _Selector:
    """A selector expression: names, globs, !, &&, || and braces."""

    def __init__(self, text, std):
        self.tokens = re.findall(r"\{|\}|&&|\|\||!|[^\s{}!]+", text)
        self.std = std

    def any(self):
        """A list of expressions, of which one must hold."""
        result = False
        while self.tokens and self.tokens[0] != "}":
            result |= self._or()
        return result

    def _or(self):
        result = self._and()
        while self.tokens and self.tokens[0] == "||":
            self.tokens.pop(0)
            result |= self._and()
        return result

    def _and(self):
        result = self._one()
        while self.tokens and self.tokens[0] == "&&":
            self.tokens.pop(0)
            result &= self._one()
        return result

    def _one(self):
        token = self.tokens.pop(0) if self.tokens else "{"
        if token == "!":
            return not self._one()
        if token == "{":
            result = self.any()
            if self.tokens:
                self.tokens.pop(0)
            return result
        return holds(token, self.std)


def selected(selector, std):
    """Whether `target ...` of a directive holds; xfail and no selector do not limit it."""
    parts = words(selector)
    if "target" not in parts:
        return True
    text = re.sub(r"^.*?\btarget\b", "", selector, count=1, flags=re.S)
    return _Selector(re.split(r"\bxfail\b", text)[0], std).any()


class Wanted:
    """What a source file asks for when compiled as C++ level std (None: C)."""

    def __init__(self, text, std, default_do, default_options):
        self.do = default_do
        self.options = list(default_options)
        self.more = []
        self.sources = []
        self.env = {}
        self.fails = False
        self.fits = True
        for name, args in directives(text):
            self._take(name, args, std)

    def _take(self, name, args, std):
        if name == "dg-do" and args:
            self.do = args[0]
            self.fits &= len(args) < 2 or selected(args[1], std)
        elif name == "dg-require-effective-target" and args:
            # Only what surely does not hold here; the plain build decides the rest.
            known = args[0].startswith(("c++", "ia32", "ilp32", "arm", "powerpc", "offload", "avx"))
            self.fits &= not known or holds(args[0], std)
        elif name == "dg-shouldfail":
            self.fails = True
        elif name == "dg-set-target-env-var" and len(args) >= 2:
            self.env[args[0]] = args[1]
        elif args and selected(args[1] if len(args) > 1 else "", std):
            if name == "dg-options":
                self.options = args[0].replace('"', "").split()
            elif name == "dg-additional-options":
                self.more += args[0].replace('"', "").split()
            elif name == "dg-additional-sources":
                self.sources += args[0].split()

    def flags(self):
        """Flags that stand behind the optimisation level; no dumps and temporaries are kept."""
        return [f for f in self.options + self.more if not f.startswith(("-fdump", "-save-temps", "-fopt-info"))]
