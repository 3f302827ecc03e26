#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus annotate: lines of a source with what runs that were recorded once say of them.
. tests/lib.sh
top=$PWD
cd "$T" || exit 1
for run in threads sharing killed; do tar -xzf "$top/tests/record/golden/1.3-$run.tar.gz"; done
cp "$top/tests/record/golden/work.c" .
touch -d 2020-01-01 work.c
exits 0 "a source is shown" perseus annotate work.c 1.3-threads
says '^work.c: its functions have 28.0 % of the thread time themselves, 48.5 % is waited in it$' "... the answer first"
says '^hottest   line 95 \(27.7 %\), line 118' "... then where"
says '^source    work.c, older than the run; 17 of 17 functions stand at their lines$' "... and whether it is what was compiled"
says '^\* +5.70 ms +39 +27.7 % +95 +pthread_cond_wait\(&ready, &lock\);$' "a line with its calls and waits, marked"
says '^ +4.1 % +833 us +40 +38  APART static void spin' "a function where it is defined, with its own time"
says '^ +833 us +40 +97 +spin\(20000\);$' "and where it is called, with that of the calls"
says '^  \.\.$' "stretches of which nothing is known are left out"
silent '.{101}' "no line is longer than 100 columns"
cp "$T/out" short
exits 0 "with --all" perseus annotate --all work.c 1.3-threads
it "... they are not" test "$(wc -l <"$T/out")" -gt "$(wc -l <short)"
silent '^  \.\.$' "... none of them"
exits 0 "round one line" perseus annotate work.c:95 1.3-threads
says ' 85  ' "... ten lines in front"
silent ' (84|106)  ' "... and no more"
exits 0 "a sharing run" perseus annotate work.c 1.3-sharing
says '^\* +40,9[0-9]+ .*131 +p->left' "has transfers of lines"
silent '%.*[0-9] [mu]s' "... and no times, which memory probes made longer"

cat >same.py <<'P'
import json, sys
a, r = json.load(open("a.json")), json.load(open("r.json"))
lines, f = a["lines"], a["file"]
near = lambda x, y, what: None if abs(x - y) <= 1e-6 * max(x, y) + 1 else sys.exit("%s: %r, report has %r" % (what, x, y))
own = [x for x in r["functions"] if x["file"] == f and not x["place_is_call"]]
near(sum(l["self_ns"] for l in lines), sum(x["self_ns"] for x in own), "self")
near(sum(l["total_ns"] for l in lines), sum(x["total_ns"] for x in own), "total")
near(sum(l["called"] for l in lines), sum(x["calls"] for x in own), "called")
sites = [x for x in r["call_sites"] if x["file"] == f]
near(sum(l["calls"] for l in lines), sum(x["calls"] for x in sites), "calls")
near(sum(l["calls_ns"] for l in lines), sum(x["total_ns"] for x in sites), "time of calls")
waits = [x for x in r["waits"] if x["file"] == f]
near(sum(l["wait_ns"] for l in lines), sum(x["ns"] for x in waits), "waiting")
if a["purpose"] == "sharing":
    near(sum(l["line_transfers"] for l in lines), r["line_transfers"], "transfers")
assert [l["line"] for l in lines] == sorted({l["line"] for l in lines}), "each line once"
P
for run in 1.3-threads 1.3-sharing; do
	perseus annotate --json work.c $run >a.json
	perseus report --json --calls 100000 $run >r.json
	it "$run: all lines together are what report says of the file" python3 same.py
done

# Is it the source that was compiled?
touch work.c
exits 0 "a source that was written to later" perseus annotate work.c 1.3-threads
says 'was written to after the run was recorded; 17 of 17' "... is said to be"
{ for i in 1 2 3 4 5; do echo; done; cat "$top/tests/record/golden/work.c"; } >work.c
exits 0 "another source" perseus annotate work.c 1.3-threads
says 'work.c is NOT what was compiled: [0-4] of 17' "... is noticed by its functions"
head -30 "$top/tests/record/golden/work.c" >work.c
exits 0 "a shorter one" perseus annotate work.c 1.3-threads
says 'is NOT what was compiled' "... too"
mkdir -p else/where
mv work.c else/where/hidden
exits 0 "without a source" perseus annotate work.c 1.3-threads
says 'cannot be read here: --source DIR' "... that is said"
says '27.7 % +95$' "... and lines have their figures"
cp "$top/tests/record/golden/work.c" else/where/work.c
exits 0 "a source elsewhere" perseus annotate --source else/where work.c 1.3-threads
says 'pthread_cond_wait\(&ready' "... is found"
{ printf 'static int x; /* \033[31m \342\200\256 \377\t%0200d */\n' 0; tail -n +2 "$top/tests/record/golden/work.c"; } >work.c
exits 0 "a source with what may not be shown" perseus annotate --all work.c 1.3-threads
says ' 1  static int x; /\* \?\[31m \? \? +0+\.\.$' "... does not rule the terminal, and is cut"
exits 0 "named by its path" perseus annotate ./work.c 1.3-threads

exits 4 "a file of another program" perseus annotate radar.c 1.3-threads
says 'its files are: work.c' "... is told which there are"
exits 2 "no file" perseus annotate
exits 2 "a line of letters" perseus annotate work.c:x 1.3-threads
exits 4 "a run that was killed" perseus annotate work.c 1.3-killed
says 'is incomplete: ' "... is said"
says '^work.c: ' "... and shown as far as it goes" "$T/out"

# Two files of one name; a function that is inlined; a call out of a macro.
mkdir a b
cat >a/x.h <<'C'
static inline int twice(int (*f)(int), int x) { return f(f(x)); }
#define CALL(x) step(x)
C
cat >a/x.c <<'C'
#include "x.h"
__attribute__((noinline)) int step(int x) { __asm__ volatile(""); return x + 1; }
int other(int);
int main(void)
{
	int x = 0;

	for (int i = 0; i < 1000; i++)
		x = CALL(x);
	return other(twice(step, x)) == 0;
}
C
printf 'int step(int);\n__attribute__((noinline)) int other(int x) { return step(step(x)); }\n' >b/x.c
it "two files of one name build" gcc -O2 -g -fplugin="$PLUGIN" a/x.c b/x.c -o x
perseus record -q -o xrun ./x
exits 4 "x.c is two of them" perseus annotate x.c xrun
says "'x.c' may be (a/x.c or b/x.c|b/x.c or a/x.c)$" "... both are named"
exits 0 "a/x.c is one" perseus annotate a/x.c xrun
says ' 1,000 +9 +x = CALL\(x\);' "a call out of a macro is where it was written"
exits 0 "a header" perseus annotate a/x.h xrun
says ' 2 +1  static inline int twice' "has the calls that were inlined from it"
cd "$top" || exit 1
finish
