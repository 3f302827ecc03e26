# SPDX-License-Identifier: MIT
"""System calls that fail once, by strace."""
import collections
import re

from lab import Broken

# What each may fail with; other calls fail with EIO, and those of SPARED do not.  brk gives no errno but the old
# end of the heap, and wait4 with WNOHANG is not interrupted.
ERRORS = {
    "openat": ("EIO", "EMFILE", "ENOMEM"),
    "read": ("EIO", "EINTR"), "pread64": ("EIO", "EINTR"), "write": ("ENOSPC", "EIO", "EINTR"), "pwrite64": ("ENOSPC", "EIO"),
    "writev": ("ENOSPC", "EIO"), "close": ("EIO", "EINTR"), "rename": ("EIO", "ENOSPC"), "renameat2": ("EIO",), "fsync": ("EIO", "ENOSPC"),
    "ftruncate": ("EIO", "ENOSPC"), "fallocate": ("ENOSPC",), "mmap": ("ENOMEM", "EAGAIN"), "mremap": ("ENOMEM",),
    "mprotect": ("ENOMEM",), "newfstatat": ("EIO", "ENOMEM"), "fstat": ("EIO",), "statx": ("EIO",), "getdents64": ("EIO", "ENOMEM"),
    "clone": ("EAGAIN", "ENOMEM"), "clone3": ("EAGAIN", "ENOMEM"), "vfork": ("EAGAIN", "ENOMEM"), "fork": ("EAGAIN", "ENOMEM"),
    "execve": ("ENOENT", "E2BIG", "EACCES"), "pipe": ("EMFILE", "ENFILE"), "pipe2": ("EMFILE", "ENFILE"), "dup": ("EMFILE",),
    "dup2": ("EMFILE",), "dup3": ("EMFILE",), "fcntl": ("EMFILE",), "mkdir": ("ENOSPC", "EACCES"), "getrandom": ("ENOSYS", "EAGAIN"),
    "socket": ("EMFILE",), "connect": ("ECONNREFUSED",), "flock": ("EINTR", "ENOLCK"), "poll": ("EINTR",),
    "prlimit64": ("EPERM",), "sched_getaffinity": ("EPERM",), "ioctl": ("ENOTTY", "EIO"),
}
SPARED = re.compile(r"exit|exit_group|rt_sig.*|sigaltstack|munmap|futex|arch_prctl|set_.*|rseq|get[pt]id|getpp?id|gete?[ug]id|"
                    r"brk|wait4|clock_.*|gettimeofday|sched_yield|madvise|getcpu|restart_syscall|uname|umask|getcwd|alarm|times|getrusage")
# A process comes to main() behind the work of the loader, which ends with an munmap(); the first thing that
# `perseus` does is to look whether 0 is open.
FIRST = "fcntl(0, F_GETFD"
LOADED = "munmap("
LINE = re.compile(r"^(\d+) +(\w+)\(")


class Fault:
    def __init__(self, call, error, when, old):
        self.call, self.error, self.when, self.old = call, error, when, old


class Calls:
    def __init__(self, lab, options):
        self.lab, self.most = lab, options.most

    def numbers(self, case):
        """For each call the numbers that it has, process by process, from main() on."""
        trace = f"{self.lab.where}/trace.{case.name}"
        got = self.lab.run(case, lambda _, words: ["strace", "-f", "-qq", "-o", trace] + words)
        with open(trace, encoding="utf-8", errors="replace") as f:
            lines = f.readlines()
        if got.status is None or not lines:
            raise Broken("strace cannot follow it: " + got.stderr[:200])
        return count(lines)

    def faults(self, case, _, rng):
        out = []
        numbers, processes = self.numbers(case)
        for call, (first, last) in sorted(numbers.items()):
            # strace does not close what it says failed, and a pipe that stays open makes others wait.
            if SPARED.fullmatch(call) or (call == "close" and processes > 1):
                continue
            numbers = list(range(first, last + 1))
            if len(numbers) > self.most:
                numbers = sorted(rng.sample(numbers, self.most))
            errors = ERRORS.get(call, ("EIO",))
            # Each error of rare calls; of frequent ones in turns.
            for i, n in enumerate(numbers):
                for e in errors if len(numbers) * len(errors) <= self.most else (errors[i % len(errors)],):
                    out.append(Fault(call, e, n, rng.random() < 0.5))
        return out

    def run(self, case, fault):
        def wrap(place, words):
            return ["strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", f"trace={fault.call}",
                    "-e", f"inject={fault.call}:error={fault.error}:when={fault.when}"] + words
        return self.lab.run(case, wrap, fault.old)

    def name(self, fault):
        return f"{fault.call} {fault.when}: {fault.error}"

    def may_leave(self, fault):
        return fault.call in ("unlink", "unlinkat", "rmdir")

    def may_end(self, _, __):
        return False

    def is_mute(self, fault, _):
        return fault.call == "write"  # of the message itself, perhaps


def count(lines):
    """({call: (first, last)}, how many processes) of the lines of a trace."""
    counts = collections.defaultdict(collections.Counter)
    skipped = {}
    for line in lines:
        m = LINE.match(line)
        if not m:
            continue
        process, call = m.groups()
        if FIRST in line and skipped.get(process, (FIRST,))[0] != FIRST:
            del skipped[process]
        if process not in skipped and (FIRST in line or LOADED in line):
            skipped[process] = (FIRST if FIRST in line else LOADED, counts[process].copy())
        counts[process][call] += 1
    out = {}
    for process, calls in counts.items():
        before = skipped.get(process, (None, {}))[1]
        for call, n in calls.items():
            begin = before.get(call, 1 if call == "execve" else 0) + 1
            if n >= begin:
                was = out.get(call, (begin, n))
                out[call] = (max(was[0], begin), max(was[1], n))
    return out, len(counts)
