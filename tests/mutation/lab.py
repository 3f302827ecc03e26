# SPDX-License-Identifier: MIT
"""Commands over texts and files held in memory: the same command over the same
bytes is run once.  Every command runs in a fresh folder that holds its inputs."""
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TIMEOUT = 600


def sha(data):
    return hashlib.sha256(data).hexdigest()


class Result:
    def __init__(self, status, text, files):
        self.status, self.text, self.files = status, text, files

    def first_line(self):
        for line in self.text.splitlines():
            if re.search(r"error:|warning:|undefined|multiple|differ|FAIL|not ok", line):
                return line.strip()
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        return lines[0] if lines else ""


class Lab:
    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.plugin = self.build + "/lib/perseus.so"
        self.known = {}
        self.env = dict(os.environ, LC_ALL="C", NO_COLOR="1", PATH=self.build + "/bin:" + os.environ["PATH"])

    def run(self, argv, inputs, outputs=()):
        """Status, stdout with stderr, and the files of @outputs (a folder: all below it)."""
        key = (tuple(argv), tuple(sorted((n, sha(b)) for n, b in inputs.items())), tuple(outputs))
        if key not in self.known:
            self.known[key] = self.run_new(argv, inputs, outputs)
        return self.known[key]

    def run_new(self, argv, inputs, outputs):
        folder = tempfile.mkdtemp(prefix="perseus-mutation.")
        try:
            for name, data in inputs.items():
                write(os.path.join(folder, name), data)
            status, text = execute(argv, folder, self.env)
            files = {}
            for name in outputs:
                collect(folder, name, files)
            return Result(status, text, files)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def must(self, argv, inputs, outputs=()):
        r = self.run(argv, inputs, outputs)
        if r.status != 0:
            raise SystemExit("mutate: %s: status %s\n%s" % (" ".join(argv), r.status, r.text))
        return r


def execute(argv, folder, env):
    try:
        p = subprocess.run(argv, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return "timeout", "does not end"
    return p.returncode, p.stdout.decode("utf-8", "replace")


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def collect(folder, name, files):
    path = os.path.join(folder, name)
    if os.path.isdir(path):
        for sub in sorted(os.listdir(path)):
            collect(folder, name + "/" + sub, files)
    elif os.path.isfile(path):
        files[name] = read(path)


COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//(?:\\\n|[^\n])*|/\*.*?\*/', re.S)


def tokens(data):
    """C text without comments and blanks, directives on lines of their own."""
    text = COMMENT.sub(lambda m: m.group(0) if m.group(0)[0] in "\"'" else " ", data.decode("utf-8", "replace"))
    text = text.replace("\\\n", " ")
    out = []
    for line in text.split("\n"):
        line = line.strip()
        if line.startswith("#"):
            out.append("\n" + re.sub(r"\s+", " ", line) + "\n")
        else:
            out += re.findall(r'"(?:\\.|[^"\\])*"|\w+|[^\w\s]', line)
    return out
