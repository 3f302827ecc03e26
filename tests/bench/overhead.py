# SPDX-License-Identifier: MIT
"""overhead.py ROUNDS DIR NAME PLAIN PROBED ARGUMENT...: CPU time of a program as it
is, and recorded in each mode with the recorder's own, in turns; beside the extra
that the report tells.  One line a mode:
  NAME MODE plain_s measured told told_low told_high verdict"""
import json, os, shutil, subprocess, sys

MODES = [("timing", []), ("budget", ["--budget=3%"]), ("trace", ["--trace"]), ("sharing", ["--purpose=sharing"])]


def cpu(argv):
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    _, status, use = os.wait4(pid, 0)
    return use.ru_utime + use.ru_stime


def main():
    rounds, scratch, name, plain, probed = int(sys.argv[1]), *sys.argv[2:6]
    args = sys.argv[6:]
    least, told = {}, {}
    for _ in range(rounds):
        for mode, options in [("plain", None)] + MODES:
            run = os.path.join(scratch, "run-" + mode)
            shutil.rmtree(run, ignore_errors=True)
            t = cpu([plain] + args if options is None else ["perseus", "record", "-q", "-o", run] + options + ["--", probed] + args)
            if mode in least and least[mode] <= t:
                continue
            least[mode] = t
            if options is not None:
                told[mode] = json.loads(subprocess.run(["perseus", "report", "--json", run], capture_output=True).stdout)
    for mode, _ in MODES:
        got, r = least[mode] / least["plain"] - 1, told[mode]
        o = r["overhead"]
        high = float("inf") if o["high"] is None else o["high"]
        holds = o["low"] <= got <= high
        near = abs(o["estimate"] - got) <= 0.02 or (got > 0 and o["estimate"] > 0 and 1 / 1.3 <= o["estimate"] / got <= 1.3)
        print("%-12s %-8s %8.3f s  measured %6.1f %%  told %6.1f %% (%.1f to %.1f)  %s" % (
            name, mode, least["plain"], 100 * got, 100 * o["estimate"], 100 * o["low"], 100 * high,
            "near" if near else "in the interval" if holds else "OFF"), flush=True)


main()
