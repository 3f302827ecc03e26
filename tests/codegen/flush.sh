#!/bin/sh
# SPDX-License-Identifier: MIT
# Flushes of a plan: generated, put into functions by the plugin, run, verified; what cannot be a region
# is refused with its place.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/codegen/flush.inc
here=$(pwd)
cp tests/codegen/programs/flush.c* "$T"
cd "$T" || exit 1
objects() { for f in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -c -o gen/$f.o gen/$f.c || return 1; done; }
P="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan"
line_is() { if grep -qx "$1" out; then ok "$2"; else not_ok "$2" "expected '$1' in: $(cat out err)"; fi; }

# ---- generated ----------------------------------------------------------------------
flush_plan flush.c ftz-daz simple early looping recursive nothing choose outer >plan.yaml
exits 0 "a plan with flushes is generated" perseus codegen plan.yaml -o gen
it "its files compile without a word" sh -c 'gcc -std=c11 -O2 -Wall -Wextra -Wconversion -Werror -c -o t.o gen/perseus_triggers.c && gcc -std=c11 -O2 -Wall -Wextra -Wconversion -Werror -c -o p.o gen/perseus_platform_linux.c'
it "the generated test passes" sh -c 'gcc -std=c11 -O0 --coverage -o gen/test gen/perseus_triggers_test.c gen/perseus_triggers.c && gen/test'
it "a review names the place and the reason" grep -q 'flush in simple, flush.c: denormals are born here \[denormal-000007\]' gen/perseus_triggers.c
it "the table of the pack has them" grep -q '^flushes\[0\],flush,1,perseus_flush_1_begin,[0-9]*,,whole function,,ftz-daz,,,"flush.c","simple"' gen/perseus_matrix.csv
exits 0 "the reviewed source does what the plan says" perseus-source-check plan.yaml gen/perseus_triggers.c
for set in ftz daz; do
	flush_plan flush.c $set simple >one.yaml
	exits 0 "a plan that sets $set" perseus codegen one.yaml -o one
	exits 0 "... whose source does so" perseus-source-check one.yaml one/perseus_triggers.c
done
it "the bits of daz are its own" grep -q 'PERSEUS_FP_FLUSH (0x0040u)' one/perseus_triggers.h
for backend in posix stub; do
	exits 0 "the $backend back end" perseus codegen plan.yaml -o $backend --backend=$backend
	it "... compiles" gcc -std=c11 -O2 -Wall -Wextra -Werror -c -o x.o $backend/perseus_platform_$backend.c
done

perseus codegen plan.yaml -o grafted --graft=. >out 2>&1
it "a graft leaves flushes to do by hand" test $? = 1
says '^by hand: flush.c: simple: a flush is not grafted; insert perseus_flush_1_begin\(\)|^by hand: .*simple.*a flush is not grafted' "... and names them"
flush_plan flush.c ftz-daz simple early >a.yaml
flush_plan flush.c ftz early outer >b.yaml
exits 1 "two plans with other flushes differ" perseus plan diff a.yaml b.yaml
says 'outer\(\) in flush.c now flushes: ftz, register 0x1f80' "... a new one"
says 'simple\(\) in flush.c no longer flushes' "... one that is gone"
says 'early\(\) in flush.c still flushes: ftz, register 0x1f80 instead of ftz-daz' "... one with other bits"
exits 0 "a plan and itself" perseus plan diff a.yaml a.yaml

# ---- run ----------------------------------------------------------------------------
gcc -O2 -pthread -o plain flush.c
it "the generated objects" objects
# planned FLAGS: the program with all functions as regions
planned() {
	gcc $1 $P -c -o user.o flush.c && gcc $1 $P -pthread -o planned user.o gen/perseus_triggers.o gen/perseus_platform_linux.o
}
regions() {
	for what in simple early looping recursive nothing choose outer; do
		./plain $what >want
		n=$(sed 's/.*: [0-9]* of \([0-9]*\) flushed.*/\1/' want)
		exits 0 "$1: $what" ./planned $what
		says "^$what: $n of $n flushed, .*outside 1f80$" "... is flushed all the time inside, and nothing outside"
	done
}
for flags in -O0 "-O2 -g" "-O3 -fno-pie -no-pie" "-O2 -flto"; do
	it "a planned build, $flags" planned "$flags"
	regions "$flags"
	exits 0 "... is verified" perseus-verify plan.yaml planned
	says '^7 of 7 flushed functions put the register back on every way out' "... and every way out is shown"
done
it "a planned build" planned -O2
exits 0 "verified with sources and objects" perseus verify plan.yaml planned --sources gen --objects user.o gen/perseus_triggers.o gen/perseus_platform_linux.o
says '^equal in threads, calls and code' "... is equal in code, too"
exits 0 "four threads" ./planned recursive 4
it "each flushes, and puts back" test "$(grep -c '^thread: 6000 of 6000 flushed, .*outside 1f80$' out)" = 4
exits 0 "a register that is not the reviewed one" ./planned simple -1
line_is "simple: 0 of 1 flushed, result 5e-39, outside 3f80" "... is left alone"
./planned simple >out
line_is "simple: 1 of 1 flushed, result 0, outside 1f80" "the twin: the reviewed one is not"
it "four threads of the plain program" sh -c './plain recursive 4 >out'
silent '^thread: [1-9]' "... flush nothing"

# ---- exceptions ----------------------------------------------------------------------
flush_plan flush.cc ftz-daz risky >plan.yaml
exits 0 "a plan for C++" perseus codegen plan.yaml -o gen
it "its objects" objects
for flags in -O0 -O2 "-O3 -fno-pie -no-pie"; do
	it "C++, $flags" sh -c "g++ $flags $P -c -o user.o flush.cc && g++ $flags -o planned user.o gen/*.o"
	exits 0 "C++, $flags: runs" ./planned
	line_is "6 of 6 flushed, caught 2, freed 4, result 0" "... all of the function is flushed"
	it "... and nothing outside, whatever way it is left" test "$(grep -c 'outside 1f80$' out)" = 4
	exits 0 "... is verified" perseus-verify plan.yaml planned
	says '^1 of 1 flushed functions put the register back on every way out' "... with the ways of exceptions"
done

# ---- what cannot be a region -----------------------------------------------------------
# refused FUNCTION PATTERN TEXT [COMPILER FLAGS...]
refused() {
	flush_plan bad.c ftz-daz "$1" >bad.yaml
	perseus codegen bad.yaml -o bad >bad.out 2>&1
	pattern=$2 text=$3
	shift 3
	exits 1 "$text" ${@:-gcc -O2} -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=bad/perseus_triggers.plan -c -o bad.o bad.c
	says "$pattern" "... which is said, with its place"
}
cat >bad.c <<-'EOC'
	#include <pthread.h>
	#include <setjmp.h>
	#include <stdlib.h>
	#include <assert.h>
	extern jmp_buf there;
	extern void die(void) __attribute__((noreturn));
	extern void *work(void *);
	void leaps(int x) { if (x) longjmp(there, 1); }
	int comes(void) { return setjmp(there); }
	void ends(int x) { if (x) exit(3); }
	void dies(int x) { if (x) die(); }
	void stops(void) { pthread_exit(NULL); }
	void creates(pthread_t *t) { pthread_create(t, NULL, work, NULL); }
	__attribute__((always_inline)) static inline float always(float x) { return x * 2; }
	float uses(float x) { return always(x); }
	float fine(float x) { assert(x > 0); if (x > 9) abort(); return x * 2; }
	void teams(float *x, int n) {
	#pragma omp parallel for
		for (int i = 0; i < n; i++) x[i] *= 2;
	}
EOC
refused leaps 'bad.c:8:.*flush 1: .leaps. cannot be a region: a call here does not return' "a function that leaves by longjmp()"
refused comes 'bad.c:9:.*calls setjmp' "one that setjmp() comes back to"
refused ends 'bad.c:10:.*does not return' "one that calls exit()"
refused dies 'bad.c:11:.*does not return' "one that calls a function without return"
refused stops 'bad.c:12:.*does not return' "one that ends its thread"
refused creates 'bad.c:13:.*creates a thread' "one that creates a thread"
refused always 'bad.c:14:.*always_inline' "one that is always inlined"
refused teams 'bad.c:1[78]:.*OpenMP' "one with a team of threads" gcc -O2 -fopenmp
refused gone 'flush 1: no function .gone. is compiled here any more' "one that is gone"
flush_plan bad.c ftz-daz fine >bad.yaml
perseus codegen bad.yaml -o bad >bad.out
exits 0 "the twin: one that may abort()" gcc -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=bad/perseus_triggers.plan -c -o bad.o bad.c

# ---- plans that are wrong ------------------------------------------------------------------
wrong() { exits 4 "$1" perseus codegen wrong.yaml -o wrong; says "$2" "... is named"; }
flush_plan flush.c ftz-daz simple early >good.yaml
exits 0 "the twin: a good plan" perseus codegen good.yaml -o wrong
sed '0,/set: ftz-daz/s//set: ftz/' good.yaml >wrong.yaml
wrong "two flushes with other bits" 'all flushes of a plan set the same bits'
sed 's/function: "early"/function: "simple"/' good.yaml >wrong.yaml
wrong "two flushes of one function" 'this function has a flush already'
sed 's/entry: 8064/entry: 8065/' good.yaml >wrong.yaml
wrong "a register with flags" 'neither flags nor bits of a flush'
sed '0,/entry: 8064/s//entry: 16256/' good.yaml >wrong.yaml
wrong "two registers on entry" 'expect the same register on entry'
sed 's/set: ftz-daz/set: rtz/' good.yaml >wrong.yaml
wrong "bits that are none" 'ftz'
sed 's/^seed: 1/kind: start\nseed: 1/' good.yaml >wrong.yaml
wrong "a plan of starts with a flush" 'flush 1 changes a function, but the plan is of kind start'
exits 0 "the twin: without --kind" perseus codegen good.yaml -o wrong
finish
