# SPDX-License-Identifier: MIT
"""Programs whose remedy is a layout: what `perseus plan --layouts` says that it saves against
what the compiler's layout saves, and the twin that is padded by hand, for layouts.sh.

usage: layouts.py PAIRS [NAME...]   (in a folder to work in; O names the build)

Each program of tests/bench/layouts is recorded (timing, sharing), its layouts proposed and
weighed; built again by the plan's flag alone; its output compared, recorded again, and measured
in pairs beside the program as it was (`perseus prove`).  Prints a line for each:

    case NAME mended PREDICTED GAIN LOW HIGH TWIN WORD   percent of run time; WORD: machine or `busy'
    case NAME refused REASON
    case NAME failed REASON
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layouts")
O = os.path.abspath(os.environ["O"])
PERSEUS, PLUGIN = os.path.join(O, "bin", "perseus"), os.path.join(O, "lib", "perseus.so")
FIRST = ["chrt", "-f", "1"] if subprocess.run(["chrt", "-f", "1", "true"], capture_output=True).returncode == 0 else []
ENV = dict(os.environ, LC_ALL="C", NO_COLOR="1")
MS = 150
TRIES = 4
WIDE = 10  # points of gain between the ends of an interval that says something
MOVED = 1.4  # two calibrations of cores that kept their distance differ by less


class Failed(Exception):
    """What did not go as it should."""


class Refused(Exception):
    """No layout for it."""


def run(*command, ok=(0,)):
    p = subprocess.run(command, env=ENV, capture_output=True, text=True, timeout=300)
    if p.returncode not in ok:
        raise Failed(f"{' '.join(command[:4])} ends with {p.returncode}: {p.stderr.strip()[:200]}")
    return p


def calibrate(path):
    """Write a platform; how long a line travels in it."""
    if os.path.exists(path):
        os.remove(path)
    run(*FIRST, PERSEUS, "calibrate", "--quick", "-o", path)
    with open(path, encoding="utf-8") as f:
        found = re.search(r"transfer_ps: {.*?(\d+)}", f.read())
    return int(found.group(1)) if found else 1


class Case:
    def __init__(self, source):
        self.name, kind = os.path.splitext(source)
        self.source = os.path.join(HERE, source)
        self.cc = ["g++", "-std=c++17"] if kind == ".cc" else ["gcc", "-std=gnu11"]
        self.turns = None

    def build(self, out, *more):
        run(*self.cc, "-O2", "-g", "-pthread", *more, self.source, "-o", out)

    def by_plan(self, out, probe):
        flags = run(PERSEUS, "flags", "--cc=" + self.cc[0], "--plan=gen/perseus_triggers.plan", "--probe=" + probe)
        self.build(out, *flags.stdout.split())

    def choose_turns(self):
        """As many as the program makes in MS."""
        seen = []
        for _ in range(3):
            begin = time.monotonic()
            run(*FIRST, "./plain", "300000")
            seen.append(time.monotonic() - begin)
        self.turns = str(max(10000, int(300000 * MS / 1000 / statistics.median(seen))))

    def record(self, program, purpose, *how):
        shutil.rmtree(purpose, ignore_errors=True)
        run(*how, *FIRST, PERSEUS, "record", "-q", "-o", purpose, "--purpose=" + purpose, program, self.turns)

    def proposed(self):
        """Layouts for what a sharing run finds, in layouts.yaml."""
        for _ in range(TRIES):
            self.record("./probed", "sharing")
            if os.path.exists("layouts.yaml"):
                os.remove("layouts.yaml")
            p = run(PERSEUS, "conflicts", "--all", "-p", "platform.yaml", "--timing", "timing", "--source", HERE, "--plan=layouts.yaml", "sharing", ok=(0, 5, 6))
            refused = re.search(r"not changed[^\n]*\n?#?[^\n]*", p.stderr)
            if refused and not os.path.exists("layouts.yaml"):
                raise Refused(" ".join(refused.group(0).split())[:120])
            if os.path.exists("layouts.yaml"):
                return
        raise Failed("no finding in four recordings")

    def predicted(self):
        """Percent that layouts alone are said to save."""
        run(PERSEUS, "analyze", "-o", "model.yaml", "timing", "sharing", ok=(0, 5))
        p = run(PERSEUS, "plan", "model.yaml", "-p", "platform.yaml", "--layouts=layouts.yaml", "-o", "plan.yaml", "--json")
        run(PERSEUS, "plan", "check", "-m", "model.yaml", "-p", "platform.yaml", "plan.yaml")
        times = {c["kind"]: c["time_ns"] for c in json.loads(p.stdout)["choices"]}
        return 100 * (1 - times["layouts"] / times["neither"])

    def rebuild(self):
        run(PERSEUS, "codegen", "layouts.yaml", "-o", "gen")
        self.by_plan("mended", "none")
        self.by_plan("again", "memory")
        want = run("./plain", self.turns).stdout
        for program in ("./mended", "./padded"):
            if run(program, self.turns).stdout != want:
                raise Failed(f"{program} prints something else")
        self.record("./again", "sharing")
        found = run(PERSEUS, "conflicts", "sharing", ok=(0, 5)).stdout
        if re.search(r"^share-\d+ false-sharing", found, re.M):
            raise Failed("the finding is still there: " + found.splitlines()[0])

    def measured(self, pairs):
        p = run(*FIRST, PERSEUS, "prove", "--json", f"--pairs={pairs}", "--pad=./padded", "./plain", "./mended", "--", self.turns, ok=(0, 1, 5))
        r = json.loads(p.stdout)
        gain = [100 * (1 - r["ratio"][k]) for k in ("median", "high", "low")]
        # Before whatever else there is the programs have their cores; what others do between the runs is no matter.
        busy = r["uneven"] or gain[2] - gain[1] > WIDE or (r["loaded"] and not FIRST)
        word = "busy" if busy else "quiet"
        return gain + [100 * (1 - r["padded_ratio"]["median"]), word]

    def measure(self, pairs):
        shutil.rmtree("gen", ignore_errors=True)
        before = calibrate("platform.yaml")
        self.build("plain")
        self.build("padded", "-DPADDED")
        self.build("probed", "-fplugin=" + PLUGIN)
        self.choose_turns()
        self.record("./probed", "timing", "taskset", "-c", str(min(os.sched_getaffinity(0))))  # the work alone
        self.proposed()
        said = self.predicted()
        self.rebuild()
        for _ in range(3):
            gain, low, high, twin, word = self.measured(pairs)
            if word == "quiet":
                break
        after = calibrate("after.yaml")
        if max(before, after) > MOVED * min(before, after):
            word = "moved"
        print(f"case {self.name} mended {said:.1f} {gain:.1f} {low:.1f} {high:.1f} {twin:.1f} {word}", flush=True)


def main():
    pairs, names = int(sys.argv[1]), sys.argv[2:]
    for source in sorted(os.listdir(HERE)):
        case = Case(source)
        if source.endswith(".h") or (names and case.name not in names):
            continue
        try:
            case.measure(pairs)
        except Refused as e:
            print(f"case {case.name} refused {e}", flush=True)
        except (Failed, subprocess.TimeoutExpired) as e:
            print(f"case {case.name} failed {' '.join(str(e).split())}", flush=True)


main()
