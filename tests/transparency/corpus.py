# SPDX-License-Identifier: MIT
"""The corpora: GCC's own test programs out of Debian's gcc-N-source, and csmith."""
import glob
import os
import re
import subprocess
from dataclasses import dataclass, field

import dg

TARBALLS = "/usr/src/gcc-1[1-9]/gcc-*.tar.*"
PARTS = ["gcc/testsuite/gcc.c-torture/execute", "gcc/testsuite/g++.dg/eh", "gcc/testsuite/g++.dg/torture",
         "gcc/testsuite/g++.dg/coroutines", "gcc/testsuite/gcc.dg/torture", "gcc/testsuite/c-c++-common/torture",
         "libgomp/testsuite", "libstdc++-v3/testsuite/30_threads", "libstdc++-v3/testsuite/18_support",
         "libstdc++-v3/testsuite/util"]


class Missing(Exception):
    """A corpus is not on this machine; the text says what to install."""


@dataclass
class Program:
    """One program: what to compile, how, and what may come out."""
    corpus: str
    name: str
    sources: list
    compiler: str = "gcc"
    flags: list = field(default_factory=list)
    libs: list = field(default_factory=lambda: ["-lm"])
    env: dict = field(default_factory=dict)
    may_fail: bool = False
    output: bool = True  # whether it can be compared: no thread prints whenever it is its turn
    seconds: float = 10.0


def unpack(directory):
    """The GCC test suites below directory; unpacked once.  Returns their root."""
    root = os.path.join(directory, "gcc")
    complete = root + "/.complete"
    if os.path.exists(complete) and _read(complete).split() == PARTS:
        return root
    tarballs = sorted(glob.glob(TARBALLS))
    if not tarballs:
        raise Missing("no GCC test programs: apt-get install gcc-N-source for your GCC N")
    os.makedirs(root, exist_ok=True)
    subprocess.run(["tar", "xf", tarballs[0], "-C", root, "--strip-components=1", "--wildcards"]
                   + ["*/" + part for part in PARTS], check=True)
    with open(complete, "w", encoding="ascii") as f:
        f.write("\n".join(PARTS) + "\n")
    return root


def _read(path):
    with open(path, encoding="latin-1") as f:
        return f.read()


def _from_source(corpus, path, **how):
    """A Program of a source file with directives, or None if it is not for here."""
    text = _read(path)
    levels = how.get("levels", [None])
    for std in levels:
        want = dg.Wanted(text, std, how.get("do", "compile"), how.get("options", []))
        if want.do == "run" and want.fits:
            break
    else:
        return None
    flags = want.flags()
    if std and std != levels[0] and not any(f.startswith("-std=") for f in flags):
        flags.append("-std=gnu++" + std)
    libs = [f for f in flags if f.startswith(("-l", "-Wl,"))]
    here = os.path.dirname(path)
    return Program(corpus, os.path.basename(path), [path] + [os.path.join(here, s) for s in want.sources],
                   compiler="g++" if std else "gcc", flags=how.get("always", []) + [f for f in flags if f not in libs],
                   libs=libs + ["-lm"] + how.get("libs", []), env=want.env, may_fail=want.fails,
                   seconds=how.get("seconds", 10.0))


def _folder(corpus, root, patterns, **how):
    paths = sorted(p for pattern in patterns for p in glob.glob(os.path.join(root, pattern)))
    programs = [_from_source(corpus, path, **how) for path in paths]
    return [p for p in programs if p]


def _torture(root):
    return _folder("torture", root, ["gcc/testsuite/gcc.c-torture/execute/*.c"], do="run")


def _ieee(root):
    """Their flags stand in scripts beside them; the unconditional ones matter."""
    programs = _folder("ieee", root, ["gcc/testsuite/gcc.c-torture/execute/ieee/*.c"], do="run", always=["-fno-inline"])
    for p in programs:
        script = p.sources[0][:-2] + ".x"
        if os.path.exists(script):
            p.flags += re.findall(r'^lappend additional_flags "([^"]*)"', _read(script), re.M)
    return programs


def _builtins(root):
    """Each checks that GCC expands a builtin, with a library function that aborts if called."""
    here = os.path.join(root, "gcc/testsuite/gcc.c-torture/execute/builtins/")
    flags = ["-fno-tree-dse", "-fno-tree-loop-distribute-patterns", "-fno-tracer", "-fno-ipa-ra",
             "-fno-inline-functions"]
    programs = _folder("builtins", root, [here + "*.c"], do="run", always=flags)
    programs = [p for p in programs if not p.name.endswith("-lib.c")]
    for p in programs:
        p.sources += [p.sources[0][:-2] + "-lib.c", here + "lib/main.c"]
    return programs


def _gxx(root):
    where = ["gcc/testsuite/g++.dg/eh/*.C", "gcc/testsuite/g++.dg/torture/*.C"]
    return _folder("g++", root, where, levels=["17", "14", "98", "20"], libs=["-lpthread"])


def _coroutines(root):
    where = ["gcc/testsuite/g++.dg/coroutines/torture/*.C", "gcc/testsuite/g++.dg/coroutines/*.C"]
    return _folder("coroutines", root, where, levels=["17"], options=["-std=c++17"], always=["-fcoroutines"])


def _dg_torture(root):
    where = ["gcc/testsuite/gcc.dg/torture/*.c", "gcc/testsuite/c-c++-common/torture/*.c"]
    return _folder("dg-torture", root, where, libs=["-lpthread"])


def _gomp(root):
    """They end with abort() if something is wrong; what they print, several threads may."""
    where = ["libgomp/testsuite/libgomp.c/*.c", "libgomp/testsuite/libgomp.c-c++-common/*.c"]
    programs = _folder("gomp", root, where, do="run", always=["-fopenmp"])
    where = ["libgomp/testsuite/libgomp.c++/*.C"]
    programs += _folder("gomp", root, where, do="run", levels=["17", "14"], always=["-fopenmp"])
    for p in programs:
        p.output = False
    return programs


def _libstdcxx(root):
    """Threads, futures, atomics, exceptions and their kind, of the C++ library."""
    here = os.path.join(root, "libstdc++-v3/testsuite/")
    where = [here + part for part in ("30_threads/*/*.cc", "30_threads/*/*/*.cc", "18_support/*.cc", "18_support/*/*.cc")]
    programs = _folder("libstdc++", root, where, levels=["17", "20", "14", "98"], always=["-I" + here + "util"],
                       libs=["-lpthread"])
    for p in programs:
        p.output = False
        p.name = os.path.relpath(p.sources[0], here)
    return programs


def _seed(directory, seed):
    """The source of a csmith seed, or None if it cannot be generated in time."""
    path = os.path.join(directory, f"seed-{seed}.c")
    if not os.path.exists(path):
        try:
            subprocess.run(["csmith", "--seed", str(seed), "--output", path + ".part"], check=True, timeout=20,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=directory)
        except subprocess.SubprocessError:
            return None
        os.rename(path + ".part", path)
    return path


def csmith(directory, seeds):
    """Programs of the first seeds; those that csmith cannot make in 20 s are left out."""
    directory = os.path.join(directory, "csmith")
    os.makedirs(directory, exist_ok=True)
    include = "/usr/include/csmith"
    if not os.path.exists(include + "/csmith.h") or subprocess.run(
            ["sh", "-c", "command -v csmith"], stdout=subprocess.DEVNULL, check=False).returncode:
        raise Missing("no random programs: apt-get install csmith libcsmith-dev")
    paths = [_seed(directory, seed) for seed in range(1, seeds + 1)]
    return [Program("csmith", os.path.basename(p)[:-2], [p], flags=["-I" + include], seconds=2.0) for p in paths if p]


FROM_GCC = {"torture": _torture, "ieee": _ieee, "builtins": _builtins, "g++": _gxx, "coroutines": _coroutines,
            "dg-torture": _dg_torture, "gomp": _gomp, "libstdc++": _libstdcxx}
NAMES = sorted(FROM_GCC) + ["csmith"]


def programs(name, directory, seeds):
    """All programs of a corpus, by name; raises Missing."""
    if name == "csmith":
        return csmith(directory, seeds)
    return FROM_GCC[name](unpack(directory))
