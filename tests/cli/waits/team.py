# SPDX-License-Identifier: MIT
"""team.py LONG SHORT: idle time of the workers in two runs of team.c, 600 ms apart."""
import json
import subprocess
import sys


def idle(run):
    out = subprocess.run(["perseus", "waits", "--json", run], capture_output=True).stdout
    return sum(w["ns"] for w in json.loads(out)["waits"] if w["kind"] == "team" and w["who"] != "main")


long, short = (idle(run) for run in sys.argv[1:])
assert long > 0.5e9, long
assert long - short > 0.3e9, (long, short)  # a busy machine wakes them late in both
