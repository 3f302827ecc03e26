#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge.py [options] [code/]CORPUS:LEVEL[:EVERY]...

Builds every program (or every EVERYth) of a corpus plain and with all probes,
and compares what they do: exit status and output, with the probes asleep, in
a timing run and in a sharing run.  LEVEL is compiler flags, such as -O2 or
'-O2 -flto'; with -static the runtime is linked, otherwise it is preloaded.

A program that fails without the plugin is left out, by its name.  Output that
differs between two plain runs (addresses, times), or that several threads print
in the order they come (gomp), is not compared.

With code/ before the corpus nothing is run: where every site is left out by
skip=*, the object must be the one that GCC makes without the plugin, but for
the table of sites.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

sys.dont_write_bytecode = True
import corpus  # noqa: E402  (beside this file)
import live    # noqa: E402

COMPILE_SECONDS = 300
# Memory probes make a loop of shared accesses tens of times slower.
PATIENCE = 60
MOST_EXCEPTIONS = 3


@dataclass
class Group:
    """One corpus at one level, and what became of its programs."""
    text: str
    level: list
    programs: list
    code: bool = False  # compare objects, not runs
    same: int = 0
    calls: int = 0
    accesses: int = 0
    left: int = 0

    def __post_init__(self):
        self.left = len(self.programs)
        self.different, self.expected, self.plain = [], [], []


class Setup:
    """Where everything is."""

    def __init__(self, args):
        lib = os.path.abspath(args.lib)
        self.plugin = lib + "/perseus.so"
        self.args = ["-fplugin-arg-perseus-" + a for a in args.arg]
        self.runtime = lib + "/libperseus-rt.so"
        self.static = ["-Wl,-u,__prs_attach,-u,__prs_detach", lib + "/libperseus-rt.a", "-lpthread"]
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.scratch = tempfile.mkdtemp(prefix="perseus-judge.", dir=memory)
        self.cache = os.path.join(os.path.abspath(args.data), "plain")
        os.makedirs(self.cache, exist_ok=True)
        # As elsewhere in the tests: PERSEUS_TEST_CC=gcc-11 stands for gcc-11 and g++-11.
        cc = os.environ.get("PERSEUS_TEST_CC", "gcc")
        self.compilers = {"gcc": cc, "g++": cc.replace("gcc", "g++")}
        version = subprocess.run([cc, "--version"], capture_output=True, check=True).stdout
        self.stamp = hashlib.sha256(version + os.confstr("CS_GNU_LIBC_VERSION").encode()).hexdigest()


def start(argv, directory, seconds, env=None, out=subprocess.DEVNULL):
    """Run argv as a group of its own; returns its status, or None if it took too long."""
    with subprocess.Popen(argv, cwd=directory, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                          start_new_session=True) as child:
        try:
            return child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def compile_command(setup, program, level, probed):
    """The command that makes ./prog."""
    argv = [setup.compilers[program.compiler], *level, "-w"]
    if probed:
        argv += ["-fchecking=2", "-fplugin=" + setup.plugin, *setup.args]
    argv += [*program.flags, *program.sources, "-o", "prog", *program.libs]
    if probed and "-static" in level:
        argv += setup.static
    return argv


def build(argv, directory):
    """Compile; returns (done, what was said, without names of temporary files and offsets in code)."""
    with open(directory + "/cc", "wb") as out:
        status = start(argv, directory, COMPILE_SECONDS, out=out)
    with open(directory + "/cc", encoding="latin-1") as f:
        said = re.sub(r"\S*/cc\w{6}\b\S*|\+0x[0-9a-f]+", "~", f.read())
    return status == 0, said if status is not None else f"took more than {COMPILE_SECONDS} s"


def run(program, directory, seconds, more=()):
    """Run ./prog in an empty directory; returns (status, output)."""
    here = directory + "/run"
    os.mkdir(here)
    os.rename(directory + "/prog", here + "/prog")
    env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": here, "TMPDIR": here, "LC_ALL": "C", **program.env}
    env.update(more)
    try:
        with open(directory + "/out", "wb") as out:
            status = start(["./prog"], here, seconds, env=env, out=out)
        with open(directory + "/out", "rb") as f:
            return status, f.read()
    finally:
        os.rename(here + "/prog", directory + "/prog")
        shutil.rmtree(here)


def plain_build(setup, program, level, directory):
    """What the plain build does: {"why": left out because} or {"said", "status", "out", "steady", "seconds"}."""
    built, said = build(compile_command(setup, program, level, False), directory)
    if not built:
        return {"why": "does not compile"}
    begin = time.monotonic()
    status, out = run(program, directory, program.seconds)
    seconds = time.monotonic() - begin
    if status is None:
        return {"why": f"runs for more than {program.seconds:g} s"}
    if status and not program.may_fail:
        return {"why": f"ends with status {status}"}
    again = run(program, directory, program.seconds)
    if again[0] != status:
        return {"why": f"ends with status {status} or {again[0]}"}
    steady = program.output and again[1] == out
    return {"said": said, "status": status, "out": hashlib.sha256(out).hexdigest(), "steady": steady,
            "text": out[:400].decode("latin-1"), "seconds": seconds}


def plain(setup, program, level, directory):
    """The same, remembered between calls of the judge."""
    key = hashlib.sha256(repr((setup.stamp, level, program)).encode())
    for source in program.sources:
        with open(source, "rb") as f:
            key.update(f.read())
    path = os.path.join(setup.cache, key.hexdigest())
    try:
        with open(path, encoding="ascii") as f:
            return json.load(f)
    except (OSError, ValueError):
        pass
    result = plain_build(setup, program, level, directory)
    # That may have to do with the load of the machine.
    if "runs for more" in result.get("why", ""):
        return result
    with open(f"{path}.{os.getpid()}.{os.path.basename(directory)}", "w", encoding="ascii") as f:
        json.dump(result, f)
    os.rename(f.name, path)
    return result


def first_difference(want, status, out):
    """One line on how a run differs from the plain one, or None."""
    if status is None:
        return f"still runs after {max(PATIENCE, 60 * want['seconds']):.0f} s; plain took {want['seconds']:.2f} s"
    if status != want["status"]:
        return f"status {status}, plain {want['status']}; it said {out[-200:]!r}"
    if want["steady"] and hashlib.sha256(out).hexdigest() != want["out"]:
        return f"output {out[:200]!r}, plain {want['text'][:200]!r}"
    return None


def probed_run(setup, program, level, directory, purpose, want, found):
    """One run of the probed program; purpose None: asleep."""
    more = {}
    record = directory + "/record"
    if purpose:
        os.mkdir(record)
        more = {"PERSEUS_RUN_DIR": record, "PERSEUS_PURPOSE": purpose, "PERSEUS_AWAKE": "1", "PERSEUS_LIMIT_MB": "512"}
        if purpose == "timing":
            more["PERSEUS_PERIOD"] = "1"
        if "-static" not in level:
            more["LD_PRELOAD"] = setup.runtime
    status, out = run(program, directory, max(PATIENCE, 60 * want["seconds"]), more)
    if purpose:
        found |= {f"{what} {purpose}" for what in live.look(record)}
        shutil.rmtree(record)
    return first_difference(want, status, out)


def compare(setup, program, level, directory, want, found):
    """How the probed program differs, or None."""
    built, said = build(compile_command(setup, program, level, True), directory)
    if not built or said != want["said"]:
        checked = compile_command(setup, program, [*level, "-fchecking=2"], False)
        if build(checked, directory) != (built, said):
            return "the compiler says: " + " | ".join((said.strip() or "nothing").splitlines()[:4])
        if not built:
            return "plain: does not compile with -fchecking=2"
    # A dynamic program asks for the runtime only if it carries probes.
    with open(directory + "/prog", "rb") as f:
        records = "-static" not in level and b"__prs_attach" in f.read()
    for purpose in (None, "timing", "sharing"):
        text = probed_run(setup, program, level, directory, purpose, want, found)
        if not text and purpose and records and f"record {purpose}" not in found:
            text = "left no record"
        if text:
            return f"{purpose or 'asleep'}: {text}"
    return None


def compile_object(setup, program, level, directory, skip):
    """Make ./object of the first source; returns what the compiler says, or None if it failed."""
    # Names of some sections are random otherwise.
    argv = [setup.compilers[program.compiler], *level, "-w", "-frandom-seed=1", *program.flags]
    argv += ["-c", program.sources[0], "-o", "object"]
    if skip:
        argv += ["-fchecking=2", "-fplugin=" + setup.plugin, "-fplugin-arg-perseus-skip=*"]
    built, said = build(argv, directory)
    return said if built else None


def contents(directory):
    """Code, relocations and data of ./object as text, without the table of sites."""
    subprocess.run(["objcopy", "-R", ".perseus.sites", "object"], cwd=directory, check=True)
    return subprocess.run(["objdump", "-drs", "object"], cwd=directory, capture_output=True, check=True).stdout


def compare_code(setup, program, level, directory):
    """(why left out, how it differs) of an object in which all sites are left out."""
    plain_said = compile_object(setup, program, level, directory, False)
    if plain_said is None:
        return "does not compile", None
    want = contents(directory).splitlines()
    said = compile_object(setup, program, level, directory, True)
    if said != plain_said:
        return None, f"the compiler says: {said}"
    got = contents(directory).splitlines()
    for a, b in zip(want, got):
        if a != b:
            return None, f"code {b.decode('latin-1')!r}, plain {a.decode('latin-1')!r}"
    return None, None if len(want) == len(got) else f"{len(got)} lines of code and data, plain {len(want)}"


def judge(setup, group, program):
    """One program; returns (why left out, how it differs, what was live)."""
    directory = tempfile.mkdtemp(dir=setup.scratch)
    found = set()
    try:
        if group.code:
            return *compare_code(setup, program, group.level, directory), found
        want = plain(setup, program, group.level, directory)
        if "why" in want:
            return want["why"], None, found
        text = compare(setup, program, group.level, directory, want, found)
        if text and text.startswith("plain: "):
            return text[7:], None, found
        return None, text, found
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def read_exceptions(path):
    """{(corpus, name): (levels, reason)}; a line is CORPUS/NAME LEVELS REASON, LEVELS joined by commas or `all`."""
    found = {}
    with open(path, encoding="ascii") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, levels, reason = line.split(None, 2)
                found[tuple(name.split("/", 1))] = levels.split(","), reason.strip()
    if len(found) > MOST_EXCEPTIONS:
        sys.exit(f"judge.py: {path}: {len(found)} exceptions; at most {MOST_EXCEPTIONS} are allowed")
    return found


def is_expected(exceptions, program, level):
    levels, _ = exceptions.get((program.corpus, program.name), ([], ""))
    return "all" in levels or any(f in levels for f in level)


def settle(group, program, verdict, exceptions):
    """Count one verdict."""
    why, text, found = verdict
    if why:
        group.plain.append(f"{program.name}: {why}")
    elif text and is_expected(exceptions, program, group.level):
        group.expected.append(f"{program.name}: {text}")
    elif text:
        group.different.append(f"{program.name}: {text}")
    else:
        group.same += 1
        group.calls += "call timing" in found
        group.accesses += "access sharing" in found
    group.left -= 1


def line_of(group):
    parts = [f"{group.same} same", f"{len(group.different)} different"]
    if group.expected:
        parts.append(f"{len(group.expected)} on the exception list")
    if group.plain:
        parts.append(f"{len(group.plain)} plain fails")
    if group.code:
        return f"{group.text}: " + ", ".join(parts)
    live = f" ({group.calls} with timed calls, {group.accesses} with counted accesses)"
    return f"{group.text}: " + ", ".join(parts) + live


def is_good(group):
    """Same, and probes were awake: the whole would prove nothing if no run recorded anything."""
    if group.different or not group.same:
        return False
    return group.code or (group.calls * 10 > group.same and group.accesses * 10 > group.same)


def report(group, number, args):
    """Print a finished group."""
    word = "ok" if is_good(group) else "not ok"
    print(f"{word} {number} - {line_of(group)}" if args.tap else line_of(group), flush=True)
    for text in group.different:
        print(f"# different: {group.text}: {text}", flush=True)
    if not group.different and word == "not ok":
        print(f"# {group.text}: the probes were not awake in enough programs", flush=True)
    if args.names:
        for kind in ("expected", "plain"):
            for text in sorted(getattr(group, kind)):
                print(f"# {kind}: {group.text}: {text}")


def make_groups(args):
    """Groups of the command line; corpora that are missing are told and left out."""
    known, groups, missing = {}, [], []
    for text in args.groups:
        code, name = text.startswith("code/"), text.removeprefix("code/")
        name, level, every = (name.split(":") + ["1"])[:3]
        if name not in corpus.NAMES:
            sys.exit(f"judge.py: unknown corpus '{name}'; known are {', '.join(corpus.NAMES)}")
        try:
            if name not in known:
                known[name] = corpus.programs(name, args.data, args.seeds)
        except corpus.Missing as why:
            missing.append(f"{name} {level}: {why}")
            continue
        programs = known[name][args.offset % int(every)::int(every)]
        if args.only:
            programs = [p for p in known[name] if p.name == args.only]
        groups.append(Group(f"{'code/' if code else ''}{name} {level}", level.split(), programs, code))
    return groups, missing


def judge_all(setup, groups, args):
    """Judge all programs of all groups, args.jobs at once, and print each group when it is done."""
    exceptions = read_exceptions(args.exceptions)
    number = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        waiting = {pool.submit(judge, setup, g, p): (g, p) for g in groups for p in g.programs}
        try:
            for done in concurrent.futures.as_completed(waiting):
                group, program = waiting[done]
                settle(group, program, done.result(), exceptions)
                if not group.left:
                    number += 1
                    report(group, number, args)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return number


def show_commands(setup, groups):
    """For reduce.sh: shell assignments for the one program that --only left."""
    import shlex
    for group in groups:
        for p in group.programs:
            print(f"compiler={setup.compilers[p.compiler]} level={shlex.quote(' '.join(group.level))}")
            print(f"source={shlex.quote(p.sources[0])} others={shlex.quote(' '.join(p.sources[1:]))}")
            print(f"flags={shlex.quote(' '.join(p.flags))} libs={shlex.quote(' '.join(p.libs))}")
            print("env=" + shlex.quote(" ".join(f"{k}={v}" for k, v in p.env.items())))
            print(f"plugin={shlex.quote(setup.plugin)} runtime={shlex.quote(setup.runtime)}")
            print("static=" + shlex.quote(" ".join(setup.static) if "-static" in group.level else ""))
            return 0
    print("judge.py: no such program", file=sys.stderr)
    return 1


def parse():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--lib", required=True, help="directory with perseus.so and libperseus-rt.so")
    parser.add_argument("--data", required=True, help="directory for the corpora and the plain results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seeds", type=int, default=200, help="csmith programs")
    parser.add_argument("--offset", type=int, default=0, help="with EVERY: start at this program")
    parser.add_argument("--arg", action="append", default=[], help="KEY=VALUE, an argument of the plugin for what is run")
    parser.add_argument("--only", help="one program, by its file name")
    parser.add_argument("--commands", action="store_true", help="print how the program of --only is built")
    parser.add_argument("--tap", action="store_true", help="print TAP")
    parser.add_argument("--names", action="store_true", help="name the programs that were left out")
    parser.add_argument("--exceptions", default=here + "/exceptions")
    parser.add_argument("groups", nargs="+", metavar="CORPUS:LEVEL[:EVERY]")
    return parser.parse_args()


def finish(groups, missing, number, args):
    """The last lines, and the exit status."""
    for text in missing:
        number += 1
        print(f"ok {number} - # SKIP {text}" if args.tap else f"skipped: {text}")
    if args.tap:
        print(f"1..{number}")
    else:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        same = sum(g.same for g in groups)
        bad = sum(max(len(g.different), not is_good(g)) for g in groups)
        skipped = sum(len(g.plain) + len(g.expected) for g in groups) + len(missing)
        print(f"{time.monotonic() - BEGIN:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of CPU time")
        print(f"{same} passed, {bad} failed, {skipped} skipped")
    return 0 if all(is_good(g) for g in groups) else 1


def main():
    args = parse()
    # So that the scratch directory is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Cores of programs that abort would fill the disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.makedirs(args.data, exist_ok=True)
    setup = Setup(args)
    try:
        groups, missing = make_groups(args)
        if args.commands:
            return show_commands(setup, groups)
        return finish(groups, missing, judge_all(setup, [g for g in groups if g.programs], args), args)
    finally:
        shutil.rmtree(setup.scratch, ignore_errors=True)


BEGIN = time.monotonic()
if __name__ == "__main__":
    sys.exit(main())
