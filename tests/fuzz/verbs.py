#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""verbs.py: the commands of a file of cases (tests/faults/cases) with inputs that are spoilt, one file at a time.

`perseus` in PATH is one under sanitizers.  Wrong is a signal, a hang, what a sanitizer says, or an exit
status that no verb has.  A round is a function of seed and number: --replay=NUMBER does one again and keeps
its folder.  Exit status: 0 nothing was wrong; 1 something was; 2 usage."""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NUMBERS = (b"0", b"-1", b"1", b"2147483648", b"4294967295", b"9223372036854775807", b"18446744073709551616", b"1e999", b"nan", b"0.0000001")
PIECES = (b"\n", b"\t", b"\0", b"{", b"}", b"[", b"]", b'"', b"'", b"%s", b"\xff", b"/", b"..", b",", b": ", b"- ", b"#", b"\\", b"-", b"\r")
WRONG = re.compile(rb"AddressSanitizer|LeakSanitizer|runtime error:|internal compiler error|Assertion|stack smashing")
LONG = 70000


def spoil(data, rng):
    """@data with one to four changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(data) + 1)
        n = min(rng.choice((1, 1, 2, 4, 8, 24, 200)), len(data) - at)
        numbers = list(re.finditer(rb"[0-9]+", data[at:at + 4000])) if rng.random() < 0.4 else []
        way = rng.randrange(9)
        if numbers:
            m = rng.choice(numbers)
            data = data[:at + m.start()] + rng.choice(NUMBERS) + data[at + m.end():]
        elif way == 0:
            data = data[:at]
        elif way == 1:
            data = data[:at] + data[at + n:]
        elif way == 2 and n:
            data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]
        elif way == 3:
            data = data[:at] + rng.choice(PIECES) + data[at + (n if rng.random() < 0.5 else 0):]
        elif way == 4:
            data = data[:at] + data[at:at + n] * rng.choice((2, 3, 50)) + data[at + n:]
        elif way == 5:
            other = rng.randrange(len(data) + 1)
            data = data[:at] + data[other:other + n] + data[at + n:]
        elif way == 6:
            data = data[:at] + rng.randbytes(n) + data[at + n:]
        elif way == 7:
            data = data[:at] + rng.choice((b"\0", b"\xff", b"\x7f")) * n + data[at + n:]
        elif rng.random() < 0.1:
            data = data[:at] + rng.choice((b"x", b"[", b"9", b" ", b"(")) * LONG + data[at:]
    return data


def files_of(words, inputs):
    """The files of @inputs that the command names, or that lie in folders that it names; none that is run as a script."""
    out = []
    for word in words[1:]:
        for part in re.split(r"[=,]", word):
            path = os.path.normpath(part) if part and not part.startswith(("/", "@")) else None
            if not path or path == "." or path.startswith("..") or not os.path.exists(f"{inputs}/{path}"):
                continue
            if os.path.isfile(f"{inputs}/{path}"):
                out.append(path)
            for at, _, names in os.walk(f"{inputs}/{path}"):
                out += [os.path.relpath(f"{at}/{name}", inputs) for name in names]
    return sorted(path for path in set(out) if not is_script(f"{inputs}/{path}"))


def is_script(path):
    with open(path, "rb") as f:
        return f.read(2) == b"#!"


def lay(inputs, folder, changed, data):
    """@inputs again in @folder by links, but for the file @changed."""
    parts = changed.split("/")
    os.makedirs(folder)
    for depth in range(len(parts)):
        here = "/".join(parts[:depth])
        if depth:
            os.mkdir(f"{folder}/{here}")
        for name in os.listdir(f"{inputs}/{here}"):
            if name != parts[depth]:
                os.symlink(os.path.abspath(f"{inputs}/{here}/{name}"), f"{folder}/{here}/{name}")
    with open(f"{folder}/{changed}", "wb") as f:
        f.write(data)
    shutil.copymode(f"{inputs}/{changed}", f"{folder}/{changed}")


class Rounds:
    def __init__(self, o, where):
        self.o, self.where = o, where
        with open(o.cases, encoding="utf-8") as f:
            cases = [line.split(None, 2) for line in f if line.strip() and not line.startswith("#")]
        self.cases = [(name, shlex.split(command)) for name, _, command in cases if not o.case or name in o.case]
        self.files = {name: files_of(words, o.inputs) for name, words in self.cases}
        self.cases = [case for case in self.cases if self.files[case[0]]]

    def do(self, number):
        """(status, what is wrong or None) of a round."""
        rng = random.Random(f"{self.o.seed} {number}")
        name, words = rng.choice(self.cases)
        changed = rng.choice(self.files[name])
        with open(f"{self.o.inputs}/{changed}", "rb") as f:
            data = spoil(f.read(), rng)
        folder = f"{self.where}/{number}"
        lay(self.o.inputs, folder + "/in", changed, data)
        os.makedirs(folder + "/out")
        os.makedirs(folder + "/tmp")
        words = [w.replace("@/", f"{folder}/out/") for w in words]
        status, said = run(words, folder, self.o.timeout)
        why = None
        if status is None:
            why = "hangs"
        elif status < 0 or status > 6:
            why = f"status {status}"
        elif WRONG.search(said):
            why = "a sanitizer complains"
        if self.o.replay is None:
            shutil.rmtree(folder, ignore_errors=True)
        if why:
            at = WRONG.search(said)
            why = f"WRONG {name}, round {number} ({changed}): {why}: {said[at.start() if at else 0:][:self.o.show].decode(errors='replace')}"
        return name, status, why


def run(words, folder, timeout):
    env = {**os.environ, "TMPDIR": folder + "/tmp", "LC_ALL": "C"}
    with open(folder + "/said", "w+b") as said:
        p = subprocess.Popen(words, cwd=folder + "/in", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, env=env, start_new_session=True)
        try:
            status = p.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
            status = None
        said.seek(0)
        return status, said.read()


def main():
    p = argparse.ArgumentParser(prog="verbs.py", description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("cases")
    p.add_argument("inputs")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, help="rounds (default 500)")
    p.add_argument("--seconds", type=float, help="... or as many as there is time for")
    p.add_argument("--case", action="append", help="only these")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--timeout", type=float, default=60)
    p.add_argument("--replay", type=int, help="this round alone; its folder stays")
    p.add_argument("--show", type=int, default=900, help="bytes of what is said")
    o = p.parse_args()
    where = tempfile.mkdtemp(prefix="perseus-verbs.")
    rounds = Rounds(o, where)
    if not rounds.cases:
        print("verbs.py: there is no such case")
        return 2
    if o.replay is not None:
        name, status, why = rounds.do(o.replay)
        print(why or f"{name}: status {status}", f"in {where}/{o.replay}", sep="\n")
        return 1 if why else 0
    end = time.monotonic() + o.seconds if o.seconds else None
    most = o.count or (sys.maxsize if end else 500)
    by_status, wrong, n = collections.Counter(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        while n < most and (not end or time.monotonic() < end):
            batch = range(n, min(n + 64, most))
            for _, status, why in pool.map(rounds.do, batch):
                by_status["read" if status == 0 else "refused" if status == 4 else "other"] += 1
                if why:
                    wrong += 1
                    print(why, flush=True)
            n += len(batch)
    shutil.rmtree(where, ignore_errors=True)
    print(f"seed {o.seed}: {n} rounds of {len(rounds.cases)} commands, "
          f"{by_status['read']} read, {by_status['refused']} refused, {by_status['other']} otherwise: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
