# SPDX-License-Identifier: MIT
"""holds.py JSON LONGEST: the locks of holds.c are held as long as they sleep under them, and no longer than it says."""
import json
import sys

locks = {lock["object"]: lock for lock in json.load(open(sys.argv[1]))["locks"]}
recursive, outer, waited = [float(x) for x in open(sys.argv[2]).read().split()]
# name: acquisitions, least and longest mean in ms; a condition gives its mutex away for 10 ms
for name, (taken, least, most) in {
    "recursive": (60, 1, recursive),
    "outer": (60, 1, outer),
    "waited": (10, 3, waited - 10),
}.items():
    lock = locks[name]
    assert lock["taken"] == taken, lock
    assert lock["holds_timed"] >= 5, lock
    assert least <= lock["hold_mean_ns"] / 1e6 <= most, lock
# ... and while all of them are taken another one is held.
assert locks["always"]["holds_timed"] == 1 and locks["always"]["hold_mean_ns"] > 120e6, locks["always"]
