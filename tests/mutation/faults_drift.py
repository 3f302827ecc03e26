# SPDX-License-Identifier: MIT
"""The source drifts away from the recorded one: equal calls come, go and change places."""
import re

from faults_source import PLANFILE, plan_lines
from registry import fault, source_fault


def planned(case, rng):
    """Line of the source that holds the call of a trigger's site, or None."""
    found = re.findall(r"(?m)^call \d+ \S+ \S+ \S+ \S+ \S+ (\S+) (\d+)(?: \d+ [0-9a-f]{8})?$", case.generate(case.plan)["perseus_triggers.plan"].decode())
    lines = case.source.decode().split("\n")
    found = [(callee, int(line) - 1) for callee, line in found if int(line) <= len(lines) and re.search(r"\b%s\(" % callee, lines[int(line) - 1])
             and lines[int(line) - 1].strip().endswith(";") and "return" not in lines[int(line) - 1]]
    return (lines,) + rng.choice(found) if found else None


@fault("drift-insert", "built")
def insert(case, rng):
    """One more equal call in front, maybe on the same line: every count behind it is one too small."""
    what = planned(case, rng)
    if what is None or case.subject.lto and rng.random() < 0.5:
        return None
    lines, callee, at = what
    call = re.search(r"\b%s\(.*;" % callee, lines[at]).group(0)
    text = lines[at][:len(lines[at]) - len(lines[at].lstrip())] + call
    if rng.random() < 0.5 and not re.match(r"\s*(if|for|while)\b", lines[at - 1]):
        lines[at] = text + " " + lines[at].strip()
        case.source = "\n".join(lines).encode()
        return "`%s` once more, on the same line" % text.strip()
    at -= 1 if re.match(r"\s*(if|for|while)\b", lines[at - 1]) and not lines[at - 1].rstrip().endswith("{") else 0
    lines.insert(at, text)
    case.source = "\n".join(lines).encode()
    return "`%s` once more, in front" % text.strip()


@source_fault("drift-line", PLANFILE, kinds=("built",))
def line(files, name, rng, case):
    """A line of the plugin's file by hand; its last line as it was, or made anew."""
    lines, found = plan_lines(files[name], ("call ", "create "))
    i = rng.choice(found)
    fields = lines[i].split(" ")
    k = rng.choice([1, 2, 3, -4, -2, -1])
    other = [lines[j].split(" ")[k] for j in found if j != i and lines[j].split(" ")[0] == fields[0] and lines[j].split(" ")[k] != fields[k]]
    if not other:
        return None
    old, fields[k] = fields[k], rng.choice(other)
    lines[i] = " ".join(fields)
    files[name] = "\n".join(lines)
    return "%s: `%s` is `%s` in `%s`, by hand" % (name, old, fields[k], lines[i][:40])
