#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus record --try: the plan acts while the program is recorded; the settings are those of perseus try, the
# counts those of a plain recording, and every output says that it is a trial.
. tests/lib.sh
. tests/codegen/plan.inc
progs=$(pwd)/tests/codegen/programs
if [ -z "$B" ]; then
	skip "a plan can be tried while the program is recorded" "needs two cores"
	finish
fi
cp "$progs"/stages.c* "$T"
gcc -O2 -fPIC -shared -o "$T/settings.so" "$progs/settings.c" -ldl
cd "$T" || exit 1
same() { if cmp -s "$1" "$2"; then ok "$3"; else not_ok "$3" "$1: $(cat "$1"); $2: $(cat "$2")"; fi; }
# How often each call of the threads library was made: what a thread prints of its mask depends on that.
calls() { perseus report --calls=500 --json "$1" | /usr/bin/python3 -c "
import json, sys
for s in sorted((s['line'], s['callee'], s['calls']) for s in json.load(sys.stdin)['call_sites'] if s['callee'].startswith('pthread_')):
    print(*s)"; }

for language in C C++; do
	case $language in
	C) gcc -O2 -fplugin="$PLUGIN" -o threads stages.c -pthread && stages_plan ./threads work pthread_barrier_wait >plan.yaml ;;
	C++) g++ -O2 -fplugin="$PLUGIN" -o threads stages.cc -pthread && stages_plan ./threads meet pthread_barrier_wait >plan.yaml ;;
	esac
	SETTINGS=try.log LD_PRELOAD=./settings.so perseus try -q plan.yaml -- ./threads >try.out
	perseus record -q -o plain ./threads >plain.out
	for purpose in timing sharing; do
		rm -rf run
		SETTINGS=record.log LD_PRELOAD=./settings.so exits 0 "$language, $purpose: record --try" \
			perseus record --purpose=$purpose --try=plan.yaml -o run ./threads
		same out try.out "$language, $purpose: threads are where try has them"
		same record.log try.log "$language, $purpose: the same settings"
		says "^trial .*not a flight build" "$language, $purpose: ... which is said"
		it "$language, $purpose: the manifest names the plan" grep -qx "trial: \"$(sha256sum <plan.yaml | cut -c1-64)\"" run/manifest.yaml
	done
	exits 0 "$language: a run of the same" perseus record -q --try=plan.yaml -o timing ./threads
	calls timing >try.calls
	calls plain >plain.calls
	same try.calls plain.calls "$language: calls are counted as in a plain recording"
	it "$language: ... some" test -s plain.calls
	perseus report --json timing | grep '"start' >try.names
	[ $language = C ] && exits 0 "names of threads" perseus report timing && says "work" "... are those of the program"
	[ $language = C ] && silent "perseus_thread_main" "... not those of the plan's code"
	[ $language = C ] || { rm -rf timing plain run; }
	[ $language = C ] && mv run sharing && mv timing timing.c && mv plain plain.c
done

# ---- a cheap call that the recorder would count by sixteens and sixty-fours
cat >many.c <<-EOC
	#define _GNU_SOURCE
	#include <sched.h>
	#include <stdio.h>
	static int before = -1;
	__attribute__((noinline)) static void step(int i)
	{
		cpu_set_t mask;
		int core = 0;
		sched_getaffinity(0, sizeof(mask), &mask);
		while (!CPU_ISSET(core, &mask))
			core++;
		if (core != before)
			printf("visit %d core %d of %d\\n", i, before = core, CPU_COUNT(&mask));
	}
	__attribute__((noinline)) static void cheap(volatile int *n) { (*n)++; }
	int main(void)
	{
		volatile int n = 0;
		for (int i = 1; i <= 9000; i++) {
			cheap(&n);
			if (i % 10 == 1 || (i > 4310 && i < 4330))
				step(i);
		}
		printf("%d\\n", n);
		return 0;
	}
EOC
gcc -O2 -fno-ipa-icf -fplugin="$PLUGIN" -o threads many.c
{
	plan_head
	echo threads:
	plan_thread 0 main - - 0 "$A"
	echo sites:
	plan_site_of 0 $(site_line ./threads main cheap)
	echo triggers:
	plan_trigger 1 0 0 false 4321 0 "$B"
	plan_trigger 2 0 0 true 8000 0 "$A"
} >many.yaml
printf 'visit 1 core %s of 1\nvisit 4321 core %s of 1\nvisit 8001 core %s of 1\n9000\n' "$A" "$B" "$A" >want
exits 0 "a trigger at the 4,321st of 9,000 calls" perseus try -q many.yaml -- ./threads
same out want "... acts at that one"
for purpose in timing sharing; do
	rm -rf many
	exits 0 "... recorded, $purpose" perseus record -q --purpose=$purpose --try=many.yaml -o many ./threads
	same out want "... too, $purpose"
done
calls_of() { perseus report --calls=500 --json many | /usr/bin/python3 -c "
import json, sys
print(*[s['calls'] for s in json.load(sys.stdin)['call_sites'] if s['callee'] == 'cheap'])"; }
it "... and all are counted" test "$(calls_of)" = 9000

gcc -O2 -fplugin="$PLUGIN" -o threads stages.c -pthread && stages_plan ./threads work pthread_barrier_wait >plan.yaml
exits 0 "report" perseus report timing.c
says "^trial +of plan [0-9a-f]{12}" "... says that it is a trial"
exits 0 "report --json" perseus report --json timing.c
says '"trial": "[0-9a-f]{64}"' "... says it, too"
exits 0 "report --json of a plain run" perseus report --json plain.c
says '"trial": null' "... does not"
exits 0 "the page" perseus report --html=page.html timing.c
says "A trial of plan" "... says it" page.html
exits 0 "conflicts" perseus conflicts sharing
says "trial of plan" "... says it"
exits 0 "conflicts --json" perseus conflicts --json sharing
says '"trial": "' "... says it"
exits 0 "waits --json" perseus waits --json timing.c
says '"trial": "' "... says it"
exits 4 "analyze makes no model of it" perseus analyze -o model.yaml timing.c
says "is a trial of a plan" "... and says why"
exits 0 "the twin: a plain run" perseus analyze -o model.yaml plain.c
exits 0 "runs" perseus runs
for attached in timing.c/manifest.yaml status.json; do
	perseus try -q --status=status.json plan.yaml -- ./threads >/dev/null
	rm -rf pack gen
	exits 4 "no evidence pack takes $attached" perseus codegen plan.yaml -o gen --evidence=pack --attach=$attached
	says "is of a trial" "... and says why"
	it "... and none is written" test ! -e pack
done
mkdir in && cd in && perseus record -q --try=../plan.yaml ../threads >/dev/null
exits 0 "runs" perseus runs
says "threads +\(trial\)" "... mark it"
exits 0 "runs --json" perseus runs --json
says '"trial": "[0-9a-f]{64}"' "... too"
cd ..

exits 2 "--budget" perseus record --try=plan.yaml --budget=3% ./threads
says "has to see each call" "... is refused with its reason"
exits 2 "--delay" perseus record --try=plan.yaml --delay=1 ./threads
says "of the whole run" "... is refused, too"
exits 2 "--purpose=denormal" perseus record --try=plan.yaml --purpose=denormal ./threads
says "acts by the probes of calls" "... and that"
exits 125 "a plan that is missing" perseus record --try=none.yaml -o none ./threads
it "... leaves no run" test ! -e none
finish
