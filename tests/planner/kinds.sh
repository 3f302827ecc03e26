#!/bin/sh
# SPDX-License-Identifier: MIT
# What a plan may change, and what less of it costs; several models in one plan; models that are none.
. tests/lib.sh
model=tests/planner/models/signal.yaml
plan() { perseus plan "$@" -p xeon-e5320 --objective=energy; }

# Kinds: of main's stages after calls, of workers behind a barrier.
cat >"$T/head" <<'M'
perseus: model
version: 2
program: "staged"
build_id: "0011"
clock: "made by rule"
hz: 1853000000
wall_ns: 1000000000
outside: 0
threads:
  - {index: 0, name: "main", ordinal: 0, plannable: true}
  - {index: 1, name: "worker", creator: 0, create_site: 1, ordinal: 0, plannable: true}
  - {index: 2, name: "worker", creator: 0, create_site: 1, ordinal: 1, plannable: true}
sites:
  - {index: 0, id: "0000000000000001", instance: "00000000", unit: "a.c", function: "main", callee: "stage", file: "a.c", line: 1}
  - {index: 1, id: "0000000000000002", instance: "00000000", unit: "a.c", function: "main", callee: "pthread_create", file: "a.c", line: 2}
  - {index: 2, id: "0000000000000003", instance: "00000000", unit: "a.c", function: "work", callee: "pthread_barrier_wait", file: "a.c", line: 3}
phases:
M
cat >"$T/phases" <<'M'
  - {index: 0, name: "p0", opened_by: start, repeats: 1, wall_ns: 1, accepted: true, work: [{thread: 0, cycles: 90000000, starts: true}]}
  - {index: 1, name: "p1", opened_by: call, after: 0, repeats: 1, wall_ns: 1, accepted: true, work: [{thread: 0, cycles: 1000000, memory_ns: 900000000, enter_site: 0, enter_visit: 1}]}
  - {index: 2, name: "p2", opened_by: create, after: 1, repeats: 1, wall_ns: 1, accepted: true, work: [{thread: 1, cycles: 900000000, starts: true}, {thread: 2, cycles: 900000000, starts: true}]}
  - {index: 3, name: "p3", opened_by: barrier, after: 2, repeats: 1, wall_ns: 1, accepted: true, work: [{thread: 1, cycles: 1000000, memory_ns: 900000000, enter_site: 2, enter_visit: 1}]}
M
cat "$T/head" "$T/phases" >"$T/staged.yaml"
for kind in start phase call; do
	exits 0 "a plan of kind $kind is made" plan "$T/staged.yaml" --kind=$kind -o "$T/$kind.yaml"
	says "^kinds +start .*; phase .*call|^kinds +start" "it says what each kind reaches"
	grep -E '^ *- \{kind: (start|phase|call), time' "$T/$kind.yaml" >"$T/$kind.kinds"
done
it "a plan of starts has no trigger at a call" sh -c '! grep -q "at: call" "$1"' - "$T/start.yaml"
it "one of phases has some" grep -q "at: call" "$T/phase.yaml"
it "but none after an ordinary call" sh -c '! grep -q "callee: \"stage\"" "$1"' - "$T/phase.yaml"
it "which only one of calls has" grep -q 'callee: "stage"' "$T/call.yaml"
it "what the kinds reach does not depend on the one asked for" cmp "$T/start.kinds" "$T/call.kinds"
energy() { sed -n "s/.*kind: $1, .*energy_nj: \([0-9]*\),.*/\1/p" "$T/call.kinds"; }
it "the more a plan may change, the less energy it takes" \
	test "$(energy start)" -gt "$(energy phase)" -a "$(energy phase)" -gt "$(energy call)"
exits 2 "an unknown kind is refused" plan "$model" --kind=all -o "$T/x.yaml"
exits 0 "triggers that are worth little are dropped on demand" plan "$T/staged.yaml" --trigger-worth=50 -o "$T/few.yaml"
it "so there are fewer" test "$(grep -c '  - number:' "$T/few.yaml")" -lt "$(grep -c '  - number:' "$T/call.yaml")"
exits 2 "a worth beyond everything is refused" plan "$model" --trigger-worth=101 -o "$T/x.yaml"

# Several models
sed 's/cycles: \([0-9]*\)0$/cycles: \1/' "$model" >"$T/tenth.yaml"
exits 0 "two inputs of one program get one plan" plan "$model" "$T/tenth.yaml" -o "$T/mean.yaml"
says '^inputs +2 models' "it says that they are two"
says 'gains in 2' "and in how many it gains"
it "the plan names both" test "$(grep -c '  - model_sha256:' "$T/mean.yaml")" = 2
exits 0 "the plan whose worst input is best" plan "$model" "$T/tenth.yaml" --over=worst -o "$T/worst.yaml"
it "says so" grep -qx 'over: worst' "$T/worst.yaml"
plan "$model" "$T/tenth.yaml" --over=worst --threads=2 -o "$T/again.yaml" >/dev/null
it "and is the same every time" cmp "$T/worst.yaml" "$T/again.yaml"
exits 0 "the mean fits the platform" perseus plan check "$T/mean.yaml" -p xeon-e5320
exits 4 "models of two programs are refused" plan "$model" tests/planner/models/float.yaml -o "$T/x.yaml"
says 'one plan is for one program' "by name"
exits 2 "a deadline is for one model" plan "$model" "$T/tenth.yaml" --deadline=10s -o "$T/x.yaml"
exits 4 "one model of two that is missing is named" plan "$model" "$T/none.yaml" -o "$T/x.yaml"
says 'none.yaml' "with its path"

# Models that are none
bad() { # name, words, text of the phases
	{ cat "$T/head"; cat; } >"$T/bad.yaml"
	exits 4 "$1 is refused" plan "$T/bad.yaml" -o "$T/x.yaml"
	says "$2" "with its place"
}
bad "a circle of phases" 'line [0-9]+, column [0-9]+: .after. leads in a circle from phase 1 to phase 2' <<'M'
  - {index: 0, name: "p0", opened_by: start, repeats: 1, wall_ns: 1, accepted: true, work: [{thread: 0, cycles: 9, starts: true}]}
  - {index: 1, name: "p1", opened_by: create, after: 2, repeats: 1, wall_ns: 1, accepted: true, work: [{thread: 1, cycles: 9}]}
  - {index: 2, name: "p2", opened_by: create, after: 1, repeats: 1, wall_ns: 1, accepted: true, work: [{thread: 2, cycles: 9}]}
M
bad "a phase without work" 'line [0-9]+, column [0-9]+: .work. must be a list of 1' <<'M'
  - {index: 0, name: "p0", opened_by: start, repeats: 1, wall_ns: 1, accepted: true, work: []}
M
bad "a thread without phases" 'line 12, column [0-9]+: thread 2 has no work in any phase' <<'M'
  - {index: 0, name: "p0", opened_by: start, repeats: 1, wall_ns: 1, accepted: true, work: [{thread: 0, cycles: 9}, {thread: 1, cycles: 9}]}
M
sed '/^threads:/,/^sites:/{/^threads:/!{/^sites:/!d;};s/^threads:/threads: []/;}' "$T/staged.yaml" >"$T/bad.yaml"
exits 4 "a model without threads is refused" plan "$T/bad.yaml" -o "$T/x.yaml"
says 'threads. must be a list of 1' "with its place"
sed 's/creator: 0, create_site: 1, ordinal: 0/creator: 2, create_site: 1, ordinal: 0/' "$T/staged.yaml" >"$T/bad.yaml"
exits 4 "a thread that a later one creates is refused" plan "$T/bad.yaml" -o "$T/x.yaml"
says 'must stand after the thread that created it' "with its place"
pf=yaml/examples/platform.yaml
for edit in '/^cores:/,/^steps:/{/^ *- {id/d;s/^cores:/cores: []/;}' 's/idle_mw: \([0-9]\)/idle_mw: -\1/' \
	's/busy_mw: [0-9]*/busy_mw: 1/' 's/khz: 1800000/khz: 9000000/' 's/usable: true/usable: false/'; do
	sed "$edit" "$pf" >"$T/pf.yaml"
	exits 4 "a platform edited by $(printf %s "$edit" | tr -d '#') is refused" \
		perseus plan "$model" -p "$T/pf.yaml" -o "$T/x.yaml"
	says 'line [0-9]+, column [0-9]+' "with its place"
done
it "nothing was written" test ! -e "$T/x.yaml"
finish
