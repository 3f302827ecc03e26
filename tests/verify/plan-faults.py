#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plan-faults.py FOLDER: every field of the plans in FOLDER altered, one at a time.

FOLDER has N-plan.yaml, N-platform.yaml and N-model-K.yaml for each N.  Each
scalar of a plan gets another value (a number one more, a text one character
more or less, a word another word; also the value that the same field has
elsewhere in the plan), and where a line can be left out it is.  What
perseus-plan-check says of it is counted: caught (not confirmed, or not
readable), named (confirmed, and the field is among those not checked), silent.
Exit status 1 if any is silent.
"""
import glob
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

WORDS = {"objective": ["time", "energy", "edp", "power"], "kind": ["call", "phase", "start", "pin", "step"],
         "over": ["mean", "worst"], "at": ["program-start", "thread-start", "call"],
         "after": ["true", "false"], "proven": ["true", "false"]}
SCALAR = re.compile(r'([a-z_0-9]+): ("(?:[^"\\]|\\.)*"|[-+.a-z0-9]+)')


def fields(lines):
    """(line, start, end, path, value) of each scalar of a plan in canonical form."""
    out, top = [], None
    for i, line in enumerate(lines):
        if line and line[0] not in " -#" and line.rstrip().endswith(":"):
            top = line.rstrip()[:-1]
            continue
        if line and line[0] not in " -":
            top = None
        for m in SCALAR.finditer(line):
            path = m.group(1) if top is None else top + "." + m.group(1)
            out.append((i, m.start(2), m.end(2), path, m.group(2)))
    return out


def other_values(path, value, same):
    """Other values of a field: near ones, and one that it has elsewhere."""
    key = path.split(".")[-1]
    out = []
    if value.startswith('"'):
        text = value[1:-1]
        out.append('"%s"' % (text[:-1] + ("0" if text[-1:] != "0" else "1")))
        if " " in text:
            out.append('"%s"' % text.rsplit(" ", 1)[0])
    elif key in WORDS and value in WORDS[key]:
        out += [w for w in WORDS[key] if w != value]
    elif re.fullmatch(r"[0-9]+", value):
        out.append(str(int(value) + 1))
        if int(value):
            out.append(str(int(value) - 1))
    else:
        out.append(value + "1")
    elsewhere = [v for v in same if v != value and v not in out]
    return out + elsewhere[:1]


def alterations(text):
    lines = text.split("\n")
    found = fields(lines)
    same = {}
    for _, _, _, path, value in found:
        same.setdefault(path, []).append(value)
    for i, start, end, path, value in found:
        for new in other_values(path, value, same[path]):
            yield path, value, new, "\n".join(lines[:i] + [lines[i][:start] + new + lines[i][end:]] + lines[i + 1:])
        if re.fullmatch(r" *[a-z_0-9]+: \S.*", lines[i]):
            yield path, value, "left out", "\n".join(lines[:i] + lines[i + 1:])


def named(path, said):
    for line in re.findall(r"^not checked: ([^:]*):", said, re.M):
        for item in line.split(" of ")[0].split(", "):
            if path == item or path.split(".")[0] == item:
                return True
    return False


def judge(job):
    plan, n, text = job
    with open(plan, "w") as f:
        f.write(text)
    args = ["perseus-plan-check", plan, n + "-platform.yaml"]
    for model in sorted(glob.glob(n + "-model-*.yaml")):
        args += ["--model", model]
    ret = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.unlink(plan)
    return ret.returncode, ret.stdout.decode(errors="replace")


def main():
    count = {}
    plans, silent, crashed = 0, [], 0
    with ThreadPoolExecutor(2) as pool:
        for plan in sorted(glob.glob(os.path.join(sys.argv[1], "*-plan.yaml"))):
            n = plan[:-len("-plan.yaml")]
            text = open(plan).read()
            status, said = judge((n + "-plain.yaml", n, text))
            if status or "\nconfirmed as far as checked" not in said:
                print("%s is not confirmed: %s" % (plan, said))
                return 1
            plans += 1
            list_of = list(alterations(text))
            jobs = [("%s-bad-%d.yaml" % (n, i), n, a[3]) for i, a in enumerate(list_of)]
            for (path, old, new, _), (status, said) in zip(list_of, pool.map(judge, jobs)):
                c = count.setdefault(path, [0, 0, 0])
                crashed += status not in (0, 1, 4)
                if status:
                    c[0] += 1
                elif named(path, said):
                    c[1] += 1
                else:
                    c[2] += 1
                    silent.append("%s: %s: %s -> %s" % (os.path.basename(plan), path, old, new))
    print("%-28s %8s %8s %8s" % ("field", "caught", "named", "silent"))
    for path in sorted(count):
        print("%-28s %8d %8d %8d" % ((path,) + tuple(count[path])))
    total = [sum(c[i] for c in count.values()) for i in range(3)]
    for line in silent[:40]:
        print("silent: " + line)
    print("%d plans, %d fields altered: %d caught, %d named, %d silent, %d crashed"
          % (plans, sum(total), total[0], total[1], total[2], crashed))
    return bool(silent) or bool(crashed)


sys.exit(main())
