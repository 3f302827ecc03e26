# SPDX-License-Identifier: MIT
"""Runs a command in a folder of its own and compares what it did with what it does undisturbed."""
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading

OLD = b"what was there before\n"
# What a message has to have: what could not be done, or a name.
TELLS = re.compile(r"cannot|error while loading shared|could not|out of memory|'[^']+'|/[\w.@-]+|[\w-]+\.(yaml|html|csv|prec|c)\b")
WHY = re.compile(rb"Input/output error|Cannot allocate memory|Too many open files|No space left on device|Permission denied")


class Broken(Exception):
    """The case itself does not work."""


class Case:
    def __init__(self, name, results, command):
        self.name = name
        words = [] if results == "-" else results.split(",")
        self.results = [w.rstrip("+~") for w in words]
        self.old = {w.rstrip("~") for w in words if "." in w and not w.endswith("+")}
        self.partial = {w.rstrip("~") for w in words if w.endswith("~")}
        self.command = command.strip()

    def words(self, out):
        return [w.replace("@/", out + "/") if "@/" in w else w for w in shlex.split(self.command)]


class Outcome:
    """What a command left behind: status, words, results by name (None: not there), what else lies there."""

    def __init__(self, status, stdout, stderr, results, others):
        self.status, self.stdout, self.stderr, self.results, self.others = status, stdout, stderr, results, others


def read_tree(path):
    """Bytes of a file, names and bytes of a folder, None."""
    if os.path.isdir(path):
        tree = {}
        for at, folders, files in os.walk(path):
            for name in files + [f for f in folders if os.path.islink(os.path.join(at, f))]:
                full = os.path.join(at, name)
                tree[os.path.relpath(full, path)] = os.readlink(full).encode() if os.path.islink(full) else read_tree(full)
        return tree
    if os.path.lexists(path):
        with open(path, "rb") as f:
            return f.read()
    return None


def form(data, place):
    """Without names of this run's folder, and with a sign for each number."""
    if isinstance(data, dict):
        return {name: form(d, place) for name, d in data.items()}
    return data if data is None else re.sub(rb"[0-9][0-9.,]*|\b[kMGmunp]?(s|B)\b", b"#", data.replace(place.encode(), b"@"))


class Lab:
    def __init__(self, where, inputs, timeout):
        self.where, self.inputs, self.timeout = where, inputs, timeout
        self.lock = threading.Lock()
        self.runs = 0

    def inputs_state(self):
        """What would show that a command wrote into its inputs."""
        return sorted((at, name, os.lstat(f"{at}/{name}").st_mtime_ns) for at, _, names in os.walk(self.inputs) for name in names)

    def place(self):
        with self.lock:
            self.runs += 1
            place = f"{self.where}/{self.runs:06}"
        os.makedirs(place + "/out")
        os.makedirs(place + "/tmp")
        return place

    def run(self, case, wrap=None, old=False, env=None, stdout=None, kept="/out"):
        """The Outcome of the case; @wrap(place, words) makes other words; status None: it hung."""
        place = self.place()
        out = place + "/out"
        for name in case.results:
            if old and name in case.old:
                with open(f"{out}/{name}", "wb") as f:
                    f.write(OLD)
        words = case.words(out)
        words = wrap(place, words) if wrap else words
        with open(place + "/stdout", "wb") as to, open(place + "/stderr", "wb") as err:
            p = subprocess.Popen(words, cwd=self.inputs, stdin=subprocess.DEVNULL, stdout=to if stdout is None else stdout, stderr=err,
                                 env={**os.environ, "TMPDIR": place + "/tmp", "LC_ALL": "C", **(env or {})}, start_new_session=True)
            try:
                status = p.wait(self.timeout)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
                status = None
        out = place + kept
        others = sorted(set(os.listdir(out) if os.path.isdir(out) else ()) - {r.split("/")[0] for r in case.results}) + sorted(os.listdir(place + "/tmp"))
        outcome = Outcome(status, form(read_tree(place + "/stdout"), place), read_tree(place + "/stderr").decode(errors="replace"),
                          {r: form(read_tree(f"{out}/{r}"), place) for r in case.results}, others)
        shutil.rmtree(place, ignore_errors=True)
        return outcome

    def clean(self, case):
        """What it does undisturbed, twice the same."""
        one, two = self.run(case), self.run(case, old=True)
        if one.status is None or one.status < 0 or one.status > 6 or one.status == 2:
            raise Broken(f"status {one.status}: {one.stderr[:400]}")
        if (one.status, one.stdout, one.results) != (two.status, two.stdout, two.results):
            raise Broken(f"it does not do the same twice: status {one.status} and {two.status}: {two.stderr[:400]}")
        missing = [r for r, data in one.results.items() if not data]
        if missing or one.others:
            raise Broken(f"does not write {missing}, leaves {one.others} behind: {one.stderr[:400]}")
        return one

    def judge(self, case, clean, fault, kind):
        """None if it did right, else what is wrong."""
        got = kind.run(case, fault)
        why = complaint(case, clean, got, kind, fault)
        if not why:
            return None
        said = got.stderr.strip().splitlines()
        return f"{kind.name(fault)}: {why}; status {got.status}" + (f", said: {said[-1][:300]}" if said else ", said nothing")


def was_before(data, fault_old):
    """A folder may have been made and left empty."""
    return data == form(OLD, "/nowhere") if fault_old else not data and data != b""


def tells_itself(data):
    """A page or a list may say inside what could not be read."""
    if isinstance(data, dict):
        return any(tells_itself(d) for d in data.values())
    return bool(data and WHY.search(data))


def complaint(case, clean, got, kind, fault):
    if got.status is None:
        return "hangs"
    if (got.status < 0 or got.status >= 128) and not kind.may_end(fault, got.status):
        return f"is ended by a signal ({got.status})"
    for name, data in got.results.items():
        whole = data == clean.results[name]
        if not whole and (tells_itself(data) or name in case.partial and got.status == 4 and TELLS.search(got.stderr)):
            continue
        if not whole and not was_before(data, fault.old and name in case.old):
            return f"'{name}' is neither as before nor whole"
        if not whole and got.status == clean.status:
            return f"succeeds without '{name}'"
    if got.others and not kind.may_leave(fault):
        return f"leaves {got.others} behind"
    if got.status == clean.status:
        tells = got.status and TELLS.search(got.stderr) and got.stderr != clean.stderr
        return None if got.stdout == clean.stdout or tells or tells_itself(got.stdout) else "does as if nothing were, with other output"
    if got.status in (1, 2):
        return "calls the fault a finding or a wrong command"
    if not TELLS.search(got.stderr) and not kind.is_mute(fault, got.status):
        return "does not say what failed"
    return None
