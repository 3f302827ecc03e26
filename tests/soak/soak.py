#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soak.py MINUTES: perseusd with clients and a recorded server, for so long; what they hold must stay flat.

Memory, descriptors, threads and files are looked at some hundred times.  Of each the slope by least squares is
printed, an hour's worth, and the medians of the second and the last quarter, which decide: a process that
holds more at the end than the larger of 3 % and a floor grows.  A record may grow to --limit-mb of its recorder.
Exit status: 0 all is flat; 1 something grows or failed; 2 usage."""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

FLOORS = {"kB": 512, "descriptors": 0, "threads": 0}
# The recorder keeps at most 65,536 looks at the program and as many at its cores (platform/events/samples.c).
LOOKS_KB = 4096
LIMIT_MB = 64


def median(values):
    ordered = sorted(values)
    return (ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2


def slope_an_hour(times, values):
    n = len(times)
    t, v = sum(times) / n, sum(values) / n
    below = sum((x - t) ** 2 for x in times)
    return 3600 * sum((x - t) * (y - v) for x, y in zip(times, values)) / below if below else 0


class Series:
    """What one thing of a process was, time by time."""

    def __init__(self, name, unit, floor=None):
        self.name, self.unit, self.times, self.values = name, unit, [], []
        self.floor = FLOORS[unit] if floor is None else floor

    def add(self, now, value):
        self.times.append(now)
        self.values.append(value)

    def line(self):
        """(text, whether it grows)."""
        quarter = len(self.values) // 4
        if quarter < 2:
            return f"{self.name}: seen {len(self.values)} times only", True
        early, late = median(self.values[quarter:2 * quarter]), median(self.values[-quarter:])
        grows = late - early > max(self.floor, 0.03 * early)
        slope = slope_an_hour(self.times[quarter:], self.values[quarter:])
        return (f"{self.name:34} {early:10.0f} -> {late:10.0f} {self.unit:11} {slope:+12.1f} an hour  {'GROWS' if grows else 'flat'}", grows)


class Watched:
    """A process: memory of its own, descriptors, threads."""

    def __init__(self, name, pid, floor=None):
        self.pid = pid
        self.series = [Series(f"{name}: memory", "kB", floor), Series(f"{name}: descriptors", "descriptors"), Series(f"{name}: threads", "threads")]

    def look(self, now):
        try:
            with open(f"/proc/{self.pid}/status", encoding="ascii", errors="replace") as f:
                status = dict(line.split(":", 1) for line in f if ":" in line)
            values = int(status["RssAnon"].split()[0]), len(os.listdir(f"/proc/{self.pid}/fd")), int(status["Threads"])
        except (OSError, KeyError):
            return False
        for series, value in zip(self.series, values):
            series.add(now, value)
        return True


def folder_kb(path):
    total = 0
    for at, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(f"{at}/{name}").st_blocks // 2
            except OSError:
                pass
    return total


def child_of(pid):
    """The first process that @pid started, once it is there."""
    for _ in range(200):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            children = f.read().split()
        if children:
            return int(children[0])
        time.sleep(0.05)
    raise RuntimeError(f"process {pid} starts nothing")


def recorded(where, name, seconds, options):
    """perseus record of the server: (Popen, folder)."""
    folder = f"{where}/{name}"
    with open(f"{where}/{name}.out", "wb") as out:
        p = subprocess.Popen(["perseus", "record", "-q", f"--limit-mb={LIMIT_MB}", "-o", folder] + options + ["--", f"{where}/server", str(seconds)], stdout=out)
    return p, folder


def rounds_of_parts(where, end, sizes, bad):
    """Recordings by --start-signal, one after another; @sizes: kB that each has left."""
    while time.monotonic() + 9 < end:
        name = f"part-{len(sizes)}"
        p, folder = recorded(where, name, 6, ["--start-signal=USR2"])
        child_of(p.pid)  # before it a signal ends the recorder, as it does any program
        for wait in (2, 2):
            time.sleep(wait)
            p.send_signal(signal.SIGUSR2)
        if p.wait(60):
            bad.append(f"{name}: perseus record ends with {p.returncode}")
        sizes.append(folder_kb(folder))
        if subprocess.run(["perseus", "report", folder], stdout=subprocess.DEVNULL, check=False).returncode:
            bad.append(f"{name}: perseus report cannot read it")
        shutil.rmtree(folder, ignore_errors=True)


def start_daemon(where, seconds, watched):
    """The script that runs perseusd, which is watched once it serves."""
    told = where + "/daemon"
    p = subprocess.Popen(["tests/soak/daemon", str(seconds), told])
    for _ in range(600):
        if os.path.exists(told) or p.poll() is not None:
            break
        time.sleep(0.1)
    if os.path.exists(told):
        with open(told, encoding="utf-8") as f:
            pids = f.read().split()
        watched += [Watched("perseusd", int(pids[0])), Watched("perseusd-guard", int(pids[1]))]
    return p


def soak(where, seconds, o):
    started = []
    try:
        return watch(where, seconds, o, started)
    finally:
        for p in started:
            if p.poll() is None:
                p.terminate()


def watch(where, seconds, o, started):
    """What went wrong; processes are added to @started."""
    watched, bad = [], []
    end = time.monotonic() + seconds
    daemon = None if o.no_daemon else start_daemon(where, int(seconds), watched)
    p, folder = recorded(where, "whole", seconds, ["--budget=3"]) if not o.plain else (subprocess.Popen([where + "/server", str(seconds)] + ["leak"] * o.leak), None)
    started += [p] + ([daemon] if daemon else [])
    if folder:
        watched += [Watched("perseus record", p.pid, LOOKS_KB), Watched("recorded server", child_of(p.pid))]
    else:
        watched.append(Watched("server", p.pid))
    sizes = []
    parts = threading.Thread(target=rounds_of_parts, args=(where, end, sizes, bad))
    if folder:
        parts.start()
    while time.monotonic() < end - 0.5 and p.poll() is None:
        for w in watched:
            w.look(time.monotonic())
        time.sleep(o.every)
    if folder:
        parts.join()
        print(f"parts: {len(sizes)} recordings by signal, {min(sizes, default=0)} to {max(sizes, default=0)} kB each")
        if len(sizes) > 3 and max(sizes[1:]) > 2 * min(sizes[1:]) + 1024:
            bad.append("recordings by signal become larger")
    if p.wait(300):
        bad.append(f"the server's command ends with {p.returncode}")
    if daemon and daemon.wait(300):
        bad.append("perseusd did not serve to the end")
    if folder:
        kb = folder_kb(folder)
        print(f"record of the whole: {kb} kB of {LIMIT_MB * 1024}")
        if kb > (LIMIT_MB + 8) * 1024:
            bad.append("the record is larger than its limit")
        # A record that reached its limit is a part of the whole, and report says so.
        if subprocess.run(["perseus", "report", folder], stdout=subprocess.DEVNULL, check=False).returncode not in (0, 4 if kb >= LIMIT_MB * 1024 else 0):
            bad.append("perseus report cannot read the whole")
    for w in watched:
        for series in w.series:
            text, grows = series.line()
            print(text)
            if grows:
                bad.append(f"{series.name} grows")
    return bad


def main():
    p = argparse.ArgumentParser(prog="soak.py", description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("minutes", type=float)
    p.add_argument("--every", type=float, default=1, help="seconds between two looks")
    p.add_argument("--no-daemon", action="store_true")
    p.add_argument("--plain", action="store_true", help="the server is not recorded")
    p.add_argument("--leak", action="store_true", help="a server that loses memory and descriptors")
    o = p.parse_args()
    where = tempfile.mkdtemp(prefix="perseus-soak.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        plugin = [] if o.plain else [f"-fplugin={os.environ['O']}/lib/perseus.so"]
        subprocess.run(["gcc", "-O1", "-g", "-pthread", "-o", where + "/server", "tests/soak/server.c"] + plugin, check=True)
        bad = soak(where, o.minutes * 60, o)
    finally:
        shutil.rmtree(where, ignore_errors=True)
    for text in bad:
        print(f"WRONG: {text}")
    print(f"{o.minutes:g} minutes: {'all flat' if not bad else f'{len(bad)} wrong'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
