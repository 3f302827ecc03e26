#!/bin/sh
# SPDX-License-Identifier: MIT
# Training at each frequency step that perseusd lends, and with the time of each core, on a made-up machine:
# its files take every step and change nothing, and no watts are judged.
. tests/lib.sh
. tests/daemon/common.inc
build_ask
new_machine
sensor=$M/sys/class/hwmon/hwmon0
mkdir -p "$sensor"
echo chip >"$sensor/name"
echo 10000000 >"$sensor/power1_input"
train() { # TABLE OPTION...
	table=$1
	shift
	perseus energy train --sysroot="$M" --socket="$S" -o "$T/$table.csv" --seconds=0.02 --cores=1 "$@"
}
mhz() { tail -n +2 "$T/$1.csv" | cut -d, -f4 | sort | uniq -c | awk '{ print $2 "x" $1 }' | paste -sd' '; }
is() { [ "$1" = "$2" ] && ok "$3" || not_ok "$3" "'$1' and not '$2'"; }

exits 0 "training without perseusd" train none --programs=2
says '^note +one frequency, the one that is set: .*perseusd does not run here' "... says that it has one frequency, and why"
is "$(mhz none)" 1853x2 "... which is in the table"
exits 0 "... and may be told to leave it" train none --programs=3 --no-steps
silent 'one frequency' "... without a word"

it "a daemon starts" start
exits 0 "training with perseusd" train all --programs=3
says 'all 6 rows' "... has a row for each program and step"
is "$(mhz all)" "1587x3 1853x3" "... each step as often"
says 'row 1 of 6, .* on 1 core at 1853 MHz$' "... and says where it is"
says 'change=set policy=7 min=1587000 max=1587000' "... all cores were set" "$T/log"
it "... and all is as before" sh -c "$(for c in 0 3 7; do echo "[ \$(cat $M/sys/devices/system/cpu/cpufreq/policy$c/scaling_min_freq) = $low ] &&"; done) true"
cp "$T/all.csv" "$T/before.csv"
exits 0 "the same again" train all --programs=3
it "... runs nothing" cmp "$T/before.csv" "$T/all.csv"
head -n 4 "$T/before.csv" >"$T/all.csv"
exits 0 "a table that ended early" train all --programs=3
is "$(mhz all)" "1587x3 1853x3" "... gets what is missing, at its steps"

# Watts of a machine whose cost of CPU time is another one at each step.
exits 0 "more programs" train all --programs=24
cat >"$T/secret.py" <<'P'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
w = csv.DictWriter(open(sys.argv[2], "w"), rows[0].keys())
w.writeheader()
for x in rows: w.writerow(x | {"watts": "%.9g" % (6 + float(x["mhz"]) / 200 * float(x["cpu-seconds"]) / float(x["seconds"]))})
P
it "a secret machine draws by steps" python3 "$T/secret.py" "$T/all.csv" "$T/secret.csv"
exits 0 "... its table is fitted" perseus energy fit "$T/secret.csv" --events=cpu-seconds --json -o "$T/secret.yaml"
it "... each step by a model of its own, within 2 %" python3 -c "
import json; m = json.load(open('$T/out'))['models']
assert [x['mhz'] for x in m] == [1587, 1853], m
for x in m: assert abs(x['constant'] / 6 - 1) < 0.02 and abs(x['weights'][0] / (x['mhz'] / 200) - 1) < 0.02, x"

hold "lease 3 1700000-1700000 frequency ttl=60000"
exits 0 "training where somebody holds a core" train busy --programs=2
says '^note +one frequency, the one that is set: perseusd refused \(busy\)' "... has one, and says why"
let_go
it "it ends" stop
configure 'cpus 0-6'
it "a daemon that lends not all cores starts" start
exits 0 "... is not asked" train part --programs=2
says 'does not lend core 7, on which programs would run at another step' "... and it is said"
it "it ends" stop
configure 'khz 1600000-1853000'
it "a daemon that lends not all steps starts" start
exits 0 "... lends the others" train some --programs=2
says '1 of 2 frequency steps left out' "... and it is said"
is "$(mhz some)" 1853x2 "... and only these are in the table"
it "it ends" stop

# The time of each core is an event where perf tells it.
n=$(nproc)
if ! train on --programs=6 --no-steps --on-time 2>"$T/err"; then
	says 'not counted here|more than 16' "why there is no time of cores is said" "$T/err"
else
	it "the time of each core adds up to that of all" python3 -c "
import csv
rows = list(csv.DictReader(open('$T/on.csv')))
on = [k for k in rows[0] if k.startswith('core-') and k.endswith('-on')]
assert len(on) == $n, on
for r in rows:
    each, cpu = [float(r[k]) for k in on], float(r['cpu-seconds'])
    # What it takes to start the program, more on a busy machine, comes before its counters.
    assert -0.002 < cpu - sum(each) < 0.01 + 0.1 * cpu, (each, cpu)"
	[ "$n" = 1 ] || it "... and cores are in use in turn" python3 -c "
import csv
rows = list(csv.DictReader(open('$T/on.csv')))
on = [k for k in rows[0] if k.startswith('core-') and k.endswith('-on')]
best = {max(on, key=lambda k: float(r[k])) for r in rows}
assert len(best) > 1, best"
fi
it "without the option there is none" sh -c "! head -n 1 '$T/all.csv' | grep -q core-"
finish
