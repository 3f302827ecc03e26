#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""inject.py: commands whose system calls, memory, disk or standard output fail once, and what they do then.

A line of the file of cases is NAME RESULTS COMMAND: RESULTS are the files or folders that it writes
into `@`, parted by commas, or `-`; one with `+` behind it is not there before, and
one with `~` has what there is of incomplete data, with status 4.  Commands run in the
folder of inputs, which they leave as it is.

Right is: the same status, output and results as undisturbed; or another status, a line on stderr that
names the file or what could not be done, and each result as it was before or whole.  A page or a list may say
inside of it what could not be read.
Wrong is a crash, a hang, a success with other output, a result that is neither old nor new, a file
that stays behind, a fault that is called a finding (status 1) or a mistake in the command (2), and
silence.  Exit status: 0 nothing is wrong; 1 something is; 2 usage; 3 a tool is missing."""
import argparse
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

from calls import Calls
from lab import Broken, Case, Lab
from others import Disk, Memory, Output

KINDS = {"calls": Calls, "memory": Memory, "disk": Disk, "output": Output}


def arguments():
    p = argparse.ArgumentParser(prog="inject.py", description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("cases", help="file of cases")
    p.add_argument("inputs", help="folder that the commands run in")
    p.add_argument("--shim", help="memory.c, compiled; without it memory does not fail")
    p.add_argument("--kind", action="append", choices=sorted(KINDS), help="only these")
    p.add_argument("--case", action="append", help="only these")
    p.add_argument("--most", type=int, default=24, help="faults of one system call of a case (memory: times 8)")
    p.add_argument("--seed", type=int, default=1, help="of what is taken if there are more")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--timeout", type=float, default=120)
    return p.parse_args()


def read_cases(path, wanted):
    with open(path, encoding="utf-8") as f:
        lines = [line.split(None, 2) for line in f if line.strip() and not line.startswith("#")]
    return [Case(*words) for words in lines if not wanted or words[0] in wanted]


def try_case(lab, case, kinds, o, pool):
    """(faults, complaints) of each kind."""
    before = lab.inputs_state()
    clean = lab.clean(case)
    tried = {}
    for name in kinds:
        kind = KINDS[name](lab, o)
        faults = kind.faults(case, clean, random.Random(f"{o.seed} {case.name} {name}"))
        wrong = [text for text in pool.map(lambda fault, k=kind: lab.judge(case, clean, fault, k), faults) if text]
        tried[name] = len(faults)
        for text in wrong:
            print(f"WRONG {case.name}: {text}", flush=True)
        tried[name, "wrong"] = len(wrong)
    if lab.inputs_state() != before:
        raise Broken("it changes its inputs")
    return tried


def main():
    o = arguments()
    if not shutil.which("strace"):
        print("inject.py: strace is not installed (Debian: apt-get install strace)")
        return 3
    kinds = [k for k in o.kind or KINDS if (k != "memory" or o.shim) and (k != "disk" or Disk.possible())]
    left_out = sorted(set(o.kind or KINDS) - set(kinds))
    if left_out:
        print(f"not tried: {', '.join(left_out)} (memory needs --shim, a full disk needs root)")
    total = dict.fromkeys(kinds, 0)
    wrong, cases = 0, read_cases(o.cases, o.case)
    if not cases:
        print("inject.py: there is no such case")
        return 2
    print(f"seed {o.seed}, {len(cases)} commands, at most {o.most} faults of one system call of each")
    with tempfile.TemporaryDirectory(prefix="perseus-faults.") as where:
        with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            lab = Lab(where, os.path.abspath(o.inputs), o.timeout)
            for case in cases:
                try:
                    tried = try_case(lab, case, kinds, o, pool)
                except Broken as why:
                    print(f"WRONG {case.name}: cannot be tried: {why}")
                    wrong += 1
                    continue
                bad = sum(tried[k, "wrong"] for k in kinds)
                wrong += bad
                for k in kinds:
                    total[k] += tried[k]
                print(f"{case.name}: " + ", ".join(f"{tried[k]} {k}" for k in kinds) + f": {bad} wrong", flush=True)
    print(f"{sum(total.values())} faults ({', '.join(f'{n} {k}' for k, n in total.items())}) of {len(cases)} commands: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.SubprocessError as why:
        print(f"inject.py: {why}", file=sys.stderr)
        sys.exit(3)
