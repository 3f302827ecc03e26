#!/bin/sh
# SPDX-License-Identifier: MIT
# Triggers land where the plan says; a plan that does not fit stops the build.
. tests/lib.sh
. tests/plugin/helpers
cd "$T" || exit 1
cat >t.c <<'X'
#include <stdio.h>
void perseus_program_start(void) { puts("start"); }
void perseus_create_1_begin(void) { puts("begin 1"); }
void perseus_create_end(void) { puts("end"); }
void perseus_trigger_0007(void) { puts("t7"); }
void perseus_trigger_0008(void) { puts("t8"); }
void perseus_trigger_0009(void) { puts("t9"); }
X
cat >a.c <<'X'
#include <pthread.h>
#include <stdio.h>
__attribute__((noinline)) int work(int x) { printf("work %d\n", x); return x; }
__attribute__((noinline)) int tail(int x) { return work(x); }
static int both(int x) { return work(x) + work(x + 1); }
static void *body(void *p) { puts("thread"); return p; }
int main(void)
{
	pthread_t t;
	int r = both(1) + both(5) + tail(9);

	pthread_create(&t, NULL, body, NULL);
	pthread_join(t, NULL);
	return r == 23 ? 0 : 1;
}
X
H=$(printf '%064d' 0 | tr 0 7)
probed gcc -O2 -c a.c -o a.o
sites a.o >table
gcc -c t.c -o t.o
f=$(awk -F'\t' '$1 == "N" && $3 == "both" { print $2 }' table)
g=$(awk -F'\t' '$1 == "N" && $3 == "tail" { print $2 }' table)
first=$(awk -F'\t' -v f="$f" '$1 == "C" && $5 == f && $10 == 0 { print $3; exit }' table)
inst=$(awk -F'\t' -v f="$f" '$1 == "C" && $5 == f && $10 == 1 { print $4; exit }' table)
second=$(awk -F'\t' -v f="$f" '$1 == "C" && $5 == f && $10 == 1 { print $3; exit }' table)
after=$(awk -F'\t' -v g="$g" '$1 == "C" && $5 == g { print $3 }' table)
create=$(awk -F'\t' '$1 == "C" && $11 ~ /create/ { print $3 }' table)
it "the call that creates a thread is flagged" test "${#create}" = 16
it "the call that waits is flagged" grep -q 'pthread_join	.*	wait	' table
make_seal
# changed SED-SCRIPT: the plan file as a generator would have written it
changed() { sed '/^end /d' p.plan | sed "$1" | ./seal >q.plan; }
./seal >p.plan <<X
perseus-triggers 2
plan $H
start
create 1 $create * a.c main pthread_create 12
call 0007 $first * before a.c both work 5
call 0008 $second $inst after a.c both work 5
call 0009 $after 00000000 after a.c tail work 4
X
cat >want <<'X'
start
t7
work 1
work 2
t8
t7
work 5
work 6
work 9
t9
begin 1
end
X
plan="-fplugin-arg-perseus-plan=p.plan -fplugin-arg-perseus-plan-hash=$H"
for o in "-O2" "-O2 -flto" "-O3 -g" "-O2 -fplugin-arg-perseus-probe=calls,memory"; do
	it "$o: builds" probed gcc $o $plan a.c t.o -o a -lpthread
	it "$o: runs" sh -c './a | grep -v thread >got'
	it "$o: each trigger fires at its place, and no other" cmp want got
done
it "generated code compiled under LTO is kept" probed gcc -O2 -flto $plan a.c t.c -o a -lpthread
probed gcc -O2 $plan a.c t.o -o a -lpthread
it "a planned build has no probe" sh -c "! nm a | grep -q __prs"
exits 1 "without the generated object the link fails" gcc -w -O2 -fplugin="$PLUGIN" $plan a.c -o a -lpthread
says "undefined reference to .perseus_trigger_0007" "... naming the trigger"

sed 's/ + work(x + 1)//' a.c >b.c && mkdir gone && mv b.c gone/a.c && cp p.plan gone
cd gone || exit 1
exits 1 "a call that is gone stops the build" gcc -w -O2 -fplugin="$PLUGIN" $plan -c a.c -o a.o
says "trigger 0008: 'both' no longer calls 'work'" "... naming trigger, function and callee"
says "note: .*record and plan again" "... and the next step"
silent "perseus plan --" "... which names no option that does not exist"
exits 1 "... under LTO, too" gcc -w -O2 -flto -fplugin="$PLUGIN" $plan -c a.c -o a.o
cd ..
# Id and names of a site belong together: what was changed by hand is seen where the site stands.
misnamed() { # TEXT SED-SCRIPT WHAT FLAGS...
	m_text=$1 m_says=$3
	changed "$2"
	shift 3
	exits 1 "a plan with $m_text stops the build${*:+, $*}" gcc -w -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=q.plan "$@" -c a.c -o a.o
	says "$m_says" "... saying what stands there"
	says "note: .*changed by hand" "... and the next step"
}
for o in "-O2" "-O2 -flto"; do
	misnamed "another function" '/^call 0007/s/ both / tail /' "trigger 0007: site $first is the call of .work. in .both., the plan has it as that of .work. in .tail." $o
	misnamed "another callee" '/^call 0009/s/ work 4$/ printf 4/' "trigger 0009: site $after is the call of .work. in .tail., the plan has it as that of .printf. in .tail." $o
	misnamed "another creator" '/^create/s/ main / both /' "create 1: site $create is the call of .pthread_create. in .main., .* in .both." $o
	exits 0 "twin: the plan as it was, $o" gcc -w $o -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=p.plan -c a.c -o a.o
done
gcc -w -O2 -flto -fplugin="$PLUGIN" -c a.c -o late.o
changed '/^call 0007/s/ both / tail /'
exits 1 "a plan that only the link knows, with another function" gcc -w -O2 -flto -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=q.plan late.o t.o -o late -lpthread
says "trigger 0007: site $first is the call of .work. in .both." "... is seen there"
exits 0 "twin: the plan as it was" gcc -w -O2 -flto -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=p.plan late.o t.o -o late -lpthread

# Equal calls of one function: the count and the line mean the same one.
cat >b.c <<'X'
__attribute__((noinline)) void work(int x) { __asm__ volatile("" : : "r"(x)); }
__attribute__((noinline)) void other(int x) { __asm__ volatile("" : : "r"(x)); }
int stage(int n);
int stage(int n)
{
	work(1);
	for (int i = 0; i < n; i++)
		work(i);
	other(3);
	return n;
}
X
probed gcc -O2 -c b.c -o b.o
sites b.o >table
site() { awk -F'\t' -v c="$1" -v o="$2" '$1 == "C" && $6 == c && $10 == o { print $3; exit }' table; }
only=$(site other 0) later=$(site work 1)
./seal >b.plan <<X
perseus-triggers 2
plan $H
call 0007 $later * before b.c stage work 8
call 0009 $only * after b.c stage other 9
X
planned_b() { exits "$1" "$2" gcc -w -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=b.plan -c b.c -o b2.o; }
planned_b 0 "equal calls: the twin, as it was recorded"
cp b.c kept.c
sed 's,^int stage(int n)$,/* one more line */\n&,' kept.c >b.c
planned_b 0 "equal calls: all lines moved together"
sed 's/^\twork(1);/&\n\twork(2);/' kept.c >b.c
planned_b 1 "equal calls: another one before"
says "trigger 0007: which of the 3 calls of .work. in .stage. is meant. By its number it is that of line 7, the plan has it at line 8" "... names both places"
says "another call of .work. is at line 9" "... and the call that it was"
sed '/^\twork(1);/d' kept.c >b.c
planned_b 1 "equal calls: the first one is gone"
cp kept.c b.c
./seal >b.plan <<X
perseus-triggers 2
plan $H
call 0007 $(site work 0) * before b.c stage work 8
call 0009 $only * after b.c stage other 9
X
planned_b 1 "equal calls: the plan file names another one"
says "By its number it is that of line 6, the plan has it at line 8" "... names both places"

# ... and what was beside it is still there: also on one line.
beside() { awk -F'\t' -v c="$1" -v o="$2" '$1 == "C" && $6 == c && $10 == o { print $13, $14; exit }' table; }
cat >kept.c <<'X'
extern int a, b;
void work(int *x);
void other(int x);
int stage(int n);
int stage(int n)
{
	other(1); work(&a); other(2); work(&b);
	for (int i = 0; i < n; i++)
		work(&n);
	other(3);
	return n;
}
X
cp kept.c b.c
probed gcc -O2 -c b.c -o b.o
sites b.o >table
it "equal calls: the table counts them and tells what is beside them" sh -c "[ '$(beside work 0 | cut -d' ' -f1)' = 3 ] && [ '$(beside work 0)' != '$(beside work 1)' ] && [ '$(beside work 1)' != '$(beside work 2)' ]"
near_plan() { # ORDINAL LINE [BESIDE]
	./seal >b.plan <<-X
	perseus-triggers 2
	plan $H
	call 0007 $(site work $1) * before b.c stage work $2 $(beside work ${3:-$1})
	X
}
near_plan 1 7
for o in -O0 -O1 -O3 "-O2 -g -fno-inline"; do
	exits 0 "equal calls: the twin on one line, $o" gcc -w $o -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=b.plan -c b.c -o b2.o
done
sed 's/other(1);/& work(\&a);/' kept.c >b.c
planned_b 1 "equal calls: another one on the same line"
says "trigger 0007: which of the 4 calls of .work. in .stage. is meant. The recorded one has 3; by its number it is that of line 7, the plan has it at line 7" "... is counted"
says "b.c:7:[0-9]*: note: another call of .work. is at line 7" "... and the other place is named"
sed 's/other(3);/& work(\&a);/' kept.c >b.c
planned_b 1 "equal calls: another one behind"
sed 's/work(&a);/work(\&c);/;s/work(&b)/work(\&a)/;s/work(&c)/work(\&b)/;s/a, b/a, b, c/' kept.c >b.c
planned_b 1 "equal calls: arguments exchanged"
cp kept.c b.c
near_plan 0 7 1
planned_b 1 "equal calls: what was beside it is at another one"
says "trigger 0007: .*By its number it is that of line 7, but another one has the arguments and neighbours" "... which is said"
says "b.c:7:[0-9]*: note: another call of .work. is at line 7" "... with the other place"
near_plan 1 7
sed -i 's/ 3 \([0-9a-f]*\)$/ 0 \1/' b.plan
planned_b 1 "a count of none"
near_plan 1 7
sed -i 's/ 3 [0-9a-f]*$/ 3 12345/' b.plan
planned_b 1 "a hash of five digits"

cp a.c other.c
exits 0 "a unit that the plan does not name is left alone" gcc -w -O2 -fplugin="$PLUGIN" $plan -c other.c -o other.o
exits 1 "an instance that this build lacks stops it" gcc -w -O0 -fplugin="$PLUGIN" $plan -c a.c -o a.o
says "has no instance $inst" "... naming it"

refuse() {
	sed "$2" p.plan >q.plan
	exits 1 "refused: $1" gcc -w -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=q.plan -c a.c -o a.o
	says "q.plan' line $3: " "... with the line"
}
refuse "another version" '1s/2/1/' 1
refuse "a hash that is none" '2s/7/g/' 2
refuse "an unknown line" '3s/start/stop/' 3
refuse "a second start" '3s/start/&\n&/' 4
refuse "a site of 15 digits" '4s/[0-9a-f] \*/ */' 4
refuse "a wrong side" '5s/before/beside/' 5
refuse "numbers out of order" '6s/0008/0001/' 6
refuse "two blanks" '6s/ /  /' 6
refuse "a missing field" '7s/ work//' 7
refuse "a line that is none" '7s/ 4$/ x/' 7
refuse "a line changed by hand" '7s/ 4$/ 5/' 8
refuse "no hash" '8s/ 6 .*/ 6/' 8
refuse "a wrong count" '8s/6/7/' 8
refuse "text behind the end" '8s/$/\nmore/' 8
refuse "no end" '8d' 8
refuse "a number that is none" '4s/create 1/create x/' 4
refuse "a bad escape" '5s/ a.c / a%2.c /' 5
printf 'perseus-triggers 2\nplan' >q.plan
exits 1 "refused: cut in a line" gcc -w -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=q.plan -c a.c -o a.o
head -c 20000 /dev/zero | tr '\0' 'x' >q.plan
exits 1 "refused: no plan at all" gcc -w -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=q.plan -c a.c -o a.o
exits 1 "refused: another hash" gcc -w -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=p.plan \
	-fplugin-arg-perseus-plan-hash=$(printf %064d 1) -c a.c -o a.o
says "plan-hash" "... said so"
exits 1 "refused: no such file" gcc -w -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=none.plan -c a.c -o a.o
says "none.plan.*perseus codegen" "... naming file and remedy"
finish
