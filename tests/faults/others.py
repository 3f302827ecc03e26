# SPDX-License-Identifier: MIT
"""Memory that is refused, a disk that is full, a standard output that takes nothing."""
import os
import subprocess

from lab import Broken, read_tree

PAGE = 4  # kB


class Fault:
    def __init__(self, at, old):
        self.at, self.old = at, old


class Other:
    def __init__(self, lab, options):
        self.lab, self.options = lab, options

    def may_leave(self, _):
        return False

    def may_end(self, _, __):
        return False

    def is_mute(self, _, __):
        return False


class Memory(Other):
    """By a library that is loaded first; one request from each place in the program."""

    def faults(self, case, _, rng):
        log = f"{self.lab.where}/requests.{case.name}"
        self.lab.run(case, env={"LD_PRELOAD": self.options.shim, "FAULT_LOG": log})
        try:
            with open(log, encoding="ascii") as f:
                numbers = [int(line) for line in f]
        except OSError as why:
            raise Broken(f"{self.options.shim} is not loaded: {why}") from why
        most = self.options.most * 8
        if len(numbers) > most:
            numbers = sorted(rng.sample(numbers, most))
        return [Fault(n, rng.random() < 0.5) for n in numbers]

    def run(self, case, fault):
        return self.lab.run(case, env={"LD_PRELOAD": self.options.shim, "FAULT_AT": str(fault.at)}, old=fault.old)

    def name(self, fault):
        return f"memory {fault.at}"


# mount, old files, command, and what is there afterwards for the judge.
FULL = """
mount -t tmpfs -o size="$1"k none "$2/tmp" && mkdir "$2/tmp/out" && cp -r "$2/out/." "$2/tmp/out" || exit 77
mkdir "$2/tmp/tmp" && mount --bind "$2/tmp/out" "$2/out" || exit 77
place=$2
shift 2
TMPDIR=$place/tmp/tmp "$@"
status=$?
umount "$place/out" && cp -r "$place/tmp/out" "$place/kept" && cp -r "$place/tmp/tmp" "$place/left" && umount "$place/tmp" || exit 77
mv "$place/left"/* "$place/tmp" 2>/dev/null
exit $status
"""


class Disk(Other):
    """A file system with too few blocks for what the command writes."""

    @staticmethod
    def possible():
        return os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], check=False).returncode == 0

    def faults(self, case, _, rng):
        if not case.results:
            return []
        measured = f"{self.lab.where}/kb"
        script = '"$@"; status=$?; du -sk "$out" | cut -f1 >"$measured"; exit $status'
        self.lab.run(case, lambda place, words: ["env", f"out={place}/out", f"measured={measured}", "sh", "-c", script, "sh"] + words)
        kb = int(read_tree(measured))
        least = PAGE * max(1, len(case.old))
        sizes = list(range(least, least + kb + PAGE, PAGE))
        if len(sizes) > self.options.most // 2:
            sizes = sorted(rng.sample(sizes, self.options.most // 2))
        return [Fault(size, bool(i % 2)) for i, size in enumerate(sizes)]

    def run(self, case, fault):
        return self.lab.run(case, lambda place, words: ["unshare", "-m", "sh", "-c", FULL, "full", str(fault.at), place] + words,
                            fault.old, kept="/kept")

    def name(self, fault):
        return f"a disk of {fault.at} kB"


class Output(Other):
    """Standard output is full, closed, or a pipe that nobody reads."""

    def faults(self, case, clean, _):
        return [Fault(at, False) for at in ("full", "closed", "unread")] if clean.stdout else []

    def run(self, case, fault):
        if fault.at == "full":
            with open("/dev/full", "wb") as full:
                return self.lab.run(case, stdout=full)
        if fault.at == "closed":
            return self.lab.run(case, lambda _, words: ["sh", "-c", '"$@" >&-', "sh"] + words)
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "wb") as unread:
            return self.lab.run(case, stdout=unread)

    def name(self, fault):
        return f"standard output is {fault.at}"

    def may_end(self, fault, status):
        return fault.at == "unread" and status in (-13, 141)  # as of any program

    def may_leave(self, fault):
        return fault.at == "unread"

    def is_mute(self, fault, status):
        return self.may_end(fault, status)
