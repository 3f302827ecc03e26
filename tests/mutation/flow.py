# SPDX-License-Identifier: MIT
"""From a plan to a judged program, with the gates on the way.  A Case is one such
way; a fault changes one thing at one point of it, and what follows is made from that."""
import os
import re

from lab import ROOT, read, sha, tokens
from subjects import platform_argument

STRICT = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Wswitch-default", "-Wshadow", "-Wstrict-prototypes",
          "-Wmissing-prototypes", "-Wundef", "-Wvla", "-Werror"]
TEST = "perseus_triggers_test.c"
MANIFEST = "manifest.sha256"
LTRANS = ["program.ltrans%d.ltrans.o" % n for n in range(4)]  # machine code of a link with -flto
LIBRARIES = ("libc.a", "libgcc.a", "libgcc_eh.a")             # of a static program
FLAWS = (132, 134, 135, 136, 139)  # a shell's words for a crash


class Refused(Exception):
    """A gate spoke."""

    def __init__(self, gate, why):
        super().__init__(gate, why)
        self.gate, self.why = gate, why


class Broken(Exception):
    """A tool crashed or was used wrongly: no verdict."""


class Case:
    def __init__(self, lab, subject):
        self.lab, self.subject = lab, subject
        self.plan = subject.plan          # all is made from it
        self.judged = None                # the plan that is handed to the judges; None: self.plan
        self.reviewed = None              # change of the generated files that people sign
        self.built = None                 # further change of those that are compiled
        self.hash_argument = None         # plan-hash= of the plugin
        self.source = subject.text
        self.flags = list(subject.flags)
        self.gen_flags = list(subject.gen_flags)      # of the reviewed files: stated
        self.built_flags = None                       # really used
        self.platform_flags = list(subject.platform_flags)
        self.link = list(subject.link)
        self.units = []                   # more units: (name, text, flags, with the plan)
        self.assembly = None              # change of the user's unit as assembly
        self.plugin_erred = False         # ... which a second compilation shows as well
        self.objects = []                 # changes of {name: bytes, in link order}
        self.relink = None                # changes of the list of names at the link
        self.binary = []                  # changes of the linked bytes
        self.judged_objects = None        # change of what is named behind --objects
        self.judge_objects = True         # False: none are named, and only the generated code is rebuilt
        self.libraries = {}               # {name: bytes} that are named behind --libraries
        self.pack = None                  # change of {name: bytes} of the evidence pack
        self.extra_inputs = {}            # files for the link
        self.note = ""                    # what verify says that it has not shown
        self.open = ""                    # the first line of its verdict
        self.plain = False                # its verdict was "equal" without a limit
        self.grafted = None               # the user's source with the calls in it; no plugin then

    # ---- what is made ----------------------------------------------------------------------------------

    def judged_plan(self):
        return self.plan if self.judged is None else self.judged

    def generate(self, plan):
        """{name: bytes} of `perseus codegen`."""
        argv = ["perseus", "codegen", "plan.yaml", "-o", "gen"] + self.subject.codegen_options
        r = self.lab.run(argv, {"plan.yaml": plan}, ["gen"])
        if r.status != 0:
            raise refusal("codegen", r)
        return {n[4:]: d for n, d in r.files.items()}

    def reviewed_files(self):
        files = dict(self.generate(self.plan))
        if self.reviewed:
            self.reviewed(files)
        return files

    def built_files(self):
        files = self.reviewed_files()
        if self.built:
            self.built(files)
        return files

    def compile_generated(self, files, flags):
        """Objects of the generated sources; the test is no part of the program."""
        out = {}
        texts = {n: d for n, d in files.items() if n.endswith((".c", ".h"))}
        for name in sorted(n for n in texts if n.endswith(".c") and n != TEST):
            more = self.platform_flags if "platform" in name else []
            used = {n: d for n, d in texts.items() if n == name or n.endswith(".h")}
            r = self.lab.run(["gcc"] + flags + more + ["-c", "-o", "o.o", name], used, ["o.o"])
            if r.status != 0:
                raise refusal("build", r)
            out[name[:-2] + ".o"] = r.files["o.o"]
        return out

    def plugin_flags(self):
        digest = self.hash_argument or sha(self.plan)
        return ["-fplugin=" + self.lab.plugin, "-fplugin-arg-perseus-plan=perseus_triggers.plan",
                "-fplugin-arg-perseus-plan-hash=" + digest]

    def compile_user(self, files, change):
        s = self.subject
        if self.grafted is not None:
            inputs = dict({n: d for n, d in files.items() if n.endswith(".h")}, **{s.source: self.grafted})
            return self.compiled([s.compiler] + self.flags + ["-c", "-o", "o.o", s.source], inputs)
        inputs = {s.source: self.source, "perseus_triggers.plan": files["perseus_triggers.plan"]}
        inputs.update({n: d for n, d in files.items() if n.endswith(".h")})
        argv = [s.compiler] + self.flags + self.plugin_flags()
        if not change:
            return self.compiled(argv + ["-c", "-o", "o.o", s.source], inputs)
        text = self.compiled(argv + ["-S", "-o", "o.o", s.source], inputs).decode()
        return self.compiled(["gcc", "-c", "-o", "o.o", "u.s"], {"u.s": change(text).encode()})

    def compiled(self, argv, inputs):
        r = self.lab.run(argv, inputs, ["o.o"])
        if r.status != 0:
            raise refusal("build", r)
        return r.files["o.o"]

    def compile_unit(self, files, name, text, flags, planned):
        inputs = {name: text, "perseus_triggers.plan": files["perseus_triggers.plan"]}
        inputs.update({n: d for n, d in files.items() if n.endswith(".h")})
        argv = ["g++" if name.endswith(".cc") else "clang" if "-clang" in name else "gcc"] + flags + (self.plugin_flags() if planned else [])
        return self.compiled(argv + ["-c", "-o", "o.o", name], inputs)

    def make_objects(self, files):
        out = {"user.o": self.compile_user(files, self.assembly)}
        for name, text, flags, planned in self.units:
            out[name.rsplit(".", 1)[0] + ".o"] = self.compile_unit(files, name, text, flags, planned)
        out.update(self.compile_generated(files, self.built_flags or self.gen_flags))
        for change in self.objects:
            change(out)
        return out

    def link_objects(self, objects):
        names = list(objects)
        if self.relink:
            names = self.relink(names)
        argv = [self.subject.compiler] + [f for f in self.flags if f.startswith(("-O", "-flto", "-no-pie", "-fno"))]
        argv += ["-pthread", "-o", "program"] + names + self.link
        plan = self.built_files()["perseus_triggers.plan"]
        inputs = dict(objects, **{"perseus_triggers.plan": plan}, **self.extra_inputs)
        if "-flto" in self.flags and self.grafted is None:
            argv[1:1] = self.plugin_flags()
        if "-flto" in self.flags:
            argv.append("-save-temps")
        r = self.lab.run(argv, inputs, ["program"] + LTRANS)
        if r.status != 0:
            raise refusal("build", r)
        data = r.files["program"]
        self.ltrans = {n: r.files[n] for n in LTRANS if n in r.files}
        for change in self.binary:
            data = change(data)
        return data

    def good_pack(self):
        """{path: bytes} of the evidence pack of this way; it takes a while, so of one program only."""
        if self.subject.name != "partners":
            return None
        objects = self.make_objects(self.built_files())
        program = self.link_objects(objects)
        inputs = dict({"o/" + n: d for n, d in objects.items()}, **{"plan.yaml": self.plan, "program": program})
        argv = ["perseus", "codegen", "plan.yaml", "-o", "gen", "--evidence=pack", "--binary=program"] + ["--objects=o/" + n for n in objects]
        r = self.lab.run(argv, inputs, ["pack"])
        if r.status != 0:
            raise Broken("perseus codegen --evidence ended with %s: %s" % (r.status, r.text[-300:]))
        return {n[5:]: d for n, d in r.files.items()}

    def rebuilt_objects(self):
        """What whoever signs compiles again, from the reviewed texts with the stated flags."""
        files = self.reviewed_files()
        out = {}
        if not self.subject.lto and self.judge_objects:  # those objects hold no machine code
            out["user.o"] = self.compile_user(files, self.assembly if self.plugin_erred else None)
        out.update(self.compile_generated(files, self.gen_flags))
        return out


def refusal(gate, r):
    if isinstance(r.status, int) and (r.status < 0 or r.status in FLAWS):
        raise Broken("%s ended by signal: %s" % (gate, r.text[-300:]))
    if "internal compiler error" in r.text:
        raise Broken("%s: %s" % (gate, r.text[-300:]))
    return Refused(gate, r.first_line())


# ---- gates, in the order of a user --------------------------------------------------------------------------

def gate_pack(case):
    if case.pack is None:
        return
    case.pack_files = case.pack(dict(case.good_pack()))
    r = case.lab.run(["sha256sum", "--strict", "--quiet", "-c", MANIFEST], case.pack_files)
    if r.status != 0:
        raise refusal("pack", r)


def gate_plan_check(case):
    s = case.subject
    inputs = {"plan.yaml": case.judged_plan()}
    argv = ["perseus", "plan", "check", "-p", platform_argument(s, inputs)]
    if s.model:
        inputs["model.yaml"] = s.model
        argv += ["-m", "model.yaml"]
    r = case.lab.run(argv + ["plan.yaml"], inputs)
    if r.status != 0:
        raise refusal("plan-check", r)


def gate_codegen(case):
    case.generate(case.judged_plan())


def gate_gcc(case):
    files = case.reviewed_files()
    texts = {n: d for n, d in files.items() if n.endswith((".c", ".h"))}
    for name in sorted(n for n in texts if n.endswith(".c")):
        used = {n: d for n, d in texts.items() if n == name or n.endswith(".h")}
        r = case.lab.run(["gcc"] + STRICT + ["-c", "-o", "x.o", name], used)
        if r.status != 0:
            raise refusal("gcc", r)


def gate_misra(case):
    files = case.reviewed_files()
    texts = {n: d for n, d in files.items() if n.endswith((".c", ".h")) and n != TEST}
    sources = sorted(n for n in texts if n.endswith(".c"))
    r = case.lab.run(["cppcheck", "--addon=misra", "--suppress=misra-config", "--std=c11", "--inline-suppr", "-q", "--error-exitcode=1"] + sources, texts)
    if r.status != 0 or r.text.strip():
        raise refusal("misra", r)


def gate_unit(case):
    files = case.reviewed_files()
    if TEST not in files:
        return
    texts = {n: d for n, d in files.items() if n.endswith(".h")}
    texts.update({n: files[n] for n in (TEST, "perseus_triggers.c")})
    r = case.lab.run(["gcc", "-std=c11", "-O1", "-o", "t", TEST, "perseus_triggers.c"], texts, ["t"])
    if r.status != 0:
        raise refusal("unit", r)
    r = case.lab.run(["sh", "-c", "ulimit -t 20; chmod +x t && ./t"], {"t": r.files["t"]})
    if r.status != 0:
        raise Refused("unit", r.first_line())


def unit_files():
    """What the unit test of the platform files consists of, and the contract of perseusd that it takes for given."""
    folder = os.path.join(ROOT, "tests/codegen/unit")
    names = ["tests/codegen/unit/" + n for n in sorted(os.listdir(folder))] + ["include/perseus/ctl.h"]
    return {n: read(os.path.join(ROOT, n)) for n in names}


def gate_platform(case):
    files = case.reviewed_files()
    texts = {"gen/" + n: d for n, d in files.items() if n.endswith(".h") or re.match(r"perseus_platform_\w+\.c$", n)}
    backend = next(re.match(r"perseus_platform_(\w+)\.c$", n).group(1) for n in sorted(files) if n.startswith("perseus_platform_"
                   ) and n.endswith(".c"))
    argv = ["sh", "tests/codegen/unit/run", "plan.yaml", "gen", backend, "out"] + case.platform_flags
    r = case.lab.run(argv, dict(unit_files(), **dict(texts, **{"plan.yaml": case.plan})))
    if r.status != 0:
        raise Refused("platform", r.first_line())


def gate_build(case):
    case.program_objects = case.make_objects(case.built_files())
    case.program = case.link_objects(case.program_objects)


def refuse(r):
    """Raise what a verifier found, if it found something."""
    if r.status in (1, 4):
        lines = [l for l in r.text.splitlines() if l.startswith("  ")] or r.text.splitlines()
        raise Refused("verify", lines[0].strip())
    if r.status != 0:
        raise Broken("verify ended with %s: %s" % (r.status, r.text[-300:]))


def check_source(case):
    inputs = {"source/" + n: d for n, d in case.reviewed_files().items()}
    inputs["plan.yaml"] = case.judged_plan()
    argv = [case.lab.build + "/bin/perseus-source-check", "plan.yaml", "source/perseus_triggers.c"]
    if case.pack is not None:
        inputs.update({"pack/" + n: d for n, d in case.pack_files.items()})
        argv += ["--manifest", "pack/" + MANIFEST]
    refuse(case.lab.run(argv, inputs))


def gate_verify(case):
    if not hasattr(case, "program"):
        gate_build(case)
    check_source(case)
    inputs = {"plan.yaml": case.judged_plan(), "program": case.program}
    argv = [case.lab.build + "/bin/perseus-verify", "plan.yaml", "program"]
    objects = list(case.program_objects.items()) if case.judge_objects else []
    if case.judged_objects:
        objects = case.judged_objects(objects)
    if objects:
        objects += list(case.ltrans.items())
    argv += ["--objects"] if objects else []
    for name, data in objects:
        inputs["objects/" + name] = data
        argv.append("objects/" + name)
    if objects and case.subject.static:
        argv += library_paths(case.lab)
    argv.append("--rebuilt")
    for name, data in case.rebuilt_objects().items():
        inputs["rebuilt/" + name] = data
        argv.append("rebuilt/" + name)
    if case.libraries:
        inputs.update({"libraries/" + n: d for n, d in case.libraries.items()})
        argv += ["--libraries"] + ["libraries/" + n for n in case.libraries]
    if case.grafted is not None:
        argv.append("--grafted")
    if case.pack is not None:
        inputs.update({"pack/" + n: d for n, d in case.pack_files.items()})
        argv += ["--manifest", "pack/" + MANIFEST, "--complete"]
    r = case.lab.run(argv, inputs)
    refuse(r)
    case.plain = r.text.startswith("equal in threads, calls and code: ")
    case.open = r.text.split("\n")[0]
    case.note = "; ".join(l for l in r.text.splitlines() if l.startswith("not shown: "))


def library_paths(lab):
    return [lab.must(["gcc", "-print-file-name=" + n], {}).text.strip() for n in LIBRARIES]


def gate_regenerate(case):
    """The generator again: it is believed here, so this gate comes last."""
    fresh, files = case.generate(case.judged_plan()), case.reviewed_files()
    if case.pack is not None and {n: d for n, d in case.pack_files.items() if n != MANIFEST} != \
            {n: d for n, d in case.good_pack().items() if n != MANIFEST}:
        raise Refused("regenerate", "the pack is not what the plan gives")
    if set(fresh) != set(files):
        raise Refused("regenerate", "other files: " + " ".join(sorted(set(fresh) ^ set(files))))
    for name, data in sorted(fresh.items()):
        same = tokens(data) == tokens(files[name]) if re.search(r"\.[ch]$", name) else data == files[name]
        if not same:
            raise Refused("regenerate", name + " is not what the plan gives")


GATES = [("pack", gate_pack), ("plan-check", gate_plan_check), ("codegen", gate_codegen), ("gcc", gate_gcc), ("misra", gate_misra),
         ("unit", gate_unit), ("platform", gate_platform), ("build", gate_build), ("verify", gate_verify), ("regenerate", gate_regenerate)]


def judge(case, skip=()):
    """(gate, why) of the first gate that speaks, or (None, "")."""
    for name, gate in GATES:
        if name in skip:
            continue
        try:
            gate(case)
        except Refused as r:
            return r.gate, r.why
    return None, ""
