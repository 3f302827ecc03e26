#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus plan check -m: the plan's figures are computed again by a program
# that shares no line with the planner.
. tests/lib.sh
model=tests/planner/models/signal.yaml
platform=yaml/examples/platform.yaml

sources=$(ls verify/*/*.c verify/arch/*/*.c verify/*/arch/*/*.c)
it "planner and checker build into one program" gcc -std=gnu11 -D_GNU_SOURCE -O1 -g ${SAN:+-fsanitize=$SAN} -I. -Iinclude -Itests/unit/planner \
	-o "$T/confirm" tests/verify/programs/confirm.c $sources "$O/planner.a" "$O/record.a" "$O/yaml.a" "$O/lib.a" -lyaml -lm -lpthread -ldl
exits 0 "the gate tests and 200 random programs are confirmed to the last unit" "$T/confirm" "$T" 1 200
says '^211 plans, [0-9]{2,} of them gain, [0-9]{2,} for several models, [0-9]{2,} triggers, [0-9]{2,} loops; 2321 figures changed; [0-9]{2,} fronts of [0-9]{2,} points; 0 wrong' "each figure changed by one is found"
exits 0 "so is what programs show whose gain ends in a plateau, dips where a package still halts, or is simulated otherwise" \
	sh -c '"$1" "$2" 400 400 && "$1" "$2" 931 931 1' - "$T/confirm" "$T"

perseus plan yaml/examples/model.yaml -p "$platform" --objective=energy -o "$T/example.yaml" >/dev/null 2>&1
exits 0 "the plan of the commented example" perseus plan check -m yaml/examples/model.yaml -p "$platform" "$T/example.yaml"
says '^confirmed as far as checked: time [0-9.]+ s, energy' "is confirmed"
says '^not checked: method, evaluations, proven: ' "and what is not checked is named"
it "a plan with moves and steps is made" perseus plan tests/verify/moves-model.yaml -p tests/verify/moves-platform.yaml --objective=energy -o "$T/plan.yaml"
check="perseus plan check -m tests/verify/moves-model.yaml -p tests/verify/moves-platform.yaml"
exits 0 "it is confirmed" $check "$T/plan.yaml"
says '^saving: [0-9.]+ % of the energy confirmed' "its saving"
says 'energy [0-9.]+ J, draw at most [1-9]' "energy and draw, where watts are known"
sed -e 's/^energy_known: .*/energy_known: false/; s/^can_halt: .*/can_halt: false/; /^package_halt_mw/d' -e '/khz:/s/, *busy_mw: [0-9]*//; /khz:/s/, *idle_mw: [0-9]*//' tests/verify/moves-platform.yaml >"$T/dark.yaml"
it "a plan for a platform without watts" perseus plan tests/verify/moves-model.yaml -p "$T/dark.yaml" --objective=time -o "$T/dark-plan.yaml"
exits 0 "its figures are confirmed" perseus plan check -m tests/verify/moves-model.yaml -p "$T/dark.yaml" "$T/dark-plan.yaml"
says '^confirmed as far as checked: time [0-9.]+ s \(the platform has no watts\); baseline' "it is said that there are no watts"
silent ' J' "and no joules"
says '^bound: at most [0-9.]+ %, in closed form, confirmed; the planner' "its bound in closed form"
says 'is not independently checked' "and what is not checked is named"
it "it has triggers at calls" grep -q "at: call" "$T/plan.yaml"

differs() { # TEXT SED-EXPRESSION EXPECTED
	sed -e "$2" "$T/plan.yaml" >"$T/bad.yaml"
	it "$1: the plan was changed" sh -c '! cmp -s "$1" "$2"' - "$T/plan.yaml" "$T/bad.yaml"
	exits 1 "$1 is found" $check "$T/bad.yaml"
	says "$3" "$1: what differs is named"
}
old=$(sed -n 's/^energy_nj: //p' "$T/plan.yaml")
differs "an energy one unit off" "s/^energy_nj: .*/energy_nj: $((old + 1))/" "energy in nJ: the plan says $((old + 1)), recomputed $old"
differs "a trigger on another visit" '/at: call/,/every/s/first: [0-9]*$/first: 40/' 'trigger [0-9]+ |recomputed'
differs "a core changed" '/^threads:/,/^sites:/s/^    core: 0$/    core: 3/' 'recomputed'
differs "a place of the baseline changed" '/^base_places:/,/^free_places:/s/core: 0}/core: 3}/' 'time of the baseline|energy of the baseline'
differs "a phase of the model left out" '/^phases:/,/^base_places:/s/^    first: 2$/    first: 1/' 'phase 2: expected .first. to be 2'
awk '/^triggers:/ { t = 1 } t && /^  - number:/ { n++ } /^[a-z]/ && !/^triggers:/ { t = 0 } !(t && n == 1)' "$T/plan.yaml" >"$T/bad.yaml"
exits 1 "a trigger dropped is found" $check "$T/bad.yaml"
says 'recomputed' "and what changes without it is named"

sed 's/busy_mw: 5000/busy_mw: 5001/' tests/verify/moves-platform.yaml >"$T/platform.yaml"
exits 1 "one milliwatt more on the platform is found" perseus plan check -m tests/verify/moves-model.yaml -p "$T/platform.yaml" "$T/plan.yaml"
says 'made from a platform with sha256' "and it is said that the platform is another"
sed '0,/cycles: 20000000$/s//cycles: 20000100/' tests/verify/moves-model.yaml >"$T/model.yaml"
exits 1 "100 cycles more in the model are found" perseus plan check -m "$T/model.yaml" -p tests/verify/moves-platform.yaml "$T/plan.yaml"
says 'made from a model with sha256' "and it is said that the model is another"

# The tighter bound: of small plans all placements are looked at.
bound=$(sed -n 's/^bound_energy_nj: //p' "$T/plan.yaml")
it "the planner says that it has looked at all placements" grep -qx 'proven: true' "$T/plan.yaml"
$check "$T/plan.yaml" >"$T/out"
says 'is confirmed: of [0-9]+ placements and steps none takes less|is not independently checked: [a-z]' "the checker looks at them, too, or says why not"
tight() { # NAME FIELD OBJECTIVE
	at=tests/planner/models/$1.yaml
	it "$1: a plan for $3" perseus plan "$at" -p "$platform" --objective="$3" -o "$T/tight.yaml"
	of=$(sed -n "s/^$2: //p" "$T/tight.yaml")
	judge="perseus plan check -m $at -p $platform"
	exits 0 "$1: its bound is confirmed" $judge "$T/tight.yaml"
	says 'is confirmed: of [0-9]+ placements and steps none takes less, and one just that' "$1: to the last unit"
	sed "s/^$2: .*/$2: $((of - 1))/" "$T/tight.yaml" >"$T/bad.yaml"
	exits 1 "$1: one that is lower than need be is not proven" $judge "$T/bad.yaml"
	says "$2: the plan says $((of - 1)), and that it is proven, the best placement of all takes $of" "$1: which is said"
	sed -i 's/^proven: true/proven: false/' "$T/bad.yaml"
	if grep -qx "relaxed_${2#bound_}: $of" "$T/bad.yaml"; then
		exits 1 "$1: one below the closed form is found" $judge "$T/bad.yaml"
		says "$2: the plan says $((of - 1)), the closed form $of" "$1: which is said, too"
	else
		exits 0 "$1: it is a bound, if it is not said to be proven" $judge "$T/bad.yaml"
		says 'none takes less$' "$1: which nothing reaches"
	fi
	sed "s/^$2: .*/$2: $((of + 1))/" "$T/tight.yaml" >"$T/bad.yaml"
	exits 1 "$1: one that is higher is found" $judge "$T/bad.yaml"
	says "$2: the plan says $((of + 1)), the best placement|nothing is below|below the bound" "$1: which is said"
	sed 's/^method: .*/method: "genetic"/' "$T/tight.yaml" >"$T/bad.yaml"
	exits 1 "$1: what was not enumerated is not proven" $judge "$T/bad.yaml"
	says 'proven: the method .genetic. does not look at all placements' "$1: which is said"
}
tight haltstate bound_energy_nj energy
tight float bound_time_ns time

# Where it stops gaining.
at=$(sed -n '/^breakevens:/,/^regret:/s/^    at: //p' "$T/plan.yaml" | head -n 1)
it "it has a break-even" test -n "$at"
percent() { awk -v at="$at" -v f="$1" 'BEGIN { printf "%.15g", at * f }'; }
differs "a break-even one percent off" "s/^    at: $at\$/    at: $(percent 1.01)/" 'breakevens: .* is not where the plan stops gaining'
differs "one percent off on the other side" "s/^    at: $at\$/    at: $(percent 0.99)/" 'breakevens: .* is not where the plan stops gaining'
differs "another figure of the platform" '/^breakevens:/,/^regret:/s/^    value: \([0-9.]*\)$/    value: \11/' 'breakevens: .* is no figure of the platform'
differs "another unit" '/^breakevens:/,/^regret:/s/^    unit: "/&k/' 'breakevens: .* is no figure of the platform'
differs "what it turns on" '/^turns_on:/s/ gains/ wins/' 'turns_on: the plan says .*, recomputed'
differs "nothing that it turns on" '/^turns_on:/d' 'turns_on: the plan says .nothing., recomputed'
differs "no break-even" '/^breakevens:/,/^regret:/{/^breakevens:/d;/^  /d}' 'breakevens: .* is missing, with which the plan stops gaining'
exits 0 "a millionth is not told" sh -c 'sed "s/^    at: $1\$/    at: $2/" "$3" >"$4"; perseus plan check -m tests/verify/moves-model.yaml -p tests/verify/moves-platform.yaml "$4"' - "$at" "$(percent 1.000001)" "$T/plan.yaml" "$T/bad.yaml"
says '^not checked: breakevens.at: to less than a hundred thousandth' "which is said"
perseus plan tests/verify/moves-model.yaml -p tests/verify/moves-platform.yaml --objective=energy --deadline=+30% -o "$T/late.yaml" >/dev/null 2>&1
exits 0 "a plan with a deadline is confirmed" $check "$T/late.yaml"
says '^not checked: breakevens, turns_on: of a plan that has to keep to a deadline' "but not where it stops gaining"

# What no figure depends on is the model's, too.
differs "a pin before its call" '/at: call/,/every/s/after: true/after: false/' 'trigger [0-9]+ never acts'
differs "another model's hash" 's/^model_sha256: "./model_sha256: "0/; s/^model_sha256: "0\(.\)0/model_sha256: "0\11/' 'made from a model with sha256'
differs "another function's name" 's/callee: "pthread_barrier_wait"/callee: "sem_wait"/' 'site [0-9]+ of the plan is none of the model'
differs "a finding that nobody found" '/^threads:/,/^sites:/s/evidence: "share-000001, /&share-999999, /' 'thread 1 of the plan rests on .share-999999., which is no finding or phase of the model'
silent 'rests on .share-000001' "... and no other is"
differs "a phase that is none" '/^triggers:/,/^phases:/s/phase-000003"/phase-000009"/' 'trigger [0-9]{4} of the plan rests on .phase-000009.'
differs "another creating site" '/^threads:/,/^sites:/s/create_site: 0/create_site: 1/' 'thread [0-9]+ of the plan'
differs "a bound above the figure" "s/^bound_time_ns: .*/bound_time_ns: 99999999999/" 'below the bound'
closed=$(sed -n 's/^relaxed_energy_nj: //p' "$T/plan.yaml")
differs "a bound below the closed form" "s/^bound_energy_nj: .*/bound_energy_nj: $((closed - 1))/" "bound_energy_nj: the plan says $((closed - 1)), the closed form $closed"
it "a plan that takes longer than its baseline" perseus plan yaml/examples/model.yaml -p "$platform" --objective=energy -o "$T/slow.yaml"
reached=$(sed -n 's/^base_time_ns: //p' "$T/slow.yaml")
judge="perseus plan check -m yaml/examples/model.yaml -p $platform"
exits 0 "it is confirmed" $judge "$T/slow.yaml"
sed "s/^bound_time_ns: .*/bound_time_ns: $((reached + 1))/" "$T/slow.yaml" >"$T/bad.yaml"
exits 1 "a bound above the baseline is found" $judge "$T/bad.yaml"
says "bound_time_ns: the plan says $((reached + 1)), the baseline .* takes [0-9]+$" "a bound above the baseline: what differs is named"

# Work under a lock: workers 1 and 2 take turns for most of the first phase.
sed '/^  - index: 1$/{x;s/^/x/;/^xxx$/{s/.*//;x;s/^/    serial:\n      - lock: 4\n        held:\n          - thread: 1\n            cycles: 19000000\n          - thread: 2\n            cycles: 19000000\n/;x;};x;}' \
	tests/verify/moves-model.yaml >"$T/serial.yaml"
it "a lock is in the model" grep -q 'lock: 4' "$T/serial.yaml"
it "its plan is made" perseus plan "$T/serial.yaml" -p tests/verify/moves-platform.yaml --objective=energy -o "$T/serial-plan.yaml"
exits 0 "it is confirmed" perseus plan check -m "$T/serial.yaml" -p tests/verify/moves-platform.yaml "$T/serial-plan.yaml"
sed 's/cycles: 19000000/cycles: 12000000/' "$T/serial.yaml" >"$T/shorter.yaml"
exits 1 "less work under the lock is found" perseus plan check -m "$T/shorter.yaml" -p tests/verify/moves-platform.yaml "$T/serial-plan.yaml"
says 'time in ns: the plan says' "in the time"

# One plan for two models
sed 's/cycles: \([0-9]*\)0$/cycles: \1/; s/repeats: 20$/repeats: 30/' tests/verify/moves-model.yaml >"$T/tenth.yaml"
for over in mean worst; do
	it "a plan for two models, their $over" perseus plan tests/verify/moves-model.yaml "$T/tenth.yaml" --over=$over \
		-p tests/verify/moves-platform.yaml --objective=energy -o "$T/$over.yaml"
	check="perseus plan check -m tests/verify/moves-model.yaml -m $T/tenth.yaml -p tests/verify/moves-platform.yaml"
	exits 0 "it is confirmed ($over)" $check "$T/$over.yaml"
	says "^inputs: 2 models, their $over" "both are told of ($over)"
	old=$(sed -n 's/^time_ns: //p' "$T/$over.yaml")
	sed "s/^time_ns: .*/time_ns: $((old + 1))/" "$T/$over.yaml" >"$T/bad.yaml"
	exits 1 "one nanosecond more is found ($over)" $check "$T/bad.yaml"
	says "time in ns: the plan says $((old + 1)), recomputed $old" "and named ($over)"
done
exits 1 "one of two models is too few" perseus plan check -m tests/verify/moves-model.yaml -p tests/verify/moves-platform.yaml "$T/mean.yaml"
says 'made for 2 models, 1 given' "and is told"
exits 1 "the models in another order" perseus plan check -m "$T/tenth.yaml" -m tests/verify/moves-model.yaml -p tests/verify/moves-platform.yaml "$T/mean.yaml"
says 'made from a model with sha256' "are distinguished"
sed 's/^over: worst/over: mean/' "$T/worst.yaml" >"$T/bad.yaml"
exits 1 "the worst is not the mean" $check "$T/bad.yaml"
check="perseus plan check -m tests/verify/moves-model.yaml -p tests/verify/moves-platform.yaml"

awk '/^    first: 1$/ && !done { print; getline; print "    last: 2"; done = 1; skip = 1; next } 1' "$T/plan.yaml" |
	awk '/^  - index: 2$/ && seen { drop = 1 } /^phases:/ { seen = 1 } /^base_places:/ { drop = 0 } !drop' >"$T/bad.yaml"
exits 1 "phases joined over a barrier are found" $check "$T/bad.yaml"
says 'over a barrier' "and named"

# What C reads the checker reads: lines of other systems, zeros in front.
sed 's/$/\r/' "$T/plan.yaml" >"$T/crlf.yaml"
exits 0 "lines that end in CR LF are read" $check "$T/crlf.yaml"
sed '/^threads:/,/^sites:/s/^    core: \([0-9]\)$/    core: 0\1/' "$T/plan.yaml" >"$T/zero.yaml"
it "a core has a zero in front" grep -q "core: 0[0-9]" "$T/zero.yaml"
exits 0 "which means nothing" $check "$T/zero.yaml"

# The plan's other claims.
differs "another program" 's/^program: "/&x/' 'program: the plan says'
differs "another build" 's/^program: .*/&\nbuild_id: "0011"/' 'build_id: the plan says'
differs "the site tables of another build" 's/^program: .*/&\nsites_sha256: "1111111111111111111111111111111111111111111111111111111111111111"/' 'sites_sha256: the plan says'
differs "another hash of the baseline" 's/^baseline_sha256: "./baseline_sha256: "0/; s/^baseline_sha256: "0\(.\)0/baseline_sha256: "0\11/' 'baseline_sha256 is not that'
differs "another baseline's name" 's/^baseline: "spread"/baseline: "pack"/' 'base_places are not those of the baseline .pack.'
differs "another seed" 's/^seed: 1$/seed: 2/' 'regret of .random.'
differs "a regret" '/^regret:/,$s/time_ns: \([0-9]\)/time_ns: 1\1/' 'regret of .spread.'
differs "what the plan reaches by its kind" 's/{kind: call, time_ns: \([0-9]\)/{kind: call, time_ns: 1\1/' 'kinds: what the plan.s own kind reaches'
differs "a simulator that contradicts the plan" 's/^simulated_time_ns: \([0-9]\)/simulated_time_ns: 1\1/' 'block simulator is said to need'
differs "a reason of nobody" '/^threads:/,/^sites:/s/both on one core/both behind one cache/' 'thread [0-9]+ of the plan: its reason is not so'
differs "a reason that is none" '/^triggers:/,/^phases:/s/^    reason: .*/    reason: "so it must be"/' 'trigger [0-9]+ of the plan: its reason is not so: so it must be'
differs "no evidence at all" '/^triggers:/,/^phases:/{/^    evidence:/d;}' 'trigger [0-9]+ of the plan acts for .phase-[0-9]+., on which it does not rest'
differs "the phase of another trigger" '/^triggers:/,/^phases:/s/phase-000003"/phase-000001"/' 'which is about other threads or another phase'
differs "a trigger on visits that nobody made" '/at: call/,/actions/s/^    every: 0/    every: 7/' 'acts on visits that no run has'

exits 0 "without a model" perseus plan check -p tests/verify/moves-platform.yaml "$T/plan.yaml"
says '^figures not recomputed: no model given' "it says that figures are not recomputed"
sed '/^phases:/,/^base_places:/{/^    \(first\|last\|peak_mw\): /d}; /^relaxed_/d; /^peak_mw/d; /_places:/,$d' "$T/plan.yaml" >"$T/old.yaml"
exits 0 "a plan from before is read" perseus plan check -p tests/verify/moves-platform.yaml "$T/old.yaml"
exits 1 "but its figures cannot be followed" $check "$T/old.yaml"
exits 4 "a model that is none" perseus plan check -m "$platform" -p tests/verify/moves-platform.yaml "$T/plan.yaml"
exits 4 "a model that is not there" perseus plan check -m "$T/none.yaml" -p tests/verify/moves-platform.yaml "$T/plan.yaml"
exits 2 "-m without a file" perseus plan check "$T/plan.yaml" -m
exits 4 "the checker itself reads models strictly" perseus-plan-check "$T/plan.yaml" tests/verify/moves-platform.yaml --model "$platform"

it "the readers build with sanitizers" gcc -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -I. -Iinclude \
	-o "$T/fuzz" tests/verify/programs/fuzz.c $sources
exits 0 "2000 damaged files" "$T/fuzz" 2000 "$T/plan.yaml" tests/verify/moves-platform.yaml tests/verify/moves-model.yaml
says '^[0-9]{3,} refused, [0-9]{2,} judged' "many were refused, many judged"
finish
