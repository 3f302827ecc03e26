# SPDX-License-Identifier: MIT
"""Faults in the user's own source: what somebody adds by hand.  They reach programs whose objects hold no
machine code (-flto), and stand in every compilation of the source."""
import re

from faults_user import names_of
from registry import fault


def append(case, text):
    cxx = case.subject.source.endswith(".cc")
    lead = '\n#define PERSEUS_C extern "C"\n' if cxx else "\n#define PERSEUS_C extern\n"
    case.source += (lead + text).encode()


def trigger(case, rng):
    return rng.choice(names_of(case))


def declare(name):
    return "PERSEUS_C void %s(void);\n" % name


@fault("text-extra-call", "reviewed")
def extra_call(case, rng):
    name = trigger(case, rng)
    append(case, declare(name) + "PERSEUS_C __attribute__((noinline, used)) void stray(void)\n{\n\t%s();\n}\n"
           .replace("PERSEUS_C __attr", "__attr") % name)
    return "%s called by hand in a function of its own" % name


@fault("text-static", "reviewed")
def static_call(case, rng):
    """Behind a static function that is reached by a constructor only."""
    name = trigger(case, rng)
    append(case, declare(name) + "__attribute__((constructor)) static void stray(void)\n{\n\t%s();\n}\n" % name)
    return "%s called by a constructor" % name


@fault("text-pointer", "reviewed")
def pointer(case, rng):
    name = trigger(case, rng)
    way = rng.choice(["global", "table", "local", "const"])
    text = {
        "global": "void (*volatile stray)(void) = %s;\n",
        "table": "extern void (*stray_table[2])(void);\nvoid (*stray_table[2])(void) = {0, %s};\n",
        "const": "extern void (*const stray_table[2])(void);\n__attribute__((used)) void (*const stray_table[2])(void) = {0, %s};\n",
        "local": "__attribute__((noinline, used)) void stray(int n)\n{\n\tvoid (*volatile f)(void) = n ? %s : 0;\n\n\tif (f)\n\t\tf();\n}\n",
    }[way]
    append(case, declare(name) + text % name)
    return "%s in a pointer (%s)" % (name, way)


def body_start(case, rng, pattern=r"\w+"):
    """Place behind the opening brace of a function of the source."""
    text = case.source.decode()
    found = [m for m in re.finditer(r"(?m)^[a-z_][^\n;=#]*\b(%s)\([^;{}]*\)\n\{\n" % pattern, text) if "static inline" not in m.group(0)]
    return (text, rng.choice(found)) if found else (None, None)


def declared_first(case, text, name):
    return ('extern "C" ' if case.subject.source.endswith(".cc") else "") + "void %s(void);\n" % name + text


@fault("text-inside", "reviewed")
def inside(case, rng):
    """A call by hand as the first statement of a function."""
    name = trigger(case, rng)
    text, m = body_start(case, rng)
    if m is None:
        return None
    lines = text.count("\n", 0, m.end())
    text = text[:m.end()] + "\t%s();\n" % name + text[m.end():]
    # the numbers of the lines stay: sites are known by them
    case.source = ("#line 1\n" + text.replace("\t%s();\n" % name, "\t%s();\n#line %d\n" % (name, lines + 1), 1)).encode()
    case.source = (declared_first(case, "", name) + case.source.decode()).encode()
    return "%s called by hand in %s" % (name, m.group(1))


@fault("text-status", "reviewed")
def status(case, rng):
    what = rng.choice(["perseus_status.machine = 1u;", "perseus_status.pins[2] = 0u;", "perseus_status.pins[0]++;",
                       "__builtin_memset(&perseus_status, 0, sizeof(perseus_status));"])
    include = '#include "perseus_triggers.h"\n'
    append(case, include + "__attribute__((noinline, used)) void stray(void)\n{\n\t%s\n}\n" % what)
    return "the program has `%s`" % what


@fault("text-internal", "reviewed")
def internal(case, rng):
    what = rng.choice(["perseus_thread_enter(1u);", "(void)perseus_creation_take();", "perseus_creation_undo();"])
    append(case, '#include "perseus_triggers.h"\n__attribute__((noinline, used)) void stray(void)\n{\n\t%s\n}\n' % what)
    return "the program calls `%s`" % what


@fault("text-state", "reviewed")
def state(case, rng):
    """Through a pointer that other code got."""
    what = rng.choice(["extern volatile uint32_t *stray;\n__attribute__((used)) volatile uint32_t *stray = &perseus_status.machine;\n",
                       "__attribute__((noinline, used)) uint32_t *stray(void)\n{\n\treturn &perseus_status.machine;\n}\n"])
    append(case, '#include "perseus_triggers.h"\n' + what)
    return "the address of the status or table is kept for writing"
