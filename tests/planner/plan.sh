#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus plan: what it writes, what it refuses, what is the same every time.
. tests/lib.sh
model=yaml/examples/model.yaml
platform=yaml/examples/platform.yaml

exits 0 "a plan for energy is made for a built-in platform" \
	perseus plan "$model" -p xeon-e5320 --objective=energy -o "$T/plan.yaml"
says '^baseline  spread \([0-9a-f]{6}\.\.\)' "it names the baseline and its hash"
says '^plan .* -[0-9.]+ % energy' "it says what is saved"
says '\(gap .* points, proven by enumeration\)' "it says what cannot be beaten"
says '^decides .*\[share-' "decisions carry their evidence"
exits 0 "the plan fits the platform it was made for" perseus plan check "$T/plan.yaml" -p xeon-e5320
reason='uses `stats.rx` (rx_thread net.c:57) on a cache line with `stats.tx` of tx_thread (thread 2, tx_thread net.c:93)'
it "a reason names field, function and line of both sides" grep -qF "$reason" "$T/plan.yaml"
it "which perseus-plan-check says again" sh -c '"$1" plan check -m "$2" -p xeon-e5320 "$3"' - "$(command -v perseus)" "$model" "$T/plan.yaml"
sed 's/net.c:93/net.c:94/' "$T/plan.yaml" >"$T/line.yaml"
exits 1 "a reason with another line is found" perseus plan check -m "$model" -p xeon-e5320 "$T/line.yaml"
exits 4 "it does not fit another one" perseus plan check "$T/plan.yaml" -p "$platform"
says 'line [0-9]+, column [0-9]+' "the message names line and column"

exits 0 "the same search again succeeds" \
	perseus plan "$model" -p xeon-e5320 --objective=energy -o "$T/again.yaml"
it "and gives the same bytes" cmp "$T/plan.yaml" "$T/again.yaml"
perseus plan "$model" -p xeon-e5320 --objective=energy --method=genetic --seed 3 -o "$T/a.yaml" >/dev/null 2>&1
perseus plan "$model" -p xeon-e5320 --objective=energy --method=genetic --seed 3 -o "$T/b.yaml" >/dev/null 2>&1
it "so does the genetic algorithm with one seed" cmp "$T/a.yaml" "$T/b.yaml"
exits 0 "the summary comes as JSON, too" \
	perseus plan "$model" -p xeon-e5320 --objective=energy --json -o "$T/plan.yaml"
if command -v python3 >/dev/null; then
	it "which is well formed" sh -c 'python3 -m json.tool <"$1" >/dev/null' - "$T/out"
else
	says '"schema": 1' "which names its schema"
fi

sed 's/core: [0-9]*$/core: 12/' "$T/plan.yaml" >"$T/core.yaml"
exits 4 "a plan with an unknown core is refused" perseus plan check "$T/core.yaml" -p xeon-e5320
says 'unknown core 12' "and the core is named"

echo keep >"$T/keep.yaml"
exits 4 "a model that is not there is refused" perseus plan "$T/none.yaml" -p xeon-e5320 -o "$T/keep.yaml"
head -c 700 "$model" >"$T/cut.yaml"
exits 4 "a truncated model is refused" perseus plan "$T/cut.yaml" -p xeon-e5320 -o "$T/keep.yaml"
exits 4 "an unknown platform is refused" perseus plan "$model" -p nowhere -o "$T/keep.yaml"
says 'built in: xeon-e5320' "and the known ones are named"
sed -e 's/energy_known: true/energy_known: false/' -e '/_mw/s/, *\(busy\|idle\)_mw: [0-9]*//g' "$platform" >"$T/watts.yaml"
exits 3 "energy is refused where watts are not known" \
	perseus plan "$model" -p "$T/watts.yaml" --objective=energy -o "$T/keep.yaml"
says 'objective=time' "and the way out is named"
exits 2 "an unknown objective is refused" perseus plan "$model" --objective=fun -o "$T/keep.yaml"
it "nothing was overwritten" grep -qx keep "$T/keep.yaml"

sed '/^conflicts:/,$d' "$model" >"$T/alone.yaml"
exits 0 "without conflicts no time can be saved: the baseline is the plan" \
	perseus plan "$T/alone.yaml" -p xeon-e5320 --objective=time -o "$T/none.yaml"
it "and it pins no thread" sh -c '! grep -Eq "^ *core: " "$1"' - "$T/none.yaml"
finish
