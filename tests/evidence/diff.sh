#!/bin/sh
# SPDX-License-Identifier: MIT
# Two plans by meaning: what differs is named in words; what is only written
# down otherwise is no difference.
. tests/lib.sh
golden=$(pwd)/tests/codegen/golden/plan.yaml
same() { exits 0 "$1" perseus plan diff "$golden" "$2"; says "^the plans mean the same" "... and that is said"; silent "^(changed|moved|added|dropped|thread|promise|task|identity)" "... without a difference"; }
differs() { exits 1 "$1" perseus plan diff "$golden" "$2"; says "$3" "... in these words"; }
edit() { sed "$1" "$golden" >"$T/$2.yaml"; }

same "a plan and itself" "$golden"
reorder() { python3 tests/evidence/reorder.py "$golden" "$1" "$T/order$1.yaml"; }
for seed in 1 2 3 4 5; do
	it "an equal plan in another order, seed $seed" reorder $seed
	same "threads, sites, triggers, actions in another order, other trigger numbers, seed $seed" "$T/order$seed.yaml"
done
{ echo "# a comment"; cat "$golden"; } >"$T/comment.yaml"
same "a comment" "$T/comment.yaml"
edit 's/^seed: 1/seed: 2/; s/^evaluations: .*/evaluations: 9/; s/back beside/again beside/' notes
same "another seed, other words" "$T/notes.yaml"
says "^note +seed is 2 instead of 1" "how it was found is a note"
says "^note .*the reason is .again beside" "a reason is a note"

edit 's/^    core: 2$/    core: 5/' start
differs "another core at a start" "$T/start.yaml" "^changed +worker 0 starts on core 5 instead of core 2$"
edit '/number: 118/,/number: 119/s/core: 0/core: 6/' call
differs "another core at a call" "$T/call.yaml" "^changed +worker 0 now on core 6 instead of core 0: before fir in worker \(fir.c:88\), visit 1"
sed 's/name: "phase-000031"/name: "phase-000032"/' "$golden" >"$T/named.yaml"
sed '/number: 118/,/number: 119/s/core: 0/core: 6/' "$T/named.yaml" >"$T/named2.yaml"
exits 1 "a trigger whose evidence names a phase of the plan" perseus plan diff "$T/named.yaml" "$T/named2.yaml"
says "worker 0 now on core 6 instead of core 0 from phase-000032 on" "the phase is named"
sed 's/phase-000032/solve/' "$T/named.yaml" >"$T/solve.yaml"
sed 's/phase-000032/solve/' "$T/named2.yaml" >"$T/solve2.yaml"
exits 1 "a phase with a name of its own" perseus plan diff "$T/solve.yaml" "$T/solve2.yaml"
says "worker 0 now on core 6 instead of core 0 from phase solve on" "... is called so"
perseus plan tests/verify/moves-model.yaml -p tests/verify/moves-platform.yaml --objective=energy -o "$T/moves.yaml" >/dev/null
sed '/^triggers:/,/^phases:/s/core: 1$/core: 0/' "$T/moves.yaml" >"$T/moves2.yaml"
exits 1 "a plan of the planner with another core at a call" perseus plan diff "$T/moves.yaml" "$T/moves2.yaml"
says "worker 1 now on core 0 instead of core 1 from phase-[0-9]+ on" "the phase is that of the planner"
edit '/number: 2$/,/number: 118/s/1853000/1587000/' step
differs "another step" "$T/step.yaml" "^changed +domain 3 at 1587000 kHz instead of 1853000 kHz, set by worker 1 at its start"
edit 's/^    first: 9/    first: 8/' visit
differs "another visit" "$T/visit.yaml" "^moved +worker 0 now sets domain 2 to 1587000 kHz after pthread_barrier_wait in worker \(fir.c:97\), visit 8 instead of visit 9"
edit '/number: 119/,/number: 120/s/after: false/after: true/' side
differs "the other side of a call" "$T/side.yaml" "^moved +worker 1 now goes to core 1 after fir .* instead of before fir"
edit '/number: 119$/,/reason/d' fewer
differs "a trigger less" "$T/fewer.yaml" "^dropped +no longer: worker 1 goes to core 1 before fir"
exits 1 "a trigger more" perseus plan diff "$T/fewer.yaml" "$golden"
says "^added +worker 1 now goes to core 1 before fir" "... is added"
edit '/index: 1$/,/reason/{/^    core: 2$/d}' unplaced
differs "a thread that is no longer placed" "$T/unplaced.yaml" "^dropped +no longer: worker 0 starts on core 2$"
exits 1 "a thread that is placed now" perseus plan diff "$T/unplaced.yaml" "$golden"
says "^added +worker 0 now starts on core 2; before, the plan chose no core for it$" "... is not taken for a new one"
edit '/  - index: 3$/,/^sites:/{/^sites:/!d}' gone
differs "a thread less" "$T/gone.yaml" "^thread +logger is not in the plan any more, created by std::thread::_M_start_thread"
sed '/^  - index: 3$/,/^sites:/s/^    ordinal: 0$/    ordinal: 0\n    core: 4/' "$golden" >"$T/placed.yaml"
exits 1 "a thread more, with a core" perseus plan diff "$T/gone.yaml" "$T/placed.yaml"
says "^thread +logger is new, created by" "... is new"
says "^added +logger starts on core 4; the thread is new$" "... and nothing is said of where it was before"
printf 'base_places:\n  - {thread: 1, phase: 0, core: 2}\nfree_places:\n  - {thread: 3, phase: 0, core: 2}\n' | cat "$golden" - >"$T/places.yaml"
sed '$s/core: 2/core: 3/' "$T/places.yaml" >"$T/places2.yaml"
exits 0 "a core that only figures rest on" perseus plan diff "$T/places.yaml" "$T/places2.yaml"
says "^note +cores on which the plan's figures assume the threads that it does not place: 1 of 1 are not among the 1 of the old plan$" "... is a note that says so"
silent "baseline" "... and of nothing else"
edit 's/^objective: energy/objective: time/; s/^seed: 1/kind: start\nseed: 1/; s/^time_ns: .*/time_ns: 1700000000/; s/^platform_name: .*/platform_name: "lab-9"/; s/^model_sha256: "1/model_sha256: "2/' head
differs "another task" "$T/head.yaml" "^task +objective is time instead of energy"
says "^task +kind is start instead of call" "the kind"
says "^promise +time is 1.7[0]? s instead of 1.66 s" "what it promises"
says "^identity +platform is lab-9 instead of lab-8" "the platform"
says "^identity +model is 2b4f" "the model"
edit 's/time_ns: 880000000/time_ns: 890000000/' phase
differs "a phase that takes longer" "$T/phase.yaml" "^promise +phase phase-000031 is 1 x 890 ms"

exits 1 "as JSON" perseus plan diff --json "$golden" "$T/call.yaml"
it "it is JSON, with kind, thread, trigger, before and after" python3 -c "
import json
d = json.load(open('$T/out'))
c = d['changes'][0]
assert not d['same'] and d['differences'] == 1 and len(d['changes']) == 1
assert (c['kind'], c['subject'], c['what'], c['trigger'], c['before'], c['after']) == ('changed', 'worker 0', 'core', 118, 'core 0', 'core 6'), c"
exits 0 "JSON of the same" perseus plan diff --json "$golden" "$T/order1.yaml"
it "it says so" python3 -c "import json; d = json.load(open('$T/out')); assert d['same'] is True and d['changes'] == [], d"

sed 's/name: "logger"/name: "log\\e[31m\\nger"/' "$golden" >"$T/hostile.yaml"
exits 0 "a name with control characters" perseus plan diff "$golden" "$T/hostile.yaml"
says "^note +log\?\[31m\?ger was called logger" "they do not reach the terminal"

head -c 700 "$golden" >"$T/cut.yaml"
exits 4 "a plan that is cut off" perseus plan diff "$golden" "$T/cut.yaml"
exits 4 "a plan that is not there" perseus plan diff "$T/none.yaml" "$golden"
exits 2 "one plan only" perseus plan diff "$golden"
exits 2 "an unknown option" perseus plan diff --frob "$golden" "$golden"
finish
