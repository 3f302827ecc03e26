#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus plan: deadlines, power caps, energy-delay, peak power, fronts.
. tests/lib.sh
model=tests/planner/models/signal.yaml

plan() { perseus plan "$model" -p xeon-e5320-cubic -o "$T/plan.yaml" "$@"; }

# field NAME FILE: a number of the plan
field() { sed -n "s/^ *$1: *\([0-9]*\).*/\1/p" "$2" | head -1; }

not() { ! "$@"; }

# ---- deadlines ----
exits 0 "without a deadline energy may cost time" plan --objective=energy
free=$(field energy_nj "$T/plan.yaml")
slow=$(sed -n 's/^plan .* +\([0-9]*\)\.[0-9] % time.*/\1/p' "$T/out")
it "and it does" test "${slow:-0}" -ge 10
exits 0 "a deadline is kept" plan --objective=energy --deadline=+2%
says '^plan .* \+[01]\.[0-9] % time, -[0-9.]+ % energy' "the plan is not 2 % slower, and saves"
says 'proven by enumeration' "what is possible within it is proven"
exits 0 "the plan is checked" perseus plan check "$T/plan.yaml" -p xeon-e5320-cubic
exits 0 "a deadline as a time is kept" plan --objective=energy --deadline=10500ms
exits 0 "phases have deadlines of their own" plan --objective=energy --phase-deadline=+3%
says '^plan .* \+[012]\.[0-9] % time' "the plan keeps to them"
rm -f "$T/plan.yaml"
exits 1 "a deadline that cannot be met" plan --objective=energy --deadline=8s
says 'deadline 8.00 s cannot be met: the fastest plan found needs [0-9.]+ s,' "it says how fast it could be"
says '[0-9.]+ s too long; none can need less than [0-9.]+ s' "by how much, and what is proven"
it "and writes nothing" test ! -e "$T/plan.yaml"
exits 1 "so with phases" plan --objective=energy --phase-deadline=1ms
says 'phase-[0-9]+ cannot keep to its deadline of 1.00 ms' "the phase is named"
exits 1 "and for time" plan --deadline=8s

# ---- power ----
exits 0 "a power cap is kept" plan --objective=time --power-cap=60
peak=$(field peak_mw "$T/plan.yaml")
it "the plan draws no more" test "${peak:-99999}" -le 60000
rm -f "$T/plan.yaml"
exits 0 "there is none for time alone" plan --objective=time
silent '^sets .*frequency step|kHz' "names no steps: it has none"
rm -f "$T/plan.yaml"
exits 1 "a cap below what any plan draws" plan --objective=energy --power-cap=20
says 'power cap 20.00 W cannot be kept' "is named"
says 'none can draw less than [0-9.]+ W' "with what is proven"
it "and nothing is written, either" test ! -e "$T/plan.yaml"
exits 0 "the least peak draw can be asked for, within a deadline" \
	plan --objective=power --deadline=+10%
says '^sets .*, [0-9]+ frequency steps?$' "its steps are counted"
says '^trigger +[0-9]+ main: domains? [0-9, ]+.* to [0-9]+ kHz' "and named"
least=$(field peak_mw "$T/plan.yaml")
exits 1 "no cap below it can be kept within that deadline" \
	plan --objective=energy --deadline=+10% --power-cap="$(awk -v p="${least:-0}" 'BEGIN { print (p - 10) / 1000 }')"
exits 0 "but it can" \
	plan --objective=energy --deadline=+10% --power-cap="$(awk -v p="${least:-0}" 'BEGIN { print p / 1000 }')"

# ---- energy x delay, no enumeration ----
exits 0 "energy x delay" plan --objective=edp
edp=$(field energy_nj "$T/plan.yaml")
it "spends more than the most frugal plan" test "${edp:-0}" -gt "${free:-0}"
exits 0 "nothing needs to be enumerated" plan --objective=energy --deadline=+2% --no-exact
says 'not proven' "and then nothing is proven"

# ---- fronts ----
exits 0 "a front" plan --objective=energy --front="$T/front"
says '^front +time +energy +peak' "is a table"
says 'exact before the prices of changes' "that says how exact it is"
it "each point is a plan" test -s "$T/front/front-01.yaml" -a -s "$T/front/front-03.yaml"
for f in "$T"/front/front-*.yaml; do
	exits 0 "that holds: ${f##*/}" perseus plan check "$f" -p xeon-e5320-cubic
done
# The fastest points of this one need more energy than the baseline.
sed 's/busy_mw: 8000, idle_mw: 3000/busy_mw: 8000, idle_mw: 6000/; s/package_halt_mw: .*/package_halt_mw: 100/' yaml/examples/platform.yaml >"$T/dear.yaml"
for m in "$model" tests/planner/models/*.yaml yaml/examples/model.yaml; do for pf in "$T/dear.yaml" xeon-e5320; do
	rm -rf "$T/some"
	exits 0 "a front of ${m##*/} on ${pf##*/}" perseus plan "$m" -p "$pf" --objective=energy --front="$T/some" -o "$T/plan.yaml"
	for f in "$T"/some/*; do perseus plan check "$f" -m "$m" -p "$pf"; done >"$T/out" 2>&1
	says '^confirmed' "... is written, and read back"
	silent '^not confirmed|perseus' "... and all its points hold"
done; done
mkdir "$T/full"
touch "$T/full/front-99.yaml" "$T/full/mine"
exits 0 "a front into a directory that had one" plan --objective=energy --front="$T/full"
it "leaves nothing of the old one, and what is not its own" test ! -e "$T/full/front-99.yaml" -a -e "$T/full/mine"
it "and nothing else" sh -c '! ls -A "$1" | grep -v -e "^front-[0-9]*.yaml$" -e "^mine$"' - "$T/full"
exits 3 "a front where no directory can be" plan --objective=energy --front="$T/full/mine/sub"
mkdir -p "$T/half/front-02.yaml"
exits 3 "a front whose second file cannot be written" plan --objective=energy --front="$T/half"
it "leaves no first file" test ! -e "$T/half/front-01.yaml"
fast=$(field time_ns "$T/front/front-01.yaml") next=$(field time_ns "$T/front/front-02.yaml")
it "the fastest is the first" test "${fast:-9}" -lt "${next:-0}"
exits 0 "the front comes as JSON" plan --objective=energy --front --json
says '"knee": true' "with its knee"

# ---- what is not a limit ----
for word in 0s -5s 5 5parsec +5 +-5% 1e99s '' '+1e9%' nans; do
	exits 2 "not a deadline: '$word'" plan --deadline="$word"
done
for word in 0 -1 W 5kW nan 1e99; do
	exits 2 "not a cap: '$word'" plan --power-cap="$word"
done
sed 's/energy_known: true/energy_known: false/' yaml/examples/platform.yaml >"$T/blind.yaml"
exits 3 "no cap where watts are not known" \
	perseus plan "$model" -p "$T/blind.yaml" -o "$T/plan.yaml" --power-cap=60
exits 3 "and no front" perseus plan "$model" -p "$T/blind.yaml" -o "$T/plan.yaml" --front
finish
