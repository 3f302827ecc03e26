# SPDX-License-Identifier: MIT
"""Faults in functions that flush to zero: a way out without an end, code outside of the region, other bits."""
import re

from faults_source import HEADER, edit
from faults_user import CALL, user_fault
from registry import pick, source_fault

END = r"^\t(?:call|jmp)\t(perseus_flush_\d+_end)(?:@PLT)?$"
COMPUTES = r"^\t(?:mul|add|sub|div|ucomi|comi)ss\t"


def found(a, pattern):
    return [i for i, line in enumerate(a.lines) if re.match(pattern, line)]


@user_fault("flush-way")
def way(a, rng, _):
    """One way out does not come by the end."""
    ends = found(a, END)
    if not ends:
        return None
    i = rng.choice(ends)
    tail = "\tjmp\t" in a.lines[i]
    name = a.function_of(i)
    if rng.random() < 0.5:
        a.lines[i:i + 1] = ["\tret"] if tail else []
        return "an end of %s gone" % name
    jump = rng.choice(["je", "js", "jp"])
    a.lines[i:i + 1] = ["\ttestl\t%eax, %eax", "\t%s\t.Lmutation" % jump, a.lines[i], ".Lmutation:"] + (["\tret"] if tail else [])
    return "an end of %s jumped over (%s)" % (name, jump)


@user_fault("flush-moved")
def outside(a, rng, _):
    """The begin behind, or an end before, an instruction that computes."""
    marks = found(a, CALL % r"perseus_flush_\d+_(?:begin|end)")
    rng.shuffle(marks)
    for i in marks:
        first, last = a.functions()[a.function_of(i)]
        begins = "_begin" in a.lines[i]
        near = [k for k in found(a, COMPUTES) if (i < k < last if begins else first < k < i)]
        if not near:
            continue
        line, to = a.lines[i], near[0] + 1 if begins else near[-1]
        what = "%s in %s moved over `%s`" % (a.target(i), a.function_of(i), a.lines[near[0] if begins else to].strip())
        del a.lines[i]
        a.lines.insert(to - (to > i), line)
        return what
    return None


@user_fault("flush-left")
def left(a, rng, _):
    """A jump or call out of the region, for good."""
    ends = found(a, END)
    if not ends:
        return None
    i = rng.choice(ends)
    name = a.function_of(i)
    a.lines[i:i] = rng.choice([["\tjs\texit"], ["\tjns\t.Lmutation", "\tcall\texit@PLT", ".Lmutation:"],
                               ["\tjns\t.Lmutation", "\tcall\tpthread_exit@PLT", ".Lmutation:"]])
    return "%s is left for good" % name


@source_fault("flush-bits", r"perseus_triggers\.h")
def bits(files, _, rng, __):
    m = pick(rng, r"^#define PERSEUS_FP_(?:ENTRY|FLUSH) \(0x([0-9A-F]{4})u\)", files[HEADER])
    if not m:
        return None
    value = int(m.group(1), 16) ^ rng.choice([0x8000, 0x0040, 0x2000, 0x1000, 0x80, 1])
    return edit(files, HEADER, m, m.group(0).replace(m.group(1), "%04X" % value))


@source_fault("flush-body", r"perseus_(?:triggers\.c|support\.h)")
def body(files, name, rng, _):
    m = pick(rng, r"perseus_region_(begin|end)\(\);|level \+ PERSEUS_REGION|level -= PERSEUS_REGION|level == PERSEUS_FLUSHED|"
                  r"level == 0u|level >= PERSEUS_REGION|perseus_platform_(?:un)?flush\(|level = PERSEUS_FLUSHED|!= PERSEUS_FP_ENTRY|"
                  r"PERSEUS_FP_ENTRY \| PERSEUS_FP_FLUSH|fp_(?:unexpected|changed)", files[name])
    if not m:
        return None
    text = m.group(0)
    other = {"level + PERSEUS_REGION": "level", "level -= PERSEUS_REGION": "level -= 1u", "level == PERSEUS_FLUSHED": "level != 0u",
             "level == 0u": "level != 1u", "level >= PERSEUS_REGION": "level > PERSEUS_REGION", "level = PERSEUS_FLUSHED": "level = 0u",
             "!= PERSEUS_FP_ENTRY": "== PERSEUS_FP_ENTRY", "PERSEUS_FP_ENTRY | PERSEUS_FP_FLUSH": "PERSEUS_FP_ENTRY",
             "perseus_platform_flush(": "perseus_platform_unflush(", "perseus_platform_unflush(": "perseus_platform_flush(",
             "fp_unexpected": "fp_changed", "fp_changed": "fp_unexpected",
             "perseus_region_begin();": "perseus_region_end();", "perseus_region_end();": "perseus_region_begin();"}
    return edit(files, name, m, other[text])
