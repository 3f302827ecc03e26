#!/bin/sh
# SPDX-License-Identifier: MIT
# Models of power: errors on real data (tests/energy/armpm.sh says which), how
# well a known machine is found again, the exact search, and rows a second.
. tests/bench/lib.sh
: "${ARMPM:=../shared/data/armpm}"
data=$ARMPM/cbench_big.data.gz
load_note

if [ -r "$data" ]; then
	perseus energy fit "$data" --test="$(cut -f2 "$ARMPM/cbench_split.data" | tail -n +2 | tr -d '\r' | paste -sd,)" --json -o "$T/e.yaml" >"$T/e.json"
	python3 - "$T/e.json" >"$T/figures" <<'P'
import json, sys
doc = json.load(open(sys.argv[1]))
for mhz in (1000, 1500, 2000, 0):
    for by in ("given", "program"):
        mean = next(e["mean"] for m in doc["models"] if m["mhz"] == mhz for e in m["errors"] if e["by"] == by)
        print(f"{by}_{mhz} {100 * mean:.3f}")
P
	figure energy.cbench.mape_1000 "$(value given_1000)" 2.7 "peer best subset of 10 events 2.9"
	figure energy.cbench.mape_1500 "$(value given_1500)" 3.8 "peer 3.8"
	figure energy.cbench.mape_2000 "$(value given_2000)" 2.9 "peer 3.9"
	figure energy.cbench.unified "$(value given_0)" 3.2
	figure energy.cbench.leave_one_out_1000 "$(value program_1000)" 2.6
	figure energy.cbench.leave_one_out_2000 "$(value program_2000)" 3.3
else
	echo "energy.cbench.*: no $data here"
fi

python3 tests/energy/secret.py 1 0.005 >"$T/secret.csv"
perseus energy fit "$T/secret.csv" --json -o "$T/s.yaml" >"$T/s.json"
python3 - "$T/s.json" >"$T/figures" <<'P'
import json, sys
doc = json.load(open(sys.argv[1]))
w = dict(zip([e["name"] for e in doc["events"] if e["used"]], doc["models"][0]["weights"]))
print("weight %.3f" % max(abs(w[n] / t - 1) * 100 for n, t in (("a", 1.2e-9), ("b", 0.4e-9), ("c", 3e-9))))
P
figure energy.secret.weight_error "$(value weight)" 2

"$O/tests/bench/subset" >"$T/figures"
figure energy.subset_seconds "$(value seconds)" 3 "35 candidates, up to 10 events, worst of 5; $(value tried) regressions"

rows=1000000
python3 tests/energy/secret.py 3 0.005 20 50 >"$T/part.csv"
tail -n +2 "$T/part.csv" >"$T/body"
{ head -n 1 "$T/part.csv"; for i in $(seq $((rows / 1000))); do cat "$T/body"; done; } >"$T/large.csv"
/usr/bin/time -f '%e %M' -o "$T/time" perseus energy fit "$T/large.csv" -o "$T/l.yaml" >/dev/null
awk -v rows=$rows '{ printf "energy.rows_per_s %.0f\nmemory %.0f\n", rows / $1, $2 / 1024 }' "$T/time" >"$T/figures"
at_least energy.rows_per_s 100000
figure energy.memory_mb "$(value memory)" 200
finish_bench
