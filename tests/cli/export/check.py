# SPDX-License-Identifier: MIT
"""check.py FORMAT FILE REPORT [PATHS]: does FILE, in FORMAT, hold what `perseus report --json` (REPORT) and
`perseus report --paths --json` (PATHS) say of the same run?  Asserts; prints what was wrong."""
import collections, csv, io, json, os, re, sys

form, path, report = sys.argv[1:4]
raw = open(path, "rb").read()
text = raw.decode("utf-8")  # whatever a name held, what is written is UTF-8
report = json.load(open(report, "rb"))
paths = json.load(open(sys.argv[4], "rb")) if len(sys.argv) > 4 else None
for c in text:  # nothing rules the terminal, nothing turns text round
    assert c in "\n\r\t" or not (ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or c in "\u202e\u200f\u2028"), ascii(c)


def near(a, b, what):
    assert abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + len(paths["nodes"] if paths else []) + 1, (what, a, b)


def own():
    return sum(n["self_ns"] for n in paths["nodes"]), sum(n["wait_ns"] for n in paths["nodes"])


def plain(name):
    """As formats that have no escapes write it."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u202e\ufffd]", "?", name)


slices = collections.defaultdict(list)  # lengths of calls by name, ns


def traced():
    """Are slices the calls of `perseus report --trace --json`, in number and length?"""
    calls, ns = collections.Counter(), collections.Counter()
    for s in report["sites"]:
        calls[s["callee"]] += s["calls"]
        ns[s["callee"]] += s["wall_ns"]
    assert sum(calls.values()) == report["calls"]
    assert {k: len(v) for k, v in slices.items()} == dict(calls)
    for k, v in slices.items():
        assert abs(sum(v) - ns[k]) <= 1e-6 * ns[k] + 2 * len(v), (k, sum(v), ns[k])


def chrome():
    d = json.loads(text)
    stacks, at, waits = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for e in d["traceEvents"]:
        who = e["pid"], e["tid"]
        if e["ph"] == "M":
            continue
        ns = round(e["ts"] * 1000)
        assert at[who] <= ns, e
        at[who] = ns
        if e["ph"] == "B":
            stacks[who].append((e["name"], e["cat"], ns))
            assert e["cat"] != "call" or "args" not in e or re.search(r":\d+$", e["args"]["at"])
        else:
            name, cat, since = stacks[who].pop()
            assert (e["name"], e["cat"]) == (name, cat), e
            if cat == "call":
                slices[name].append(ns - since)
            else:
                waits[name] += 1
    assert not any(stacks.values())
    assert waits or slices
    if "calls_missing" in report:
        traced()


def perfetto():
    """FILE is what protoc --decode made of the trace: one line a field."""
    stacks, clock, names = collections.defaultdict(list), {}, {}
    tracks, processes = set(), set()
    for packet in re.split(r"(?m)^packet {$", text)[1:]:
        assert not re.search(r"^\s*\d+: ", packet, re.M), "a field that is not known: " + packet
        field = lambda k, t=packet: (re.findall(r"\b%s: (.*)$" % k, t, re.M) or [None])[0]
        seq = int(field("trusted_packet_sequence_id"))
        if "clock_snapshot" in packet:
            assert field("sequence_flags") == "1" and seq not in clock
            clock[seq] = int(field("timestamp"))
            assert re.findall(r"clock_id: (\d+)", packet) == ["3", "64", "64"] and "is_incremental: true" in packet
            tracks.add(int(field("track_uuid")))
            continue
        if "track_descriptor" in packet:
            (processes if "process {" in packet else tracks).add(int(field("uuid")))
            if "thread {" in packet:
                assert int(field("parent_uuid")) in processes and int(field("uuid")) in tracks
            continue
        assert field("sequence_flags") == "2"
        clock[seq] += int(field("timestamp"))
        for iid, name in re.findall(r"event_names {\s*iid: (\d+)\s*name: \"(.*)\"", packet):
            assert (seq, iid) not in names
            names[seq, iid] = name
        if field("type") == "TYPE_SLICE_BEGIN":
            stacks[seq].append((names[seq, field("name_iid")], clock[seq], field("category_iids")))
        else:
            assert field("type") == "TYPE_SLICE_END", packet
            name, since, wait = stacks[seq].pop()
            if not wait:
                slices[name].append(clock[seq] - since)
    assert not any(stacks.values()) and names
    if "calls_missing" in report:
        traced()


def markdown():
    lines = text.splitlines()
    assert len(lines) <= 30 and lines[0].startswith("### Perseus: "), lines
    assert "<" not in text and not re.search(r"(?<!&)#[0-9]", text), text
    rows = [re.split(r"(?<!\\)\|", l)[1:-1] for l in lines if l.startswith("|")]
    assert all(len(r) == 4 for r in rows), rows
    for r in rows:
        m = re.match(r" ([0-9.]+) % $", r[0])
        if m and r[3].strip().replace(",", "").lstrip("~").isdigit():
            name = re.sub(r"&#(\d+);", lambda x: chr(int(x[1])), re.sub(r"\\(.)", r"\1", r[1].strip()))
            f = [f for f in report["functions"] if plain(f["name"]) == name and abs(f["self"] * 100 - float(m[1])) < 0.051]
            assert f, r


def quickfix():
    for line in text.splitlines():
        m = re.match(r"([^:]+):([1-9]\d*):([1-9]\d*): (warning|note): (\S.*)$", line)
        assert m, line
    waits = [w for w in report["waits"] if "[%s]" % w["id"] in text]
    for w in report["waits"]:
        if w["share"] >= 0.0101 and w["kind"] in ("mutex", "condition", "semaphore", "barrier"):
            assert w in waits or not w["file"], w


def speedscope():
    import jsonschema
    d = json.loads(text)
    schema = json.load(open(os.path.join(os.path.dirname(__file__), "speedscope-schema.json")))
    if len(text) < 1 << 20:
        jsonschema.Draft7Validator(schema).validate(d)
    frames = d["shared"]["frames"]
    assert "</" not in text and "<!" not in text
    for p in d["profiles"]:
        if p["type"] == "sampled":
            assert len(p["samples"]) == len(p["weights"])
            assert sum(p["weights"]) == p["endValue"]
            names = {n["name"] for n in paths["nodes"]}
            for s in p["samples"]:
                assert all(frames[f]["name"] in names | {"[waiting]"} for f in s), s
            waits = sum(w for s, w in zip(p["samples"], p["weights"]) if s[-1] == 0)
            near(waits, own()[1], "waiting")
            near(sum(p["weights"]), sum(own()), "all")
            near(sum(p["weights"]), report["thread_ns"], "thread time")
            continue
        stack, at = [], p["startValue"]
        for e in p["events"]:
            assert at <= e["at"] <= p["endValue"], e
            at = e["at"]
            if e["type"] == "O":
                stack.append((e["frame"], at))
            else:
                f, since = stack.pop()
                assert f == e["frame"], e
                slices[frames[f]["name"]].append(at - since)
        assert not stack
    if "calls_missing" in report:
        traced()


def callgrind():
    names, files, self_, wait, calls = {}, {}, 0, 0, collections.Counter()
    skip = False
    for line in text.splitlines():
        m = re.match(r"(fn|cfn)=\((\d+)\)(?: (.*))?$", line)
        if m:
            assert m[3] is not None or m[2] in names, line
            names.setdefault(m[2], m[3])
            if m[1] == "cfn":
                callee = names[m[2]]
        m = re.match(r"calls=(\d+) (\d+)$", line)
        if m:
            calls[callee] += int(m[1])
            skip = True
        elif re.match(r"\d+ \d+ \d+$", line):
            if not skip:
                self_ += int(line.split()[1])
                wait += int(line.split()[2])
            skip = False
    near(self_, own()[0], "self")
    near(wait, own()[1], "wait")
    totals = re.search(r"^totals: (\d+) (\d+)$", text, re.M)
    assert (int(totals[1]), int(totals[2])) == (self_, wait)
    want = collections.Counter()
    for n in paths["nodes"]:
        if n["parent"] is not None and n["assembler_name"]:
            want[plain(n["name"])] += n["calls"]
    for name, n in want.items():
        assert calls[name] == n, (name, calls[name], n)


def folded():
    total = 0
    for line in text.splitlines():
        m = re.match(r"(\S.*) (\d+)$", line)
        assert m, line
        total += int(m[2])
        assert all(m[1].split(";")), line
    near(total, sum(own()), "folded")


def perf_script():
    """As stackcollapse-perf.pl reads it."""
    total, frames, count = 0, 0, 0
    for line in text.splitlines():
        m = re.match(r"(\S.+?)\s+(\d+)/*(\d+)*\s+", line)
        if m and not line.startswith("\t"):
            e = re.search(r":\s*(\d+)*\s+(\S+):\s*$", line)
            assert e and e[2] == "ns", line
            total += int(e[1])
            count += 1
            frames = 0
        elif line:
            m = re.match(r"^\s*(\w+)\s*(.+) \((\S*)\)$", line)
            assert m and ";" not in m[2], line
            frames += 1
        else:
            assert frames, "a sample without a stack"
    near(total, sum(own()), "perf script")


def table(name):
    assert raw.count(b"\n") == raw.count(b"\r\n") > 0
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert len(rows) == len(report[name]), (len(rows), len(report[name]))
    assert all(None not in r and None not in r.values() for r in rows), "rows of different length"
    number = lambda r, k: float(r[k]) if r[k] else 0
    pairs = {"functions": (("self_ns", "self_ns"), ("total_ns", "total_ns"), ("calls", "calls")),
             "call_sites": (("self_ns", "self_ns"), ("total_ns", "total_ns"), ("calls", "calls")),
             "waits": (("wait_ns", "ns"), ("count", "count")),
             "threads": (("life_ns", "life_ns"), ("wait_ns", "wait_ns"), ("calls", "calls"))}
    for mine, theirs in pairs[name]:
        near(sum(number(r, mine) for r in rows), sum(x[theirs] for x in report[name]), mine)
    return rows


def csv_functions():
    rows = table("functions")
    assert sorted(r["function"] for r in rows) == sorted(plain(f["name"]) for f in report["functions"])


def csv_sites():
    table("call_sites")


def csv_waits():
    rows = table("waits")
    assert [r["id"] for r in rows] == [w["id"] for w in report["waits"]]


def csv_threads():
    table("threads")


def csv_times():
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert all(None not in r and None not in r.values() for r in rows), "rows of different length"
    assert sum(int(r["count"]) for r in rows) == report["calls_timed"] > 0, report["calls_timed"]
    assert all(0 <= float(r["low_ns"]) < float(r["high_ns"]) and int(r["count"]) > 0 for r in rows)
    timed = collections.Counter()
    for r in rows:
        timed[r["site"], r["callee"]] += int(r["count"])
    for s in report["call_sites"]:
        assert s["timed"] == timed[s["id"], plain(s["callee"] or "")], s


globals()[form.replace("-", "_")]()
