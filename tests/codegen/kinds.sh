#!/bin/sh
# SPDX-License-Identifier: MIT
# The three kinds of plan and the three back ends: what each is given, what is
# refused, and what a changed plan changes.
. tests/lib.sh
. tests/codegen/plan.inc
golden=$(pwd)/tests/codegen/golden/plan.yaml

# ---- kinds: by what a plan does, not by what it calls itself ----
threads_plan >"$T/start.yaml"
exits 0 "a plan that acts at starts only is of kind start" perseus codegen "$T/start.yaml" -o "$T/start" --kind=start
says "^ \* kind +start" "its files say so" "$T/start/perseus_triggers.h"
silent "visits_|perseus_trigger_[0-9]|[.]kept" "no counter of visits, no trigger function" "$T/start/perseus_triggers.c"
silent "perseus_recheck|perseus_platform_holds" "nothing of it that nobody calls" "$T/start/perseus_triggers.h" "$T/start/perseus_platform_linux.c"
exits 0 "the same of kind call for a plan with call triggers" perseus codegen "$golden" -o "$T/call"
says "^ \* kind +call" "its files say so, too" "$T/call/perseus_triggers.h"
says "perseus_recheck" "there a place can be looked at again" "$T/call/perseus_status.h"
exits 4 "call triggers are more than kind start" perseus codegen "$golden" -o "$T/refused" --kind=start
says "trigger 118 needs a plan of kind call, more than kind start allows" "the first trigger too many is named"
exits 4 "call triggers are more than kind phase" perseus codegen "$golden" -o "$T/refused" --kind=phase
it "nothing is written then" [ ! -e "$T/refused" ]
sed 's/^seed: 1/kind: start\nseed: 1/' "$golden" >"$T/lie.yaml"
exits 4 "a plan that does more than it says" perseus codegen "$T/lie.yaml" -o "$T/refused"
says "trigger 118 stands at a call, but the plan is of kind start" "the trigger is named"
sed 's/^seed: 1/kind: phase\nseed: 1/' "$golden" >"$T/phase.yaml"
exits 4 "a phase begins behind a call" perseus codegen "$T/phase.yaml" -o "$T/refused"
says "trigger 118 stands before a call, but the plan is of kind phase" "the trigger is named"
sed 's/after: false/after: true/' "$T/phase.yaml" >"$T/phase2.yaml"
exits 0 "a plan by phases" perseus codegen "$T/phase2.yaml" -o "$T/phase" --kind=phase
says "^ \* kind +phase" "its files say so" "$T/phase/perseus_triggers.h"
grep -v '^kind: phase' "$T/phase2.yaml" >"$T/phase3.yaml"
exits 0 "the same without the word" perseus codegen "$T/phase3.yaml" -o "$T/phase3" --kind=phase
exits 4 "the same is more than kind start" perseus codegen "$T/phase3.yaml" -o "$T/refused" --kind=start
says "needs a plan of kind phase, more than kind start allows: it stands after a call" "the kind that it needs is named"
says "--kind=start, or allow it with --kind=phase" "and what allows it" "$T/err"
exits 2 "an unknown kind" perseus codegen "$golden" -o "$T/refused" --kind=dance

# ---- contradictions, and what can never act ----
refuse() {
	sed "$2" "$golden" >"$T/bad.yaml"
	exits 4 "$1" perseus codegen "$T/bad.yaml" -o "$T/refused"
	says "$3" "it names the items: $1"
}
refuse "two cores at one visit" '/number: 119/,/number: 120/s/thread: 2/thread: 1/' 'triggers 118 and 119 set one thing to two values in thread 1'
refuse "two steps at a visit that both reach" 's/first: 9/first: 8/' 'triggers 120 and 121 set one thing to two values'
refuse "two cores in one trigger" '/number: 121/,$s/      - kind: step/      - kind: pin\n        core: 1\n      - kind: pin\n        core: 2\n      - kind: step/' 'trigger 121 sets one thing to two values'
refuse "a start trigger against the table" '/number: 2$/,/number: 118/s/kind: step/kind: pin\n        core: 1\n      - kind: step/' 'trigger 2 puts thread 2 on core 1 at its start, where the table of threads says core 3'
refuse "a trigger that sets nothing" '/number: 121/,/reason/{s/actions:/actions: []/;/kind: step/d;/domain:/d;/khz:/d}' '.actions. must be a list of 1 to'
it "nothing is half-written by any of them" [ ! -e "$T/refused" ]
sed '/index: 2$/,/core: 3/s/ordinal: 1/ordinal: 4/' "$golden" >"$T/gap.yaml"
exits 0 "a plan with a thread that need not appear" perseus codegen "$T/gap.yaml" -o "$T/gap"
says "^note +thread 2 is creation 4 of its creator at that site" "it is noted"
perseus codegen "$golden" -o "$T/call" >"$T/out"
says "^note +site 0: 00c1a5e4b7d29f36 is not the id of a call of .pthread_create. in .main., and so with 3 more" "so are ids that nobody made of these names"
sed 's/00c1a5e4b7d29f36/2154a4919d91eb63/; s/5b1a09c4d2e8f713/0fa0ebb274a4f90e/; s/93aa0b6614f08e7c/d750f42aa41baf2e/; s/aa77e0b6614f08e7/f9da3f9a3fb9c10d/' "$golden" >"$T/true.yaml"
exits 0 "the same plan with the ids of its calls" perseus codegen "$T/true.yaml" -o "$T/true"
silent "^note" "the twin: nothing is noted of a plan without one"
mkdir "$T/block" "$T/block/perseus_matrix.csv"
echo old >"$T/block/perseus_triggers.c"
exits 3 "a directory where a file goes" perseus codegen "$golden" -o "$T/block"
it "what was there stays, and nothing is left" sh -c "grep -qx old '$T/block/perseus_triggers.c' && [ \$(ls '$T/block' | wc -l) = 2 ]"

# ---- a plan with one more trigger: nothing else moves ----
awk '{ print } /^    line: 97/ { print "  - index: 4\n    id: \"11aa0b6614f08e70\"\n    instance: \"*\"\n    unit: \"fir.c\"\n    function: \"worker\"\n    callee: \"fft\"\n    file: \"fir.c\"\n    line: 91" }' "$golden" |
	awk '/number: 118/ { print "  - number: 60\n    at: call\n    thread: 1\n    site: 4\n    after: true\n    first: 3\n    every: 0\n    actions:\n      - kind: pin\n        core: 5\n    evidence: \"phase-000077\"\n    reason: \"one more\"" } { print }' >"$T/more.yaml"
exits 0 "a plan with one more trigger in the middle" perseus codegen "$T/more.yaml" -o "$T/more"
hashes='sha256|PERSEUS_PLAN_|^[<>][[:blank:]]+"[0-9a-f]{64}"$'
# changed FILE PATTERN: lines that went and are neither hashes nor match PATTERN
changed() { diff "$T/call/$1" "$T/more/$1" | grep '^<' | grep -Ev "$hashes|$2"; }
added() { diff "$T/call/$1" "$T/more/$1" | grep '^>' | grep -Ev "$hashes"; }
it "in the triggers no line went but hashes" sh -c "[ -z \"$(changed perseus_triggers.c '^$')\" ]"
it "in the constants only the set of cores" sh -c "[ -z \"$(changed perseus_triggers.h 'c < 8' | tr -d '\"')\" ]"
for f in perseus_status.h perseus_support.h perseus_platform.h perseus_platform_linux.c; do
	it "the library is the same: $f" cmp "$T/call/$f" "$T/more/$f"
done
it "in the plan file only the count" sh -c "[ -z \"$(changed perseus_triggers.plan '^< (plan|end) ')\" ]"
added perseus_triggers.h >"$T/added"
it "what came in the constants is the core, twice, the counter and the prototype" sh -c "[ \$(wc -l <'$T/added') = 4 ] && grep -q CORE_5 '$T/added' && [ \$(grep -c 0060 '$T/added') = 2 ]"
added perseus_triggers.c >"$T/added"
sed -n '/^\/\* after the call of fft/,/^}/p' "$T/more/perseus_triggers.c" >"$T/function"
it "what came in the triggers is one function" sh -c "[ \$(grep -vc '^> *\$' '$T/added') = \$(grep -vc '^ *\$' '$T/function') ]"

# ---- the other back ends ----
cat >"$T/prog.c" <<-EOC
	#include <pthread.h>
	#include <stdio.h>
	#include "perseus_triggers.h"
	static void *work(void *x) { return x; }
	int main(void)
	{
		pthread_t t[4];
		perseus_program_start();
		perseus_create_1_begin();
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, work, NULL);
		perseus_create_end();
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
		printf("machine %u started %u unplanned %u pins %u unavailable %u not_entered %u\n",
		       perseus_status.machine, perseus_status.started, perseus_status.unplanned, perseus_status.pins[0],
		       perseus_status.pins[4], perseus_status.not_entered);
		return 0;
	}
EOC
backend() {
	exits 0 "codegen for $1" perseus codegen "$T/start.yaml" -o "$T/$1" --backend="$1"
	says "perseus_platform_$1.c" "it names the file of $1"
	says "^ \* back end +$1" "the files say so, $1" "$T/$1/perseus_triggers.h"
	it "the triggers do not depend on $1" sh -c "diff '$T/start/perseus_triggers.c' '$T/$1/perseus_triggers.c' | grep '^[<>]' | grep -qv 'back end' && exit 1; exit 0"
	it "builds on $1" gcc -std=c11 -O2 -Werror -Wall -Wextra -I"$T/$1" $2 -o "$T/prog-$1" "$T/prog.c" -include pthread.h "$T/$1/triggers.o" "$T/$1/platform.o" -pthread
	exits 0 "runs on $1" "$T/prog-$1"
}
objects() {
	perseus codegen "$T/start.yaml" -o "$T/$1" --backend="$1" >/dev/null && gcc -std=c11 -O2 $2 -c -o "$T/$1/triggers.o" "$T/$1/perseus_triggers.c" &&
		gcc -std=c11 -O2 $2 -c -o "$T/$1/platform.o" "$T/$1/perseus_platform_$1.c"
}
it "POSIX: compiles without any extension" objects posix "-D_POSIX_C_SOURCE=200809L -pedantic -Werror"
known="^machine 1 started 4 unplanned 0 pins 0 unavailable 5 not_entered 0"
backend posix -Wl,--wrap=pthread_create
says "$known" "POSIX: threads are known, each setting is unavailable"
it "POSIX, no --wrap: compiles without any extension" objects posix "-D_POSIX_C_SOURCE=200809L -DPERSEUS_DIRECT -pedantic -Werror"
backend posix -Dpthread_create=perseus_thread_create
says "$known" "POSIX, no --wrap: threads are known, each setting is unavailable"
it "stub: compiles" objects stub "-pedantic -Werror"
backend stub ""
says "^machine 2 started 0 unplanned 0 pins 0 unavailable 0 not_entered 0" "stub: the machine is not the planned one, and nothing is set"
it "neither needs a library of its own" sh -c "! ldd '$T/prog-posix' '$T/prog-stub' | grep -i 'lib.*perseus.*=>'"
exits 2 "an unknown back end" perseus codegen "$golden" -o "$T/refused" --backend=os9

# ---- a thread that is where it should be ----
cat >"$T/calm.c" <<-EOC
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <sched.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include "perseus_triggers.h"
	static int sets;
	int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *mask)
	{
		sets++;
		return ((int (*)(pid_t, size_t, const cpu_set_t *))dlsym(RTLD_NEXT, "sched_setaffinity"))(pid, size, mask);
	}
	int main(int argc, char **argv)
	{
		cpu_set_t elsewhere;
		CPU_ZERO(&elsewhere);
		CPU_SET(atoi(argv[1]), &elsewhere);
		perseus_program_start();
		for (int i = 0; i < 1000; i++)
			perseus_trigger_0007();
		printf("sets %d kept %lu\n", sets, (unsigned long)perseus_state[0].kept);
		sched_setaffinity(0, sizeof(elsewhere), &elsewhere);
		perseus_trigger_0007();
		printf("unseen sets %d\n", sets);
		printf("recheck %u ", perseus_recheck());
		printf("lost %u\n", perseus_status.pins_lost);
		perseus_trigger_0007();
		printf("again sets %d recheck %u\n", sets, perseus_recheck());
		return argc - 2;
	}
EOC
if [ -n "$B" ]; then
	{
		plan_head
		echo threads:
		plan_thread 0 main - - 0 "$A"
		echo sites:
		plan_site 0 93aa0b6614f08e7c calm.c main work 58
		echo triggers:
		plan_trigger 7 0 0 true 1 1 "$A"
	} >"$T/calm.yaml"
	exits 0 "a plan with a trigger at every visit" perseus codegen "$T/calm.yaml" -o "$T/calm"
	it "builds with it" gcc -std=gnu11 -O2 -I"$T/calm" -o "$T/calm.x" "$T/calm.c" "$T/calm/perseus_triggers.c" "$T/calm/perseus_platform_linux.c"
	exits 0 "runs" "$T/calm.x" "$B"
	says "^sets 1 kept 1000" "a thread that is there is set once, and 1000 triggers make no system call"
	says "^unseen sets 2" "a trigger does not look whether somebody else moved its thread"
	says "^recheck 0 lost 1" "perseus_recheck() does, and counts it"
	says "^again sets 3 recheck 1" "the next trigger sets the place again"
else
	skip "a thread that is where it should be" "needs two cores"
fi
# ---- kind start: new threads of a pinned creator, which lends them its mask and goes back ----
cat >"$T/wide.c" <<-EOC
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <pthread.h>
	#include <sched.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>
	#include "perseus_triggers.h"
	static int by_main;
	int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *mask)
	{
		by_main += gettid() == getpid();
		return ((int (*)(pid_t, size_t, const cpu_set_t *))dlsym(RTLD_NEXT, "sched_setaffinity"))(pid, size, mask);
	}
	static int cores(void)
	{
		cpu_set_t mask;
		sched_getaffinity(0, sizeof(mask), &mask);
		return CPU_COUNT(&mask);
	}
	static void *work(void *x)
	{
		*(int *)x = cores();
		return x;
	}
	int main(int argc, char **argv)
	{
		int seen[200] = {0}, wide = 0;
		pthread_t t[200];
		pthread_attr_t own;
		perseus_program_start();
		pthread_attr_init(&own);
		pthread_attr_setstacksize(&own, 65536);
		for (int i = 0; i < 200; i++)
			if (pthread_create(&t[i], i % 2 ? &own : NULL, work, &seen[i]) || pthread_join(t[i], NULL))
				return 1;
		for (int i = 0; i < 200; i++)
			wide += seen[i] > 1;
		printf("unplanned %u wide %d main on %d, set %d\n", perseus_status.unplanned, wide, cores(), by_main);
		cpu_set_t mine;
		CPU_ZERO(&mine);
		CPU_SET(atoi(argv[1]), &mine);
		sched_setaffinity(0, sizeof(mine), &mine);
		wide = 0;
		for (int i = 0; i < 2; i++)
			if (pthread_create(&t[i], i % 2 ? &own : NULL, work, &seen[i]) || pthread_join(t[i], NULL))
				return 1;
		printf("moved %d %d\n", seen[0], seen[1]);
		return argc - 2;
	}
EOC
if [ -n "$B" ]; then
	it "builds with a plan of kind start" gcc -std=gnu11 -O2 -I"$T/start" -o "$T/wide.x" "$T/wide.c" "$T/start/perseus_triggers.c" "$T/start/perseus_platform_linux.c" -pthread
	exits 0 "runs" "$T/wide.x" "$B"
	says "^unplanned 200 wide 200 main on 1, set 401" "threads beyond the plan have the program's mask, with and without attributes; main goes there and back for each"
	says "^moved 1 1" "where the program has moved its thread, new ones inherit what it chose"
else
	skip "new threads of a pinned creator" "needs two cores"
fi
finish
