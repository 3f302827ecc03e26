#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus denormals --what-if and --patch: flush-to-zero tried in programs as they are, and a threshold as a diff.
. tests/lib.sh
cp tests/cli/denormals/*.c "$T"
gcc -O2 -g -ffp-contract=off -I include -o "$T/jacobi" "$T/jacobi.c"
gcc -O1 -g -o "$T/decay" "$T/decay.c" -lpthread
gcc -O1 -g -static -o "$T/still" "$T/decay.c" -lpthread
gcc -O1 -ffast-math -o "$T/fast" "$T/decay.c" -lpthread
cd "$T" || exit 1
try() { perseus denormals --pairs=5 --what-if="$@"; }

# ---- one function ------------------------------------------------------------------
exits 0 "flush-to-zero is tried in one function" try ftz:tail -- ./decay
says '^what-if   flush to zero in tail\(\): 1 call$' "which was called"
says '^time      [0-9.]+ of the time without \(95 % interval [0-9.]+ to [0-9.]+, 5 pairs\)' "time, of pairs"
says '^output    1 of 2 numbers differ, at most by 1 of the value' "what it computed is flushed, and nothing outside"
says 'the largest is number 1, [0-9.e-]+ became 0$' "... with the number that changed most"
says '^denormals not counted' "without counters that is said"
exits 0 "in the whole program" try ftz -- ./decay
says '^output    2 of 2 numbers differ' "what is outside is flushed as well"
exits 0 "threads have the function, too" try ftz:tail -- ./decay threads
says 'in tail\(\): 4 calls$' "... in all of them"
exits 0 "a function that does not meet denormals changes nothing" try ftz:thread -- ./decay threads
exits 0 "json" try ftz:tail --json -- ./decay
it "has the same fields" python3 -c "
import json; d = json.load(open('out'))
assert d['as_it_is']['calls'] == d['flushed']['calls'] == 1 and d['doubt'] is None
assert d['output']['differ'] == 1 and d['output']['largest_at'] == 1 and d['output']['relative'] == 1
assert len(d['flushed']['seconds']) == d['pairs'] == 5"

# ---- counted ------------------------------------------------------------------------
exits 0 "a program with counters" try ftz:sweep -- ./jacobi 100
says '^denormals births 1,532, with the flush 0; results 838,[0-9]+ and 0; stores 219,852' "births that the flush ends"
says 'and 0$' "... and what followed from them"
says '^output    ' "and the change of its output"
exits 0 "a region that meets none of them" try ftz:grid -- ./jacobi 100
says '^denormals births 1,532, with the flush 1,532' "ends none"
says '^output    the same, bit by bit$' "and changes nothing"

# ---- what must not be believed ---------------------------------------------------------
exits 5 "a function that is left by longjmp" try ftz:tail -- ./decay jump
says '^trust     the function was left otherwise' "... keeps the flush, which is said"
exits 5 "a function that sets the register itself" try ftz:tail -- ./decay set
says '^trust     the program sets the floating-point environment' "... ends it"
exits 5 "a program that puts out something else each time" try ftz:tail -- ./decay noise
says '^trust     the program puts out something else each time' "... cannot be compared"
exits 5 "a program that flushes already" try ftz:tail -- ./fast
says '^trust     flush-to-zero was on before' "... has nothing to try"
exits 5 "... in the whole program" try ftz -- ./fast
says '^trust     flush-to-zero was on before' "... neither"
exits 5 "a function that is never called" try ftz:thread -- ./decay
says '^trust     the function was never called' "... tells nothing"
exits 3 "a function that begins with a jump" try ftz:jumps -- ./decay
says 'it begins with a jump, call or return' "... cannot be changed"
exits 3 "a function that jumps into its begin" try ftz:loops -- ./decay
says 'jumps back to its first instructions' "... cannot be changed"
exits 4 "a function that is not there" try ftz:nosuch -- ./decay
says "has no function nosuch\(\)" "... is said"
exits 4 "a program that fails as it is" try ftz -- ./decay float
exits 3 "a static program" try ftz -- ./still
exits 4 "no such program" try ftz -- ./nosuch
exits 2 "another remedy is none" try daz -- ./decay
exits 2 "without a program" try ftz
exits 2 "a pair is too few" perseus denormals --what-if=ftz --pairs=1 -- ./decay
exits 2 "--compare without --what-if" perseus denormals --compare=cmp

# ---- files and formats of others ------------------------------------------------------
exits 0 "a file that the program writes" try ftz:tail --file=state.bin -- ./decay write
says '^files     state.bin: [0-9]+ bits differ; --compare-by=COMMAND' "is compared by bits"
exits 0 "a command reads it" try ftz:tail --file=state.bin --compare='cmp -l' -- ./decay write
says '^compare   .cmp -l. ends with 1$' "its status is told"
exits 4 "a file that it does not write" try ftz:tail --file=nosuch.bin -- ./decay

# ---- a threshold where they are born ----------------------------------------------------
mkdir src
{ i=1; while [ $i -lt 41 ]; do echo; i=$((i + 1)); done; printf '\t\tnew[k] = sum * .25f;\n'; } >src/jacobi.c
cp src/jacobi.c was.c
perseus record -q --purpose=denormal ./jacobi 100 >out 2>err
exits 0 "a diff for the line with the births" perseus denormals --patch
says '^\+		new\[k\] = __extension__ \(\{ float perseus_value = \(sum \* .25f\); __builtin_fabsf \(perseus_value\) < 0x1p-126f \? __builtin_copysignf \(0.0f, perseus_value\) : perseus_value; \}\);$' "sets denormal results to zero"
cp out fix.diff
it "the source is as it was" cmp src/jacobi.c was.c
it "the diff applies" patch -p1 -i fix.diff
cp was.c src/jacobi.c
exits 0 "into a file" perseus denormals --patch=other.diff
{ i=1; while [ $i -lt 41 ]; do echo; i=$((i + 1)); done; printf '\t\tnew[k] = f(sum);\n'; } >src/jacobi.c
exits 6 "an expression with a call" perseus denormals --patch=third.diff
says 'src/jacobi.c:41 is not changed: its expression calls a function' "is left alone, with the reason"
it "and no file is written" test ! -e third.diff
{ i=1; while [ $i -lt 41 ]; do echo; i=$((i + 1)); done; printf '\t\tnew[k] += sum;\n'; } >src/jacobi.c
exits 6 "+= is left alone" perseus denormals --patch
exits 4 "sources that are not there" perseus denormals --patch --source=nosuch
mkdir none
exits 6 "a folder without them" perseus denormals --patch --source=none
says "is not below" "... is said"
# What the changed program does: a volatile is read once, signs stay, normal results are those of before.
mkdir once
cat >once/once.c <<'X'
#include <stdio.h>
static int reads;
volatile float tiny = -1e-20f;
static volatile float *at(void) { reads++; return &tiny; }
float back, keep;
double wide;
int main(void)
{
	volatile float *p = at();
	for (int i = 0; i < 4; i++) {
		back = *p * 1e-20f;
		keep = i ? back : 1e-20f * *p;
		wide = (double)(*p * 1e-20f) * 3;
	}
	printf("%a %a %a %d\n", back, keep, wide, reads);
	return 0;
}
X
flags=$(perseus flags --probe=denormal:full)
for o in -O0 -O2; do
	gcc $o -g $flags -o once/prog once/once.c && perseus record -q --purpose=denormal -o run ./once/prog >out 2>err
	exits 0 "$o: a volatile and negative results" perseus denormals --patch --source=once run
	cp out fix.diff
	says 'float perseus_value = \(\*p \* 1e-20f\)' "$o: the value is computed once"
	cp once/once.c once/was.c
	it "$o: it applies" patch -s -p1 -d once -i ../fix.diff
	it "$o: it compiles without a warning" gcc $o -Wall -Wextra -Wpedantic -Werror -o once/mended once/once.c
	it "$o: ... as C++" g++ $o -Wall -Wextra -Wpedantic -Werror -x c++ -o once/mended++ once/once.c
	once/mended >out
	says '^-0x0p\+0 -0x0p\+0 ' "$o: denormals are zeros of their sign"
	once/prog >want
	it "$o: what is born inside and leaves as a normal number stays" sh -c 'cut -d" " -f3 want >a && cut -d" " -f3 out | cmp - a'
	mv once/was.c once/once.c
	rm -rf run
done
perseus record -q --purpose=denormal ./jacobi 100 0.1 >out 2>err
exits 6 "without births nothing is changed" perseus denormals --patch
finish
