#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus record --purpose=denormal and perseus denormals: counts with known answers, and runs that must not be believed.
. tests/lib.sh
cp tests/cli/denormals/jacobi.c tests/runtime/denormal.c yaml/examples/platform.yaml "$T"
for p in jacobi denormal; do gcc -O2 -g -ffp-contract=off -I include -o "$T/$p" "$T/$p.c" -lpthread; done
mv "$T/platform.yaml" "$T/other.yaml"
cd "$T" || exit 1
json() { perseus denormals --json "$@" >"$T/json" && python3 -c "import json,sys; d=json.load(open('$T/json')); print($expr)"; }

# ---- recording ---------------------------------------------------------------------
exits 0 "a program with counters is recorded" perseus record --purpose=denormal ./jacobi 100
it "its output is its own" sh -c './jacobi 100 | cmp - out'
says '^run @last = perseus.data/jacobi-1 .* purpose denormal$' "the run is named"
says '^trust     good: 1 unit with counters' "it may be trusted, as far as code has counters"
says '^births    1,532 at jacobi.c:41 in sweep\(\), the only place; they explain 220 k$' "births come first, with what they explain"
says '^next      perseus denormals ' "the next step"
exits 0 "it is one of the runs" perseus runs
says '^jacobi-1 +denormal .* @last  @last-denormal$' "with its purpose and links"
exits 4 "it is no timing run" perseus report
says 'holds counts of denormals, no calls' "... which is said"
says 'perseus denormals perseus.data/jacobi-1 shows them' "... with the verb that shows it"

# ---- the report ----------------------------------------------------------------------
exits 0 "the last denormal run is shown" perseus denormals
says '^lines     jacobi.c:40 in sweep\(\)  [0-9]+ k results, 847 k loads, ' "lines with what was denormal there"
says '^arrays    old #1  heap, 1.05 MB, [0-9,]+ loads, [0-9,]+ stores: passes on; made$' "arrays, told apart, and what they are to the denormals"
says '^ +by grid\(\), main\(\)$' "... and who made them"
says '^cost      not known: perseus calibrate' "without prices the cost is not known"
says '^elsewhere on Intel .* cited$' "what others measured is marked so"
says '^remedies  threshold or offset at jacobi.c:41' "the remedy is where they are born"
expr="d['total']['stores'], d['total']['births'], d['total']['loads'] == sum(a['loads'] for a in d['arrays']), sum(a['stores'] for a in d['arrays'])"
it "json has the counts of the truth set, by arrays as well" test "$(json)" = "219852 1532 True 219852"
expr="[(b['line'], b['births']) for b in d['births']], d['trust'], d['complete']"
it "... and its births" test "$(json)" = "[(41, 1532)] good True"
exits 0 "a platform prices it" perseus denormals -p other.yaml
says '^cost      .*[0-9.]+ ms to [0-9.]+ ms of .* with counters, by the prices' "as a range, of the run's time"
says 'values met operations that have no price' "what has no price is said"
exits 5 "a gate does not let pass what has no price" perseus denormals --fail-on=99 -p other.yaml
exits 1 "... nor what costs too much" perseus denormals --fail-on=0 -p other.yaml

says 'flush to zero in sweep\(\): --what-if=ftz:sweep -- PROGRAM tries it' "flush-to-zero, where it can be tried"
cat >inlined.c <<'X'
volatile float tiny = 1e-20f, gone, kept;
__attribute__((always_inline)) static inline void tail(void) { gone = tiny * 1e-20f; kept = gone * .5f; }
int main(void) { for (int i = 0; i < 9; i++) tail(); return 0; }
X
it "a program whose births are in an inlined function" gcc -O2 -g $(perseus flags --probe=denormal:full) inlined.c -o inlined
perseus record -q --purpose=denormal -o inlined.run ./inlined >out 2>err
exits 0 "... is shown" perseus denormals inlined.run
says 'inlined.? has no function tail\(\)$|has no function$' "... and --what-if=ftz:tail, which would be refused, is not advised"
silent 'what-if=ftz:' "... nor another"
expr="sorted((s['operation'], s['denormal'], s['operands'], s['births']) for s in d['sites'] if s['operation'] in ('load', 'mul') and s['denormal'])"
it "json has operands, where a load has counted them, too" test "$(json inlined.run)" = "[('load', 9, [], 0), ('mul', 9, [0, 0], 9), ('mul', 9, [9, 0], 0)]"
perseus record -q --purpose=denormal ./jacobi 100 >out 2>err

# A gate: counters may have made the run 20 times as long, so a cost of half the limit does not pass.
sed '/^denormal:/a\  - {operation: store, type: float}\n  - {operation: load, type: float}' other.yaml >all.yaml
cat >seldom.c <<'X'
volatile float tiny = 1e-20f, gone;
int main(void) { for (int i = 0; i < 3000000; i++) gone = (i % 3000 ? 1.0f : tiny) * 1e-20f; }
X
it "a program that makes a denormal now and then" gcc -O2 -g $(perseus flags --probe=denormal:full) seldom.c -o seldom
perseus record -q --purpose=denormal -o seldom.run ./seldom >out 2>err
expr="100 * d['total']['cost_ns_high'] / d['wall_ns'], d['unpriced']"
share=$(json -p all.yaml seldom.run | tr -d '(,)' | cut -d' ' -f1)
part_of() { awk "BEGIN { printf \"%.9f\", $share * $1 }"; }
exits 1 "a gate does not pass what costs more" perseus denormals -p all.yaml --fail-on="$(part_of 0.1)" seldom.run
exits 5 "... nor twice of what it costs at most" perseus denormals -p all.yaml --fail-on="$(part_of 2)" seldom.run
exits 0 "... but what is small beside any run time without counters" perseus denormals -p all.yaml --fail-on="$(part_of 21)" seldom.run

# ---- runs that hold nothing, or must not be believed -----------------------------------
perseus record -q --purpose=denormal ./jacobi 100 0.1 >out 2>err
exits 0 "a run without denormals" perseus denormals
says '^trust     no denormals: 1 unit with counters loaded' "says which code that is said of"
says '^births    none$' "no births"
silent '^(remedies|cost|elsewhere|arrays)' "nothing to price, nothing to mend"
exits 0 "it passes a gate" perseus denormals --fail-on=1
perseus record -q --purpose=denormal ./jacobi 100 0 results >out 2>err
exits 0 "a run of the mode results" perseus denormals
says '^births    not counted; build with probe=denormal:full$' "does not know births, and says so"
exits 5 "a gate does not take that for none" perseus denormals --fail-on=99 -p other.yaml
exits 0 "a program that flushes" perseus record --purpose=denormal ./denormal flush
says '^trust     none: flush-to-zero or denormals-are-zero was on in 1 thread' "is not believed, which stands at the top"
exits 5 "... nor by a gate" perseus denormals --fail-on=99
exits 125 "a program without counters" perseus record --purpose=denormal true
says "was not built to count denormals" "is said to have none"
says "nothing was counted: 'true' has no code with counters, so nothing is known" "... and 0 is not its result"
it "... and leaves no run" test ! -e perseus.data/true-1
exits 137 "a program that is killed" perseus record --purpose=denormal ./jacobi 100 0 kill
says '^births    1,532 at' "what it had counted is there"
exits 4 "... but the run is incomplete" perseus denormals
says 'the program was killed by signal 9' "... which is said"

# ---- a NaN hides a denormal operand from the processor's flag ---------------------------
cat >nan.c <<'X'
#include <stdlib.h>
static float a[1000], b[1000], to[1000];
__attribute__((noinline)) static void add(int n) { for (int i = 0; i < n; i++) to[i] = a[i] + b[i]; }
int main(int argc, char **argv)
{
	volatile float zero = 0;
	for (int i = 0; i < 1000; i++) b[i] = argc > 1 ? zero / zero : 1;
	a[500] = strtof("1e-40", NULL);
	add(1000);
	return argc > 2;
}
X
for m in full results; do gcc -O2 $(perseus flags --probe=denormal:$m) nan.c -o nan-$m; done
perseus record -q --purpose=denormal -o nan.run ./nan-full make >out 2>err
exits 0 "a run in which an operation made a NaN" perseus denormals nan.run
says '^trust     limited: an invalid operation, which makes a NaN, was seen in 1$' "may miss operands, which is said"
expr="d['trust'], d['gates'], d['invalid_threads'], len(d['doubts'])"
it "... in json as well" test "$(json nan.run)" = "limited True 1 1"
perseus record -q --purpose=denormal -o number.run ./nan-full >out 2>err
exits 0 "one without" perseus denormals number.run
says '^trust     good: ' "... may be trusted"
says 'tried without|made one' "... but for NaNs that were there before"
it "... and json does not doubt" test "$(json number.run)" = "good True 0 0"
perseus record -q --purpose=denormal -o results.run ./nan-results make >out 2>err
exits 0 "loops of the mode results are not tried" perseus denormals results.run
silent 'NaN' "... so a NaN hides nothing"
expr="d['gates'], d['invalid_threads']"
it "... which json says" test "$(json results.run)" = "False 1"

# ---- bad input ----------------------------------------------------------------------
for o in --trace --events=cycles --budget=3% --sharing=precise --delay=1; do
	exits 2 "$o does not go with it" perseus record --purpose=denormal $o ./jacobi 1
done
exits 2 "another purpose is none" perseus record --purpose=denormals ./jacobi 1
printf 'int main(void) { return 0; }\n' >empty.c
gcc -static -o still empty.c
exits 125 "a static program cannot be counted" perseus record --purpose=denormal ./still
says 'statically linked' "... which is said"
exits 4 "a run that is not there" perseus denormals nosuch
exits 2 "two runs are one too many" perseus denormals @last @last
exits 4 "a platform that is not there" perseus denormals -p nosuch.yaml
cp -r perseus.data/jacobi-1 spoiled
for f in spoiled/*.pden; do head -c 5000 "$f" >cut && mv cut "$f"; done
exits 4 "a file that was cut" perseus denormals spoiled
says 'is cut: 5000 bytes of' "... is named with its sizes"
rm spoiled/*.pden
exits 4 "a run without counts" perseus denormals spoiled
says 'no code with counters ran' "... is none"
finish
