# SPDX-License-Identifier: MIT
"""forms.py TEXT JSON: the two forms of one run of queue.c agree."""
import json
import re
import sys

text, doc = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
assert doc["schema"] == 1 and doc["complete"] and doc["blind_processes"] == 0
ids = re.findall(r"^(wait-\d+|queue-\d+) ", text, re.M)
assert ids and set(ids) <= {w["id"] for w in doc["waits"]} | {q["id"] for q in doc["queues"]}
wait = next(w for w in doc["waits"] if w["object"] == "queue.filled")
whom = wait["whom"][0]
assert wait["significant"] and wait["who"] == "user", wait
assert whom["name"] == "maker" and whom["function"] == "put_cond", whom
assert abs(whom["ns"] - wait["ns"]) < 0.2 * wait["ns"], wait
lock = next(l for l in doc["locks"] if l["object"] == "queue.lock")
assert lock["taken"] >= 202 and lock["threads"] == 2 and lock["holds_timed"] >= 2, lock
