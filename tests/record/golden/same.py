#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same.py STORED.json TODAY.json: what the stored answer says must be in
today's.  Today's may say more, and list its rows in another order.

Exact: names, places, counts, waits, and times of which every call was
measured.  Times that are estimated (self times, totals of sampled sites) may
move as the method gets better: by a tenth, or a hundredth of all time.
"""
import json
import sys

# Words about the answer itself, and quantiles, which are interpolated.
FREE = {"schema", "quantiles", "p50_ns", "p90_ns", "p99_ns", "incomplete_why", "overhead_estimated", "overhead", "measured"}
SHARES = {"self", "outside", "waiting"}
ESTIMATES = {"self_ns", "total_ns"}
all_ns = 1.0


def identity(row):
    """What a row of a list is about; None: only its place in the list tells."""
    if not isinstance(row, dict):
        return None
    names = [str(row[key]) for key in ("id", "assembler_name", "callee") if row.get(key)]
    return " ".join(names) if names else None


def close(key, old, new, row):
    slack = 1e-6 * max(abs(old), abs(new), 1e-3)
    if key in SHARES:
        slack = max(0.1 * abs(old), 0.01)
    elif key in ESTIMATES and (key == "self_ns" or row.get("timed") != row.get("calls")):
        slack = max(0.1 * abs(old), 0.01 * all_ns)
    return abs(old - new) <= slack


def fold_waits(rows):
    """Waits by kind, object, place and who waited: for whom is deduced, and may be known better today."""
    sums = {}
    for row in rows:
        key = tuple(str(row.get(k)) for k in ("kind", "object", "file", "line", "who"))
        total = sums.setdefault(key, {"id": " ".join(key), "ns": 0, "count": 0})
        total["ns"] += row["ns"]
        total["count"] += row["count"]
    return list(sums.values())


def differ_lists(old, new, path, out):
    if len(old) != len(new):
        out.append(f"{path} had {len(old)} elements and has {len(new)}")
    by_identity = {identity(row): row for row in new if identity(row)}
    for i, row in enumerate(old):
        name = identity(row)
        other = by_identity.get(name) if name else new[i] if i < len(new) else None
        if other is None:
            out.append(f"{path}[{i}] ({name}) is gone")
        else:
            differ(row, other, f"{path}[{name or i}]", out, row)


def differ(old, new, path, out, row=None):
    key = path.rsplit(".", 1)[-1]
    if isinstance(old, dict) and isinstance(new, dict):
        for k, value in old.items():
            if k not in FREE and k not in new:
                out.append(f"{path}.{k} is gone")
            elif k not in FREE:
                differ(value, new[k], f"{path}.{k}", out, old)
    elif isinstance(old, list) and isinstance(new, list):
        if key == "waits":
            old, new = fold_waits(old), fold_waits(new)
        differ_lists(old, new, path, out)
    elif isinstance(old, bool) or not isinstance(old, (int, float)) or not isinstance(new, (int, float)):
        if old != new:
            out.append(f"{path} was {old!r} and is {new!r}")
    elif not close(key, old, new, row or {}):
        out.append(f"{path} was {old} and is {new}")


def main():
    global all_ns
    with open(sys.argv[1]) as a, open(sys.argv[2]) as b:
        old, new = json.load(a), json.load(b)
    all_ns = old["thread_ns"]
    out = []
    differ(old, new, "", out)
    for line in out[:20]:
        print(line)
    return len(out) > 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError) as problem:
        print(f"same.py: {problem}")
        sys.exit(2)
