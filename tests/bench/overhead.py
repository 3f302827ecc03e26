# SPDX-License-Identifier: MIT
"""overhead.py ROUNDS DIR NAME PLAIN PROBED ARGUMENT...: CPU time of a program as it
is, and recorded in each mode with the recorder's own, in turns; beside the extra
that the report tells.  A plain run goes before each recorded one, since a machine of
several users changes its pace within seconds; medians of the rounds.  One line a mode:
  NAME MODE plain_s measured (spread) told (low to high) verdict trust"""
import json, os, shutil, statistics, subprocess, sys

MODES = [("timing", []), ("trace", ["--trace"]), ("budget", ["--budget=3%"]), ("sharing", ["--purpose=sharing"])]


def cpu(argv):
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    _, status, use = os.wait4(pid, 0)
    return use.ru_utime + use.ru_stime


def report(run):
    """The overhead that is told, and whether the run is called good."""
    text = subprocess.run(["perseus", "report", run], capture_output=True, text=True).stdout
    told = subprocess.run(["perseus", "report", "--json", run], capture_output=True).stdout
    return json.loads(told)["overhead"], "\ntrust     good" in text


def verdict(got, told):
    if abs(told[1] - got) <= 0.02 or (got > 0 and told[1] > 0 and 1 / 1.3 <= told[1] / got <= 1.3):
        return "in goal"
    return "wide" if told[0] <= got <= told[2] else "OFF"


def main():
    rounds, scratch, name, plain, probed = int(sys.argv[1]), *sys.argv[2:6]
    args = sys.argv[6:]
    base, ratio, told, trust = [], {}, {}, {}
    for _ in range(rounds):
        for mode, options in MODES:
            run = os.path.join(scratch, "run")
            shutil.rmtree(run, ignore_errors=True)
            base.append(cpu([plain] + args))
            recorded = cpu(["perseus", "record", "-q", "-o", run] + options + ["--", probed] + args)
            ratio.setdefault(mode, []).append(recorded / base[-1] - 1)
            o, good = report(run)
            told.setdefault(mode, []).append((o["low"], o["estimate"], o["high"]))
            trust.setdefault(mode, []).append(good)
    for mode, _ in MODES:
        got = statistics.median(ratio[mode])
        t = [statistics.median(x) for x in zip(*told[mode])]
        bad = got > 0.1 and any(trust[mode])
        print("%-8s %-8s %6.3f s  measured %6.1f %% (%.1f to %.1f)  told %6.1f %% (%.1f to %.1f)  %s%s" % (
            name, mode, statistics.median(base), 100 * got, 100 * min(ratio[mode]), 100 * max(ratio[mode]),
            100 * t[1], 100 * t[0], 100 * t[2], verdict(got, t), ", called good" if bad else ""), flush=True)


main()
