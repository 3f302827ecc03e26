#!/bin/sh
# SPDX-License-Identifier: MIT
# Watts with what they may be off by: from a model into the platform, and what a saving is worth then.
. tests/lib.sh
model=yaml/examples/model.yaml

# A platform whose watts may be off; platform NAME BUSY1 IDLE1 BUSY2 IDLE2: one that is off.
with_errors() {
	sed -E 's/(busy_mw: 8000, idle_mw: 3000)/\1, busy_error_mw: 800, idle_error_mw: 500/; s/(busy_mw: 4500, idle_mw: 2000)/\1, busy_error_mw: 450, idle_error_mw: 400/' yaml/examples/platform.yaml
}
with_errors >"$T/errors.yaml"
plan() { perseus plan "$model" -o "$T/plan.yaml" --objective=energy "$@"; }
exits 0 "a plan for a platform without errors" plan -p yaml/examples/platform.yaml
silent 'within what the platform' "says nothing of them"
exits 0 "a plan for one whose watts may be off" plan -p "$T/errors.yaml"
says '^watts +saves [0-9.]+ to [0-9.]+ % within what' "says what it saves within them"
says 'loses if .* power at [0-9]+ MHz is (above|below) [0-9.]+ W' "where it loses"
says '^measure .* \([0-9.]+ \+- [0-9.]+ W\) better next' "and what to measure next"
it "the plan is the same" perseus plan check "$T/plan.yaml" -p "$T/errors.yaml"
exits 0 "a plan for time" perseus plan "$model" -o "$T/time.yaml" -p "$T/errors.yaml"
silent 'within what the platform' "has no watts in it"
exits 0 "as JSON" plan -p "$T/errors.yaml" --json
cp "$T/out" "$T/range.json"
# Each corner as a platform of its own: what the same design saves there, by the planner's own search.
cat >"$T/corners.py" <<'P'
import json, re, subprocess, sys
T, model = sys.argv[1:3]
r = json.load(open(T + "/range.json"))["within_watts"]
text = open("yaml/examples/platform.yaml").read()
best = json.load(open(T + "/range.json"))
seen = []
for busy in (-1, 0, 1):
    for idle in (-1, 0, 1):
        t = text.replace("busy_mw: 8000, idle_mw: 3000", f"busy_mw: {8000 + 800 * busy}, idle_mw: {3000 + 500 * idle}")
        t = t.replace("busy_mw: 4500, idle_mw: 2000", f"busy_mw: {4500 + 450 * busy}, idle_mw: {2000 + 400 * idle}")
        open(T + "/corner.yaml", "w").write(t)
        out = subprocess.run(["perseus", "plan", model, "-p", T + "/corner.yaml", "-o", T + "/corner.plan", "--objective=energy", "--json"], capture_output=True, text=True).stdout
        d = json.loads(out)
        seen.append(1 - d["plan"]["energy_nj"] / d["baseline"]["energy_nj"])
print(r, seen)
# A search there can only do better than the design that was found here.
assert r["saved_low"] <= min(seen) + 1e-6 and r["saved_low"] > min(seen) - 0.2, (r, seen)
assert r["saved_low"] <= 1 - best["plan"]["energy_nj"] / best["baseline"]["energy_nj"] <= r["saved_high"]
assert r["saved_low"] < r["saved_high"] and r["measure_next"] and r["measure_next_swing"] > 0
P
it "the range holds what is saved at its corners" python3 "$T/corners.py" "$T" "$model"
# Twins: errors that are none, and some that are so large that nothing is sure.
sed -E 's/, (busy|idle)_error_mw: [0-9]+//g' "$T/errors.yaml" >"$T/none.yaml"
exits 0 "without errors" plan -p "$T/none.yaml" --json
silent within_watts "there is no range"
sed -E 's/busy_error_mw: [0-9]+/busy_error_mw: 4000/g; s/idle_error_mw: [0-9]+/idle_error_mw: 2000/g' "$T/errors.yaml" >"$T/large.yaml"
exits 0 "large errors" plan -p "$T/large.yaml"
says 'between a loss of [0-9.]+ % and a saving of' "may turn a saving into a loss, and it is said"

# From a model.
python3 - >"$T/train.csv" <<'P'
import random
r = random.Random(9)
print("program,mhz,seconds,watts,work")
for p in range(9):
    for i in range(20):
        for mhz, idle, busy in ((2600, 12, 5.2e-9), (1800, 8, 3.1e-9)):
            x = r.uniform(0.5e9, 1.5e9) * (1 + p / 20)
            print(f"p{p},{mhz},1,{(idle + busy * x) * r.gauss(1, 0.01):.9g},{x:.0f}")
P
it "a model of both steps" perseus energy fit "$T/train.csv" -o "$T/energy.yaml"
exits 0 "fills the watts of a platform" perseus energy watts "$T/energy.yaml" yaml/examples/platform.yaml -o "$T/filled.yaml"
says '^2600 +[0-9.]+ \+- +[0-9.]+ W' "... with what they may be off by"
it "... as the machine has them" python3 -c "
import re; t = open('$T/filled.yaml').read(); cores = len(re.findall('usable:', t))
s = [dict((k, int(v)) for k, v in re.findall(r'(\w+): (\d+)', l)) for l in t.splitlines() if 'khz:' in l]
for step, idle, busy in ((s[0], 12, 5.2), (s[1], 8, 3.1)):
    assert abs(step['idle_mw'] * cores / 1000 / idle - 1) < 0.1, (step, cores)
    assert abs((step['busy_mw'] - step['idle_mw']) / 1000 / (busy * 1.2) - 1) < 0.1, step
    assert 0 < step['busy_error_mw'] < step['busy_mw'] / 2, step
assert 'energy_known: true' in t"
exits 0 "... and is planned for" plan -p "$T/filled.yaml"
says 'within what the platform.s watts may be off by' "... within them"
exits 0 "... as another model is" perseus plan tests/planner/models/signal.yaml -p "$T/filled.yaml" -o "$T/p.yaml" --objective=energy
exits 0 "... whose figures the independent checker confirms" perseus-plan-check "$T/p.yaml" "$T/filled.yaml" --model tests/planner/models/signal.yaml
sed 's/khz: 1800000/khz: 1200000/' yaml/examples/platform.yaml >"$T/other.yaml"
exits 4 "a step without a model" perseus energy watts "$T/energy.yaml" "$T/other.yaml" -o "$T/x.yaml"
says 'has no model for 1200 MHz, a step of the platform' "... is named"
it "... and nothing is written" test ! -e "$T/x.yaml"
exits 2 "watts takes no columns" perseus energy watts "$T/energy.yaml" yaml/examples/platform.yaml --events=work
exits 2 "watts takes a platform" perseus energy watts "$T/energy.yaml"
exits 4 "a platform that is not there" perseus energy watts "$T/energy.yaml" "$T/nothing.yaml"
finish
