# SPDX-License-Identifier: MIT
"""report --json of caught.cc: what was left by an exception, or returned, is not open and has its time."""
import json
import sys

doc = json.load(open(sys.argv[1]))
thrown = sys.argv[2] == "thrown"
by_name = {f["name"]: f for f in doc["functions"]}
assert doc["calls_open"] == 0, doc["calls_open"]
assert by_name["work"]["calls"] == 5, by_name["work"]
assert by_name["work"]["total_ns"] > 100000, by_name["work"]
left = by_name.get("outer" if thrown else "gives_back")
assert not left or left["calls"] == 3000, left
assert ("__cxa_throw" in by_name) == thrown, sorted(by_name)
for f in doc["functions"]:
    assert f["total_ns"] <= doc["wall_ns"] * 1.01, f
