# SPDX-License-Identifier: MIT
"""seldom.py JSON MANIFEST: what the lock of seldom.c is held in all is more than its sleeps and less than the run."""
import json
import re
import sys

lock = next(x for x in json.load(open(sys.argv[1]))["locks"] if x["object"] == "lock")
wall = int(re.search(r"^wall_ns: (\d+)$", open(sys.argv[2]).read(), re.M).group(1))
assert (lock["taken"], lock["threads"]) == (1020, 2), lock
assert 0.19e9 <= lock["hold_mean_ns"] * 1020 <= wall, (lock, wall)
