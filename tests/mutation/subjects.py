# SPDX-License-Identifier: MIT
"""Planned programs: a fixed model or plan in which the ids of the sites are filled
in from a measured build of the program; plan, generated files, objects, binary."""
import os
import re

from elf import Elf
from lab import ROOT, read, sha

HERE = os.path.dirname(os.path.abspath(__file__))
MOVES = ROOT + "/tests/verify/moves-"


class Subject:
    """compiler, source file, flags; model (the planner makes the plan) or plan; platform: file or name; codegen: its options."""

    def __init__(self, name, source, flags, model=None, plan=None, platform=MOVES + "platform.yaml", rename=None,
                 link=(), static=False, codegen=()):
        self.name, self.source_path, self.flags = name, source, list(flags)
        self.source = os.path.basename(source)
        self.compiler = "g++" if source.endswith(".cc") else "gcc"
        self.model_path, self.plan_path, self.platform = model, plan, platform
        self.rename, self.link, self.static = rename or {}, list(link), static
        self.lto = "-flto" in self.flags
        self.codegen_options = list(codegen)
        self.gen_flags = ["-std=c11", "-O2"]
        self.platform_flags = ["-DPERSEUS_STATIC"] if static else []

    def make(self, lab):
        self.text = read(self.source_path)
        self.sites = measured_sites(lab, self)
        self.platform_file = read(self.platform) if os.path.exists(self.platform) else None
        if self.model_path:
            self.model = self.fill(read(self.model_path))
            self.plan = make_plan(lab, self)
        else:
            self.model = None
            self.plan = self.fill(read(self.plan_path))
        self.points = self.plan.count(b"at: call")
        return self

    def fill(self, text):
        """Put in the ids, instances and lines that the measured build has; unit and names by self.rename."""
        text = text.decode()
        for old, new in self.rename.items():
            text = text.replace(old, new)
        if self.platform_file:
            text = text.replace("@platform", sha(self.platform_file))
        parts = re.split(r"(?m)^(sites:\n(?:  .*\n)+)", text)
        parts[1] = re.sub(r"  - index: .*\n(?:    .*\n)+", self.fill_site, parts[1])
        return "".join(parts).encode()

    def fill_site(self, match):
        field = dict(re.findall(r'(\w+): "?([^"\n]*)"?', match.group(0)))
        want = "create" if "pthread_create" in field["callee"] else field["callee"]
        found = [s for s in self.sites if s["callee"] == want or want == "create" and "create" in s["tags"].split(",")]
        # std::thread creates in a function of the library; everything else is where the model says.
        found = [s for s in found if field["function"] in s["function"]] or want == "create" and found
        if not found:
            raise SystemExit("mutate: %s has no call of %s in %s" % (self.name, want, field["function"]))
        s = found[-1]
        return ('  - index: %s\n    id: "%s"\n    instance: "%s"\n    unit: "%s"\n    function: "%s"\n    callee: "%s"\n'
                '    file: "%s"\n    line: %s\n    equal: %s\n    near: "%s"\n' % (
                    field["index"], s["id"], s["instance"], s["unit"], s["function"], s["callee"], s["file"], s["line"], s["equal"], s["near"]))


def measured_sites(lab, s):
    """The calls of .perseus.sites."""
    flags = [f for f in s.flags if f != "-flto"]
    r = lab.must([s.compiler] + flags + ["-fplugin=" + lab.plugin, "-c", "-o", "m.o", s.source], {s.source: s.text}, ["m.o"])
    elf = Elf(r.files["m.o"])
    unit, files, names, out = "", [], [], []
    for line in elf.bytes_of(elf.section(".perseus.sites")).decode("utf-8", "replace").split("\n"):
        f = line.split("\t")
        if f[0] == "U":
            unit, files, names = f[6], [], []
        elif f[0] == "F":
            files.append(f[2])
        elif f[0] == "N":
            names.append((f[2], int(f[4])))
        elif f[0] == "C":
            out.append({"id": f[2], "instance": f[3], "unit": unit, "function": names[int(f[4])][0], "callee": f[5],
                        "file": files[int(f[6])] if f[6].isdigit() else unit, "line": f[7], "tags": f[10], "equal": f[12], "near": f[13]})
    return out


def make_plan(lab, s, more=()):
    inputs = {"model.yaml": s.model}
    r = lab.must(["perseus", "plan", "model.yaml", "-p", platform_argument(s, inputs), "--objective=energy", "--threads=1",
                  "-o", "plan.yaml"] + list(more), inputs, ["plan.yaml"])
    return r.files["plan.yaml"]


def platform_argument(s, inputs):
    if s.platform_file is None:
        return s.platform
    inputs["platform.yaml"] = s.platform_file
    return "platform.yaml"


def partners(name, flags, source="partners.c", **more):
    rename = {"partners.c": source}
    return Subject(name, HERE + "/programs/" + source, flags, model=MOVES + "model.yaml", rename=rename, **more)


def all_subjects():
    wrap = ["-static", "-Wl,--wrap=pthread_create"]
    points = HERE + "/programs/points.c"
    return [
        partners("partners", ["-O2"]),
        Subject("points", points, ["-O2"], plan=HERE + "/models/points-plan.yaml"),
        Subject("regions", HERE + "/programs/regions.c", ["-O2"], plan=HERE + "/models/regions-plan.yaml"),
        partners("partners-c++", ["-O2"], source="partners.cc"),
        partners("partners-cpufreq", ["-O2"], codegen=["--frequency=cpufreq"]),  # the one that puts steps back itself
        partners("partners-lto", ["-O2", "-flto"]),
        partners("partners-static", ["-O2"], link=wrap, static=True),
        Subject("points-lto", points, ["-O3", "-flto"], plan=HERE + "/models/points-plan.yaml"),
        Subject("pairs", ROOT + "/examples/pairs/pairs.c", ["-O2", "-falign-functions=64"],
                model=HERE + "/models/pairs.yaml", platform="xeon-e5320"),
        Subject("imgapp", ROOT + "/examples/imgapp/imgapp.c", ["-O2", "-falign-functions=64"],
                model=HERE + "/models/imgapp.yaml", platform="xeon-e5320", link=["-lm"]),
    ]
