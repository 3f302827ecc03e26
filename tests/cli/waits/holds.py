# SPDX-License-Identifier: MIT
"""holds.py JSON: the locks of holds.c are held as long as they sleep under them."""
import json
import sys

locks = {lock["object"]: lock for lock in json.load(open(sys.argv[1]))["locks"]}
# name: acquisitions, least and longest mean in ms (longer than true: the machine may be busy)
for name, (taken, least, most) in {
    "recursive": (60, 1, 9),
    "outer": (60, 1, 9),
    "waited": (10, 3, 9.9),
}.items():
    lock = locks[name]
    assert lock["taken"] == taken, lock
    assert lock["holds_timed"] >= 5, lock
    assert least <= lock["hold_mean_ns"] / 1e6 <= most, lock
# ... and while all of them are taken another one is held.
assert locks["always"]["holds_timed"] == 1 and locks["always"]["hold_mean_ns"] > 120e6, locks["always"]
