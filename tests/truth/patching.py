# SPDX-License-Identifier: MIT
"""Whether what `perseus conflicts --patch` writes for a generated program ends its false sharing.

The patched program is built and run, with the heap beginning at four places of a
line (SHIFT, see truth.h); what it prints says whether cells of two threads still
share a line without sharing bytes.
"""
import os
import shutil
import subprocess

import judge

SHIFTS = ("", "8", "40", "56", "72")


def left_over(truth, drv, prog):
    """The first false sharing that is left, or ''"""
    for shift in SHIFTS:
        env = dict(os.environ, RUN_MS="5", **({"SHIFT": shift} if shift else {}))
        uses = judge.read_uses(drv.call([prog], env).stdout)
        for c in judge.conflicts(truth, uses):
            if c.kind == "false" and c.heat != "rare":
                return f"{c.u.cell} of thread {c.u.thread} and {c.v.cell} of thread {c.v.thread} still share a line" + (f", SHIFT={shift}" if shift else "")
    return ""


def reason(diff):
    lines = [l.lstrip("# ") for l in diff.split("\n") if l.strip() and not l.startswith(("---", "+++", "@@"))]
    return " ".join(lines)[:240]


def try_patch(truth, folder, drv, build):
    """(held, none, refused, broken or left; the text to it)"""
    name = f"s{truth['seed']}"
    if "bit-fields" in truth["storage"]:
        return "untold", "the program knows its bit-fields by numbers"
    run = os.path.join(folder, name + ".run")
    r = subprocess.run([drv.PERSEUS, "conflicts", "--patch", "--source", folder, run], capture_output=True, text=True)
    diff = r.stdout
    if "@@" not in diff:
        return "none", reason(diff or r.stderr)
    patched = os.path.join(folder, "patched")
    shutil.rmtree(patched, ignore_errors=True)
    os.makedirs(patched)
    for unit in truth["units"]:
        shutil.copy(os.path.join(folder, unit), patched)
    with open(os.path.join(folder, name + ".diff"), "w") as f:
        f.write(diff)
    r = subprocess.run(["patch", "-p1", "-f", "-d", patched], input=diff, capture_output=True, text=True)
    if r.returncode:
        return "refused", r.stdout[-200:]
    try:
        build(truth, patched, False, os.path.join(patched, name))
    except drv.Fault as e:
        return "broken", str(e)[-300:]
    why = left_over(truth, drv, os.path.join(patched, name))
    return ("left", why) if why else ("held", "")
