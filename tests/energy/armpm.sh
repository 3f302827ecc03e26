#!/bin/sh
# SPDX-License-Identifier: MIT
# Real counters and watts (an ODROID XU3, 30 programs of cBench, 10,623 rows):
# figures that others get from the same rows.  leaps.txt is what R's leaps 3.1
# gives by exhaustive search.  ARMPM names the folder of the data.
. tests/lib.sh
: "${ARMPM:=../shared/data/armpm}"
data=$ARMPM/cbench_big.data.gz
[ -r "$data" ] || { skip "models of real data" "no $data here"; finish; }
test=$(cut -f2 "$ARMPM/cbench_split.data" | tail -n +2 | tr -d '\r' | paste -sd,)

exits 0 "models are fitted to the table" perseus energy fit "$data" --test="$test" --json -o "$T/nnls.yaml"
cp "$T/out" "$T/nnls.json"
exits 0 "by ordinary least squares" perseus energy fit "$data" --model=ols --json -o "$T/ols.yaml"
cp "$T/out" "$T/ols.json"

cat >"$T/figures.py" <<'P'
import json, sys
nnls, ols = (json.load(open(f)) for f in sys.argv[1:3])
bad = 0
def at(doc, mhz): return next(m for m in doc["models"] if m["mhz"] == mhz)
def error(doc, mhz, by): return next(e for e in at(doc, mhz)["errors"] if e["by"] == by)["mean"] * 100
def want(what, value, limit):
    global bad
    print(f"{'ok' if value <= limit else 'BAD'} {what}: {value:.4g} (limit {limit})")
    bad |= value > limit
for mhz, limit in ((1000, 2.7), (1500, 3.8), (2000, 2.9)): want(f"author's split, {mhz}", error(nnls, mhz, "given"), limit)
want("all frequencies", error(nnls, 0, "given"), 3.2)
want("each program left out, 1000", error(nnls, 1000, "program"), 2.6)
want("each program left out, 2000", error(nnls, 2000, "program"), 3.3)
# JSON has fewer digits than the document.
rss = [float(l.split()[1]) for l in open(sys.argv[3]) if l.startswith("    rss:")]
want("sum of squares at 1000", abs(rss[0] - 1.46911863185), 1e-9)
want("constant at 1000", abs(at(ols, 1000)["constant"] - 0.31058177), 1e-8)
negative = sum(w < 0 for m in nnls["models"] for w in m["weights"] + [m["constant"]])
want("weights below 0", negative, 0)
sys.exit(bad)
P
it "errors of programs that took no part are those of the published split" python3 "$T/figures.py" "$T/nnls.json" "$T/ols.json" "$T/ols.yaml"

cat >"$T/subsets.py" <<'P'
import json, subprocess, sys
data, leaps, out = sys.argv[1:4]
want = {}
for line in open(leaps):
    mhz, k, rss, names = line.split()
    want[int(mhz), int(k)] = (float(rss), set(names.split(",")))
bad = 0
for k in range(1, 11):
    run = subprocess.run(["perseus", "energy", "fit", data, "--model=ols", f"--most-events={k}", "--json", "-o", out], capture_output=True)
    doc = json.loads(run.stdout)
    events = [e["name"] for e in doc["events"] if e["used"]]
    for m in doc["models"]:
        if not m["mhz"]: continue
        rss, names = want[m["mhz"], k]
        got = {n for n, w in zip(events, m["weights"]) if w}
        if got != names or abs(m["rss"] - rss) > 1e-7:
            bad = 1
            print(m["mhz"], k, sorted(got), m["rss"], "wanted", sorted(names), rss)
sys.exit(bad)
P
it "the best sets of 1 to 10 events are R's" python3 "$T/subsets.py" "$data" tests/energy/leaps.txt "$T/k.yaml"
exits 0 "the model is held against its own table" perseus energy check "$T/nnls.yaml" "$data" --fail-on=95
says '9[5-9]\.[0-9] % of 10623 rows' "the interval holds"
# A twin: what a wrong model says is not held.
sed 's/^    constant: .*/    constant: 3/; s/distance: .*/distance: 1000/' "$T/nnls.yaml" >"$T/wrong.yaml"
exits 1 "a wrong constant is noticed" perseus energy check "$T/wrong.yaml" "$data" --fail-on=95
finish
