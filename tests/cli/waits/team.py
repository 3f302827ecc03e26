# SPDX-License-Identifier: MIT
"""team.py LONG SHORT: idle time of the workers in two runs of team.c, with 600 ms outside of its regions and none."""
import json
import os
import re
import subprocess
import sys

REGIONS = 10 * 2e6  # ns that a worker sleeps in regions


def idle(run):
    out = subprocess.run(["perseus", "waits", "--json", run], capture_output=True).stdout
    return sum(w["ns"] for w in json.loads(out)["waits"] if w["kind"] == "team" and w["who"] != "main")


def wall(run):
    return int(re.search(r"^wall_ns: (\d+)$", open(os.path.join(run, "manifest.yaml")).read(), re.M).group(1))


# However late a busy machine wakes them: idle while there is nothing to do, and never while there is.
long, short = sys.argv[1:]
assert idle(long) > 0.55e9, idle(long)
for run in (long, short):
    assert idle(run) <= wall(run) - REGIONS, (idle(run), wall(run))
