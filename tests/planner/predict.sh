#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus plan predict: what placements are expected to take.
. tests/lib.sh
model=yaml/examples/model.yaml

exits 0 "placements and baselines are predicted" \
	perseus plan predict -p xeon-e5320 "$model" 0,1 0 os spread
says '^0,1 +[0-9.]+ (ms|s)$' "a line says what each is expected to take"
says '^os +[0-9.]+ (ms|s)$' "baselines by their name"
exits 0 "as JSON, too" perseus plan predict --json -p xeon-e5320 "$model" 0,1 spread
says '"placement": "0,1"' "which names the placement"
says '"time_ns": [0-9]+' "and says its time"
perseus plan "$model" -p xeon-e5320 --json -o "$T/plan.yaml" >"$T/plan.json"
it "a baseline takes what the planner says of it" sh -c '
	perseus plan predict --json -p xeon-e5320 "$1" spread | grep -o "\"time_ns\": [0-9]*" >"$2/a"
	grep -A 3 "\"baseline\": {" "$2/plan.json" | grep -o "\"time_ns\": [0-9]*" >"$2/b"
	[ -s "$2/a" ] && cmp "$2/a" "$2/b"' - "$model" "$T"

exits 4 "a core that the platform has not is refused" perseus plan predict -p xeon-e5320 "$model" 0,99
says 'no usable core 99' "and named"
for bad in x 0,,1 0,-1 , 0,1x 4294967296; do
	exits 2 "'$bad' is no placement" perseus plan predict -p xeon-e5320 "$model" "$bad"
done
exits 2 "a placement is wanted" perseus plan predict -p xeon-e5320 "$model"
exits 4 "a model that is not there is refused" perseus plan predict -p xeon-e5320 "$T/none.yaml" 0
exits 4 "an unknown platform, too" perseus plan predict -p nowhere "$model" 0
finish
