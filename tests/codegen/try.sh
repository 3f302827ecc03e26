#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus try: a plan in a probed program makes the settings that the rebuilt program makes, thread by
# thread and in the same order; what cannot be tried is refused with its reason.
. tests/lib.sh
. tests/codegen/plan.inc
progs=$(pwd)/tests/codegen/programs
if [ -z "$B" ]; then
	skip "a plan can be tried" "needs two cores"
	finish
fi
cp "$progs"/stages.c* "$T"
gcc -O2 -fPIC -shared -o "$T/settings.so" "$progs/settings.c" -ldl
cd "$T" || exit 1

planned_flags() { echo "-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -fplugin-arg-perseus-plan-hash=$(sha256sum <plan.yaml | cut -c1-64)"; }
same() { if cmp -s "$1" "$2"; then ok "$3"; else not_ok "$3" "$1: $(cat "$1"); $2: $(cat "$2")"; fi; }
json() { sed -n "s/^ *\"$1\": *\(.*[^,]\),*\$/\1/p" status.json | head -1; }
is() { if [ "$1" = "$2" ]; then ok "$3"; else not_ok "$3" "'$1' instead of '$2': $(cat status.json err 2>/dev/null)"; fi; }
cat >tell.c <<-EOC
	#include <stdio.h>
	#include "gen/perseus_triggers.h"
	__attribute__((destructor)) static void tell(void)
	{
		fprintf(stderr, "%u %u %u %u %u\n", perseus_status.started, perseus_status.unplanned,
			perseus_status.pins[0], perseus_status.pins[1], perseus_status.pins[3]);
	}
EOC

# one LANGUAGE COMPILER SOURCE FUNCTION CALLEE FLAGS
one() {
	what="$1 '$6'"
	it "$what: the measurement build" $2 $6 -fplugin="$PLUGIN" -o threads "$3"
	stages_plan ./threads "$4" "$5" >plan.yaml
	it "$what: codegen" perseus codegen plan.yaml -o gen
	it "$what: the rebuilt program" sh -c "gcc -std=c11 -O2 -c gen/perseus_triggers.c gen/perseus_platform_linux.c tell.c &&
		$2 $6 $(planned_flags) -c -o user.o $3 && $2 $6 $(planned_flags) -o planned user.o perseus_triggers.o perseus_platform_linux.o tell.o"
	SETTINGS=planned.log LD_PRELOAD=./settings.so ./planned >planned.out 2>planned.err
	SETTINGS=try.log LD_PRELOAD=./settings.so exits 0 "$what: try" perseus try --status=status.json plan.yaml -- ./threads
	same out planned.out "$what: every thread is where it is in the rebuilt program, stage by stage"
	same try.log planned.log "$what: the same settings were made, in each thread in the same order"
	it "$what: ... some" test "$(wc -w <planned.log)" -ge 10
	is "$(json started) $(json unplanned) $(json set)" "$(awk '{ print $1 + 1, $2, $3 }' planned.err)" "$what: the same counts"
	is "$(json trial) $(json machine)" 'true "planned"' "$what: it says that it is a trial"
}
one C gcc stages.c work pthread_barrier_wait -O0
one C gcc stages.c work pthread_barrier_wait "-O3 -no-pie"
one C gcc stages.c work pthread_barrier_wait "-O2 -flto"
one C++ g++ stages.cc meet pthread_barrier_wait -O0
one C++ g++ stages.cc meet pthread_barrier_wait -O2
one C gcc stages.c work pthread_barrier_wait -O2
says "^trial .*not a flight build" "it is said to people, too"
says "cores: [0-9]+ set$" "... with what was set"
exits 0 "the twin: the program as it is" ./threads
it "... is elsewhere" sh -c "! cmp -s out planned.out"

# ---- what the program keeps ----
exits 0 "a second time with what was compiled" perseus try --keep-plans=kept plan.yaml -- ./threads
it "one library is kept" test "$(ls kept | wc -l)" = 1
exits 0 "... and used, even where there is nothing else to do" perseus try -q --keep-plans=kept plan.yaml -- ./threads
same out planned.out "... to the same end"
silent . "-q says nothing" "$T/err"
mkdir tmp
TMPDIR=$T/tmp exits 0 "files of a trial" perseus try -q plan.yaml -- ./threads
it "... are gone after it" sh -c '[ -z "$(ls tmp)" ]'
cat >status.c <<-EOC
	#include <pthread.h>
	#include <stdio.h>
	static void *run(void *arg) { return arg; }
	int main(int argc, char **argv)
	{
		pthread_t t;
		double x = argc * 1.5, y;
		long double z = x / 3;
		pthread_create(&t, NULL, run, argv);
		pthread_join(t, NULL);
		y = x * 2;
		printf("%g %Lg %s\n", x + y, z, argc > 1 ? argv[1] : "-");
		if (argc > 2)
			return *(volatile char *)0;
		return argc > 1 ? 7 : 0;
	}
EOC
it "a program with floating point" gcc -O2 -fplugin="$PLUGIN" -o threads2 status.c -pthread
one_plan() {
	plan_head | sed "s/^program: .*/program: \"$1\"/"
	echo threads:
	plan_thread 0 main - - 0 "$A"
	plan_thread 1 run 0 0 0 "$B"
	echo sites:
	plan_site_of 0 $(site_line "./$1" main create)
	plan_site_of 1 $(site_line "./$1" main printf)
	echo triggers:
	plan_trigger 1 0 1 false 1 0 "$B"
	plan_trigger 2 0 1 true 1 0 "$A"
}
one_plan threads2 >two.yaml
./threads2 >plain.out
exits 0 "triggers round a call with arguments in vector registers" perseus try --status=status.json two.yaml ./threads2
same out plain.out "... which keep their values"
is "$(json visits)" 4 "four times something was called"
exits 7 "the program's status" perseus try -q two.yaml -- ./threads2 word
says "word" "... and arguments"
exits 139 "... and signal" perseus try -q --status=status.json two.yaml -- ./threads2 a b
is "$(json set)" 4 "what was set before the program was killed is known"
exits 0 "a command that starts the program has nothing to do with the plan" sh -c "perseus try -q two.yaml -- ./threads2 >/dev/null; env LD_PRELOAD=$O/lib/libperseus-trial.so sh -c 'taskset -p \$\$'"
says "mask" "... and is not moved"

# ---- frequency steps ----
if [ ! -e /dev/perseus ]; then
	{
		plan_head
		echo threads:
		plan_thread 0 main - - 0 "$A"
		printf 'triggers:\n  - number: 1\n    at: program-start\n    thread: 0\n    actions:\n      - kind: step\n        domain: 0\n        khz: 1587000\n    reason: "saves"\n'
	} >steps.yaml
	exits 0 "a plan with a frequency step" perseus try --frequency=device --status=status.json steps.yaml -- ./threads
	says "frequency steps: 0 set, 1 not possible here$" "what this machine cannot set is counted, not hidden"
	is "$(json set)" 1 "... and the core is set"
	exits 2 "a way that there is not" perseus try --frequency=magic steps.yaml -- ./threads
else
	skip "frequency steps that cannot be set" "this machine has /dev/perseus"
fi

# ---- another machine, fewer cores ----
stages_plan ./threads work pthread_barrier_wait | sed "s/^cpu: .*/cpu: \"Another\"/" >other.yaml
exits 0 "a plan of another machine" perseus try --status=status.json other.yaml -- ./threads
says "not the machine of the plan" "... is told"
is "$(json set) $(json machine)" '0 "another"' "... and sets nothing"
exits 0 "fewer cores" taskset -c "$A" perseus try --status=status.json plan.yaml -- ./threads
says "outside of the cores that it may use" "cores outside of the mask are counted"

# ---- what is refused ----
exits 125 "a plan that is missing" perseus try none.yaml -- ./threads
says "none.yaml" "... is named"
exits 125 "a plan that is none" perseus try stages.c -- ./threads
exits 125 "a program that is missing" perseus try plan.yaml -- ./none
exits 2 "no program" perseus try plan.yaml
says "which program" "... is asked for"
exits 2 "nothing at all" perseus try
exits 2 "an unknown option" perseus try --bogus plan.yaml -- ./threads
mkdir -p plain && gcc -O2 -o plain/threads stages.c -pthread
exits 125 "a program without probes" perseus try plan.yaml -- plain/threads
says "has no probes, and a plan is tried by them" "... is refused"
exits 125 "a plan of another program" perseus try plan.yaml -- ./threads2
says "the plan is of 'threads', not of 'threads2'" "... is refused"
sed 's/^program: .*/program: "threads2"/' plan.yaml >renamed.yaml
exits 125 "... even by its name" perseus try renamed.yaml -- ./threads2
says "'threads2' has no probe there" "... since its calls are not there"
sed 's/function: "work"/function: "other"/' plan.yaml >named.yaml
exits 125 "a plan with another function" perseus try named.yaml -- ./threads
says "is the call of 'pthread_barrier_wait' in 'work' in 'threads', the plan has it as that" "... names both"
sed '/callee: "pthread_barrier_wait"/,/line:/ s/^    line: .*/&\n    equal: 7\n    near: "00000000"/' plan.yaml >moved.yaml
exits 125 "a plan of a source with more such calls" perseus try moved.yaml -- ./threads
says "has other calls beside it than the recorded build" "... is refused"
sed '/callee: "pthread_barrier_wait"/,/line:/ s/^    line: .*/&\n    equal: 1\n    near: "00000000"/' plan.yaml >single.yaml
exits 0 "the twin: as many, so it can be no other" perseus try -q single.yaml -- ./threads
sed '/^sites:/i\
flushes:\
  - number: 1\
    unit: "stages.c"\
    function: "work"\
    entry: 8064\
    set: ftz' plan.yaml | awk '/^flushes:/ { on = 1 } /^sites:/ { on = 0 } on { held = held $0 "\n"; next } { print } END { printf "%s", held }' >flush.yaml
exits 125 "a plan that flushes denormals" perseus try flush.yaml -- ./threads
says "flushes denormals in 'work': whole functions, and those have no probes" "... is refused with its reason"
plan_head >empty.yaml
printf 'threads:\n  - index: 0\n    name: "main"\n    ordinal: 0\n' >>empty.yaml
exits 125 "a plan that sets nothing" perseus try empty.yaml -- ./threads
says "sets nothing" "... is told"
mkdir -p static && gcc -O2 -static -fplugin="$PLUGIN" -o static/threads stages.c -pthread
exits 125 "a static program" perseus try plan.yaml -- static/threads
says "static" "... is refused"
printf '#!/bin/sh\nexec ./threads\n' >script && chmod +x script
exits 125 "a script" perseus try plan.yaml -- ./script
says "is a script: a plan acts in one program" "... is refused"
if [ "$(id -u)" = 0 ]; then
	mkdir -p rights && cp threads rights/threads && chown nobody rights/threads && chmod u+s rights/threads
	exits 125 "a set-user-id program" perseus try plan.yaml -- rights/threads
	says "set-user-id" "... is refused"
else
	skip "a set-user-id program is refused" "needs root to make one"
fi
exits 125 "a compiler that fails" perseus try --cc=/bin/false plan.yaml -- ./threads
says "/bin/false. did not compile the plan" "... is told"
exits 125 "a compiler that is missing" perseus try --cc=/no/such plan.yaml -- ./threads
says "cannot run the compiler" "... is told"
finish
