#!/bin/sh
# SPDX-License-Identifier: MIT
# The whole way on one program, examples/mates: record, analyze, plan, try, codegen, build, verify, prove.  Where threads may
# run under `perseus try` is where they may run in the rebuilt program, stage by stage, as they say themselves.
. tests/lib.sh
. tests/soon.inc
. tests/codegen/plan.inc
ex=$(pwd)/examples/mates
[ -n "$B" ] || { skip "the whole way on mates" "needs two cores"; finish; }
cd "$T" || exit 1
build() { make -s -C "$ex" O="$T/$1" CFLAGS="-O2 -g $2" EXTRA_OBJS="$3"; }
same() { if cmp -s "$1" "$2"; then ok "$3"; else not_ok "$3" "$1: $(cat "$1"); $2: $(cat "$2")"; fi; }
# placed FILE: where the threads said that they might run
placed() { grep '^w[0-3] ' err >"$1"; }

it "the plain build" build plain
it "the probed build" build probed "$(perseus flags --cflags)"
exits 0 "the plain program" plain/mates 0.01
placed plain.cores
it "its threads may run on any core" sh -c "! grep -v '^w[0-3] $start_mask $start_mask\$' plain.cores && test -s plain.cores"
# On one core nobody waits for a line: what is recorded is the work alone, whoever would have met.
exits 0 "record: times" taskset -c "$A" perseus record -q -o timing probed/mates 0.3
exits 0 "record: sharing" perseus record -q -o sharing --purpose=sharing probed/mates 3
exits 0 "calibrate" perseus calibrate --quick -o platform.yaml
steady_prices platform.yaml
# Beside other load two threads may not have met at all while they were recorded, or too seldom to say that they
# do in one stage only: then it is done again.
met() { [ "$(grep -c '^    phase:' model.yaml)" = 4 ]; }
for i in 1 2 3 4 5; do
	perseus analyze timing sharing -o model.yaml && met && break
	rm -rf sharing
	perseus record -q -o sharing --purpose=sharing probed/mates 3
done >again.txt 2>&1
exits 0 "analyze" perseus analyze timing sharing -o model.yaml
if met; then
	exits 0 "conflicts" perseus conflicts sharing
	says "false-sharing .*mates.*left.*right" "... names both fields"
	steady_rates model.yaml
	steady_work model.yaml 20000000 80000000
fi
if met; then
	exits 0 "plan" perseus plan model.yaml -p platform.yaml --objective=time -o plan.yaml
	sets=$(sed -n 's/^sets *//p' out)
	says "^sets +[45] thread starts, [2-4] call triggers$" "... places all threads, and moves them at the barrier ($sets)"
else
	# Who never met has no conflict, and the plan sets nothing: what it would be goes on from here.
	skip "plan" "machine busy: in five recordings some mates met too seldom to say in which stage they do"
	{
		plan_head | sed 's/^program: .*/program: "mates"/'
		echo threads:
		plan_thread 0 main - - 0 "$A"
		plan_thread 1 work 0 0 0 "$A"
		plan_thread 2 work 0 0 1 "$A"
		plan_thread 3 work 0 0 2 "$B"
		plan_thread 4 work 0 0 3 "$B"
		echo sites:
		plan_site_of 0 $(site_line probed/mates main create)
		plan_site_of 1 $(site_line probed/mates work pthread_barrier_wait)
		echo triggers:
		plan_trigger 1 2 1 true 1 0 "$B"
		plan_trigger 2 4 1 true 1 0 "$A"
	} >plan.yaml
fi

# ---- seconds after the plan, and without a rebuild
exits 0 "try" perseus try --status=status.json plan.yaml -- probed/mates 0.05
placed try.cores
says ": right" "... the result is right"
says "^trial .*not a flight build" "... it says that it is a trial"
it "... nothing that was planned is missing" grep -q '"shortfall": null' status.json
it "each thread has one core in each stage" sh -c "[ \$(grep -cx 'w[0-3] [0-9]* [0-9]*' try.cores) = 4 ]"
# Four threads on two cores: nobody has one alone, so those that count in one line share one.
if [ "$cores" = 2 ]; then
	it "mates of the first stage are on one core" sh -c "set -- \$(cut -d' ' -f2 try.cores); [ \$1 = \$2 ] && [ \$3 = \$4 ] && [ \$1 != \$3 ]"
	it "... and so are those of the second" sh -c "set -- \$(cut -d' ' -f3 try.cores); [ \$1 = \$4 ] && [ \$2 = \$3 ] && [ \$1 != \$2 ]"
fi

# ---- what flies
exits 0 "codegen" perseus codegen plan.yaml -o triggers
for f in perseus_triggers perseus_platform_linux; do
	it "$f.c compiles without a warning" gcc -std=c11 -O2 -Wall -Wextra -Werror -c -o triggers/$f.o triggers/$f.c
done
plan="-fplugin-arg-perseus-plan=$T/triggers/perseus_triggers.plan -fplugin-arg-perseus-plan-hash=$(sed -n 's/^plan //p' triggers/perseus_triggers.plan)"
it "the planned build" build planned "$(perseus flags --cflags) $plan" "$T/triggers/perseus_triggers.o $T/triggers/perseus_platform_linux.o"
exits 0 "verify: equal" perseus verify plan.yaml planned/mates
exits 0 "the planned program" planned/mates 0.05
placed planned.cores
says ": right" "... the result is right"
same try.cores planned.cores "its threads are where the trial had them, stage by stage"
it "... which is not where the plain program has them" sh -c '! cmp -s plain.cores planned.cores'
# The twin: another plan, another place.
other=$(sed -n "s/^w0 \([0-9]*\) .*/\1/p" planned.cores)
sed "s/^    core: $other\$/    core: swap/; s/^    core: [0-9]*\$/    core: $other/; s/^    core: swap\$/    core: $([ "$other" = "$A" ] && echo "$B" || echo "$A")/" plan.yaml >swapped.yaml
exits 0 "try: the same with the cores of the starts exchanged" perseus try -q swapped.yaml -- probed/mates 0.05
placed swapped.cores
it "... puts them elsewhere" sh -c '! cmp -s swapped.cores planned.cores'

# What is measured is a result and no test; that both compute the same is one.
perseus prove --pairs=5 plain/mates planned/mates -- 0.2 >out 2>err
rc=$?
it "prove measures plain against planned: $(head -n 1 out)" grep -qE '^(proven|inconclusive|refuted)' out
it "... and both print the same" sh -c "case $rc in 0 | 1 | 5) ! grep -q 'different' out err ;; *) false ;; esac"
finish
