#!/bin/sh
# SPDX-License-Identifier: MIT
# Plans and sources that do not fit, for both ways in: a clear error or a line "by hand", and nothing half-written.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/codegen/graft.inc
cd "$T" || exit 1
: "${A:=0}" "${B:=$A}"

# one_plan PROGRAM FUNCTION CALLEE [SIDE]: a trigger at one call; its instance is $INSTANCE, or the recorded one
one_plan() {
	o_program=$1 o_function=$2 o_callee=$3 o_side=${4:-false}
	plan_head
	echo threads:
	plan_thread 0 main - - 0 "$A"
	echo sites:
	set -- $(site_line "$o_program" "$o_function" "$o_callee")
	o_instance=${INSTANCE:-$2}
	INSTANCE=$o_instance plan_site 0 "$1" "$3" "$4" "$5" "$6"
	echo triggers:
	plan_trigger 7 0 0 "$o_side" 1 1 "$A"
}
record() { gcc ${2:--O0} -pthread -fplugin="$PLUGIN" -o recorded "$1"; }
graft() { perseus codegen plan.yaml -o gen --graft=. "$@"; }
with_plan() { gcc "$@" -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=gen/perseus_triggers.plan; }
applies() (rm -rf p && mkdir p && cp *.[ch]* p && cd p && patch -s -p1 <../gen/perseus_graft.patch)

# left TEXT PATTERN: one place, that of trigger 7, is left to do by hand for this reason
left() {
	exits 1 "$1: left to do by hand" graft ${program:+--program=$program}
	says "^by hand: .*$2.*; insert perseus_trigger_0007\(\)" "$1: says why, and what to insert"
	says "^# by hand: .*insert perseus_trigger_0007" "$1: so does the head of the patch" gen/perseus_graft.patch
	it "$1: the patch does the rest" sh -c "grep -q '^+.*perseus_program_start();' gen/perseus_graft.patch && ! grep -q '^+.*perseus_trigger_0007' gen/perseus_graft.patch"
}
program= INSTANCE='*'

cat >a.c <<'X'
#include <stdio.h>
#define CALL(x) work(x)
#define TWICE(x) (work(x) + (x))
__attribute__((noinline)) int work(int x) { return printf("%d\n", x); }
__attribute__((noinline)) int other(int x) { return x; }
static inline __attribute__((always_inline)) int always(int x) { return other(x) + 1; }
static int (*pointer)(int) = other;
__attribute__((noinline)) int hidden(int x) { return CALL(x); }
__attribute__((noinline)) int after_macro(int x)
{
	int y = TWICE(x);

	y += work(y);
	return y;
}
__attribute__((noinline)) int nested(int x) { return work(other(x)); }
__attribute__((noinline)) int chosen(int x) { return x ? work(1) : 0; }
__attribute__((noinline)) int through(int x) { return pointer(x); }
__attribute__((noinline)) int odd(int x)
{
#ifdef NEVER
	if (x) {
#endif
		work(x);
#ifdef NEVER
	}
#endif
	return x;
}
int main(void) { return hidden(1) + after_macro(2) + nested(3) + chosen(1) + through(0) + odd(0) + always(1) > 99; }
X
record a.c
one_plan ./recorded hidden work >plan.yaml
left "a call in a macro" "no call of .work. stands on this line: it comes from a macro"
one_plan ./recorded nested work >plan.yaml
left "arguments with calls, trigger before" "its arguments need calls themselves"
one_plan ./recorded nested work true >plan.yaml
exits 0 "the twin: behind it is fine" graft
one_plan ./recorded chosen work true >plan.yaml
left "a call under a condition, trigger behind" "only under a condition"
one_plan ./recorded chosen work >plan.yaml
exits 0 "the twin: before it is fine" graft
says "^\+.*x \? \(perseus_trigger_0007\(\), work\(1\)\) : 0" "... in the expression" gen/perseus_graft.patch
one_plan ./recorded odd work >plan.yaml
left "brackets under different conditions" "open and close under different conditions"
mkdir pair && sed 's/int y = TWICE/{ &/' a.c >pair/a.c && cd pair || exit 1
one_plan ../recorded after_macro work >plan.yaml
left "brackets that do not pair" "no function .after_macro. is found in this file, whose brackets do not pair"
cd ..
one_plan ./recorded through indirect true >plan.yaml
exits 0 "a call through a pointer" graft
says "^\+.*int perseus_result_0007 = pointer\(x\);" "... is found" gen/perseus_graft.patch
# The second call in the program's order is the first in the text.
set -- $(sites ./recorded | awk -F'\t' '$1 == "C" && $6 == "work" && $10 == 1 { print $3, $8 }')
one_plan ./recorded after_macro work | sed "s/^    id: .*/    id: \"$1\"/; s/line: .*/line: $2/" >plan.yaml
left "macros that hide calls" "the plan means call number 2 .* stands number 1"

# Inlining: what the plan means, and what a graft does.
one_plan ./recorded always other >plan.yaml
exits 0 "a function that is inlined everywhere, all copies meant" graft
INSTANCE=00000000 one_plan ./recorded always other >plan.yaml
program=recorded
left "a function that is inlined everywhere, its own body meant" "has no such copy of it"
program=
left "the same without the recorded program" "name the recorded program with --program"
exits 1 "the plugin stops the build" with_plan -O2 -c -o a.o a.c
says "the call of 'other' in 'always' has no instance 00000000" "... and says why"
it "... without an object" test ! -e a.o
cat >b.c <<'X'
extern int printf(const char *, ...);
static inline __attribute__((always_inline)) int both(int x) { return printf("%d\n", x); }
int main(void) { return both(1) + both(2) > 99; }
X
mkdir two && mv b.c two && cd two || exit 1
record b.c -O2
INSTANCE= one_plan ./recorded both printf >plan.yaml
program=recorded
left "one of two copies" "several copies of it, and the plan means one"
one_plan ./recorded both printf | sed 's/^\(cpu: .*\)/\1/' >plan.yaml
exits 0 "the twin: all copies" graft
sed "s/^model_sha256/sites_sha256: \"$Z64\"\n&/" plan.yaml >other.yaml && mv other.yaml plan.yaml
exits 4 "another program than the recorded one" graft --program=recorded
says "has another table of sites" "... is told"
it "... nothing of it is written" sh -c "rm -r gen; perseus codegen plan.yaml -o gen --graft=. --program=recorded 2>/dev/null; test ! -e gen"
gcc -o plain b.c
exits 4 "a program without sites" graft --program=plain
exits 4 "a program that is not there" graft --program=none
exits 2 "--program without --graft" perseus codegen plan.yaml -o gen --program=recorded
exits 4 "sources that are not there" perseus codegen plan.yaml -o gen --graft=none
exits 4 "sources that are no directory" perseus codegen plan.yaml -o gen --graft=b.c
program=
cd ..

# The source has changed since the recording.
one_plan ./recorded chosen work >plan.yaml
mkdir -p moved/gen && cp plan.yaml moved && sed 's/^static int (\*pointer/\n\n&/' a.c >moved/a.c && cd moved || exit 1
left "a source that has moved" "the source is not the recorded one"
cd .. && mkdir named && cp plan.yaml named && sed 's/chosen/picked/' a.c >named/a.c && cd named || exit 1
other() {
	exits 4 "$1: another program" perseus codegen plan.yaml -o gen --graft=.
	says "$2" "... says what is missing"
	it "... and nothing is written" test ! -e gen
}
other "the only function is gone" "a\.c: no function .chosen. is found"
cd .. && mkdir away && sed 's/a\.c"/away.c"/' plan.yaml >away/plan.yaml && cp a.c away/b.c && cd away || exit 1
other "the only file is not there" "away\.c: the file is not below"
cd .. && mkdir some && cp a.c some && cd some || exit 1
{ one_plan ../recorded chosen work | sed '/^triggers:/,$d' && INSTANCE=00000000 plan_site_of 1 $(site_line ../recorded nested work) &&
	echo triggers: && plan_trigger 5 0 0 false 1 1 "$A" && plan_trigger 7 0 1 true 1 1 "$A"; } | sed 's/"nested"/"nasted"/' >plan.yaml
exits 1 "one of two functions is gone" graft
says "^by hand: a\.c:[0-9]+ nasted: no function .nasted. is found in this file; insert" "... is said, and nothing of inlining"
says "^\+.*perseus_trigger_0005" "... and the other is done" gen/perseus_graft.patch
cd .. && mkdir lined && cd lined || exit 1
{ head -1 ../a.c && echo '#line 100 "a.c"' && tail -n +2 ../a.c; } >a.c
record a.c
one_plan ./recorded chosen work >plan.yaml
left "lines that are numbered anew" "no call of|not in .chosen.|not the recorded one"
cd ..
cp a.c second.c
exits 0 "of two files with a main() the one that the plan's unit has" graft
silent "second.c" "... is the program's" gen/perseus_graft.patch
rm second.c
mkdir mains && cd mains || exit 1
echo 'int work(int x) { return x; } int of(int x) { return work(x); }' >of.c
echo 'int of(int); int main(void) { return of(0); }' | tee one.c >two.c
gcc -fplugin="$PLUGIN" -o recorded of.c one.c
one_plan ./recorded of work >plan.yaml
exits 1 "two files with a main(), and nothing tells which" graft
says "^by hand: - main: the plan does not name the file of a main\(\): one.c, two.c; name the recorded program with --program; insert perseus_program_start\(\) first thing in main\(\)" "... are named"
says "^\+.*perseus_trigger_0007" "... and the rest is done" gen/perseus_graft.patch
sed 's/unit: "of.c"/unit: "one.c"/' plan.yaml >named.yaml
echo 'int main(void) { return 1; }' >>one.c
exits 1 "two main() in one file that the plan names" perseus codegen named.yaml -o gen --graft=.
says "main\(\) is defined several times: one.c; insert" "... are told, too"
sed -i '$d' one.c
rm two.c
exits 1 "one main() in a file that the plan does not name" graft
says "the plan does not name the file of a main\(\): one.c; name the recorded program" "... is left, and the way out is named"
exits 0 "the twin: the recorded program names it" graft --program=recorded
says "^\+.*perseus_program_start" "... it is done" gen/perseus_graft.patch
cd ..

# Ends of lines, bytes that are no text, and blanks in names.
mkdir "a b" && sed 's/$/\r/' a.c >"a b/a.c" && cd "a b" || exit 1
one_plan ../recorded chosen work >plan.yaml
exits 0 "lines that end as on other systems" graft
it "... patch takes it" applies
it "... and no line ends otherwise" awk '!/\r$/ { bad = 1 } END { exit bad }' p/a.c
it "... it compiles" gcc -Igen -c -o x.o p/a.c
cd .. && mkdir bytes && sed 's|^static int (\*pointer.*|& /* \xe9\xff */|' a.c >bytes/a.c && cd bytes || exit 1
one_plan ../recorded chosen work >plan.yaml
exits 0 "bytes of another encoding" graft
it "... patch takes it" applies
cd ..

# A patch of another plan does not compile.
one_plan ./recorded chosen work >plan.yaml
graft >out && it "the patch applies" applies
sed 's/^seed: 1$/seed: 2/' plan.yaml >next.yaml
perseus codegen next.yaml -o gen2 >out
it "the twin: with its own header the source compiles" gcc -Igen -c -o x.o p/a.c
exits 1 "with the header of another plan it does not" gcc -Igen2 -c -o x.o p/a.c
says "grafted for another plan" "... and says why"
exits 1 "the plugin refuses another plan's hash" with_plan -fplugin-arg-perseus-plan-hash="$(sha256sum <next.yaml | cut -c1-64)" -c -o y.o a.c
it "... without an object" test ! -e y.o
perseus codegen plan.yaml -o gen >out
it "without --graft no patch of old is left" test ! -e gen/perseus_graft.patch

# A header of two units.
mkdir head && cd head || exit 1
cat >h.h <<'X'
#ifndef H_H
#define H_H
int work(int x);
static int inner(int x) { return work(x) + 1; }
#endif
X
cat >u.c <<'X'
#include "h.h"
int work(int x) { return x; }
int second(void);
int main(void) { return inner(1) + second() > 99; }
X
cat >v.c <<'X'
#include "h.h"
int second(void);
int second(void) { return inner(2); }
X
gcc -O0 -fplugin="$PLUGIN" -o recorded u.c v.c
one_plan ./recorded inner work | sed "s/^    file: .*/    file: \"h.h\"/" >plan.yaml
left "a static function in a header of two units" "a file that 2 units include, and the plan means the one in u.c"
it "the plugin plans the one" sh -c "gcc -fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -c u.c && gcc -fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -c v.c && nm u.o | grep -q perseus_trigger_0007 && ! nm v.o | grep -q perseus_trigger"
sed -i 's/.*h\.h.*/int inner(int x);/' v.c
exits 0 "the twin: a header of one unit" graft
says "^\+\+\+ b/h.h" "... is changed itself" gen/perseus_graft.patch
sed -i 's/work(x) + 1/1/' h.h && sed -i 's/inner(int x);/none;/; s/inner(2)/2/' v.c
exits 1 "a header that has changed stops the plugin in the unit that the plan names" with_plan -c -o u2.o u.c
says "trigger 0007: .inner. no longer calls .work. where the plan says .site [0-9a-f]*, planned for u.c" "... naming all"
exits 0 "and not in the other" with_plan -c -o v.o v.c
cd ..

# A template has an instance for each type, and the plan means one of them.
mkdir many && cd many || exit 1
cat >t.cc <<'X'
int work(int x) { return x; }
template <class T> int of(T x) { return work(int(x)); }
int main() { return of(1) + of('a') > 1000; }
X
g++ -O0 -fplugin="$PLUGIN" -o recorded t.cc
one_plan ./recorded _Z2ofIi _Z4worki >plan.yaml
left "an instance of a template" "one instance of a template, a graft acts in all"
exits 0 "the plugin plans that one" sh -c "g++ -O0 -fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -c t.cc && test \$(objdump -dr t.o | grep -c 'R_X86_64_PL.*perseus_trigger_0007') = 1"
cd ..

# std::thread creates in a header of the library: the unit goes to the plugin, the rest is grafted.
mkdir library && cd library || exit 1
cat >unit.cc <<'X'
#include <thread>
void of();
void of() { std::thread t([] {}); t.join(); }
X
cat >main.cc <<'X'
void of();
__attribute__((noinline)) void between(int x) { volatile int y = x; (void)y; }
int main() { between(1); of(); return 0; }
X
g++ -O1 -g -pthread -fplugin="$PLUGIN" -o recorded main.cc unit.cc
{
	plan_head && echo threads: && plan_thread 0 main - - 0 "$A" && plan_thread 1 worker 0 0 0 "$B" && echo sites: &&
		set -- $(site_line ./recorded . create) && plan_site 0 "$1" "$3" "$4" "$5" 3 && plan_site_of 1 $(site_line ./recorded main between) &&
		echo triggers: && plan_trigger 7 0 1 false 1 1 "$A"
} >plan.yaml
exits 1 "std::thread" graft --program=recorded
says "^by hand: unit.cc:3 std::thread::thread.*in a header of the C\+\+ library.*compile unit.cc with the plugin.*; there belongs perseus_create_1_begin\(\) before.*the call of std::thread::_M_start_thread" "... says where the creation is, and the way out"
silent "by hand.*_Z|insert perseus_create" "... in names that people read"
says "^# by hand: unit.cc:3 std::thread::thread.*compile unit.cc with the plugin" "... the head of the patch, too" gen/perseus_graft.patch
it "patch" sh -c "rm -rf p && mkdir p && cp *.cc p && cd p && patch -s -p1 <../gen/perseus_graft.patch"
for o in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -c -o gen/$o.o gen/$o.c; done
it "the named unit with the plugin" g++ -O1 -pthread -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -c -o unit.o unit.cc
it "... and the others grafted" g++ -O1 -pthread -Igen -o both p/main.cc unit.o gen/*.o
nm unit.o >unit.sym
says "U perseus_create_1_begin" "... has the creation's mark" unit.sym
it "... and runs" ./both
cd ..

# A thread that never appears: both programs run as planned but for that one, and say so in a counter.
mkdir absent && cd absent || exit 1
cat >w.c <<'X'
#include <pthread.h>
static void *work(void *arg) { return arg; }
int main(void)
{
	pthread_t t;

	return pthread_create(&t, 0, work, 0) || pthread_join(t, 0);
}
X
cat >told.c <<'X'
#include "perseus_triggers.h"
#include <stdio.h>
__attribute__((destructor)) static void tell(void) { printf("started %u of %u, unplanned %u\n", perseus_status.started, (unsigned)PERSEUS_THREADS, perseus_status.unplanned); }
X
record w.c
{
	plan_head && echo threads: && plan_thread 0 main - - 0 "$A" && plan_thread 1 worker 0 0 0 "$B" &&
		plan_thread 2 never 0 0 7 "$B" && echo sites: && set -- $(site_line ./recorded . create) &&
		plan_site 0 "$1" "$3" "$4" "$5" "$6"
} >plan.yaml
exits 1 "pthread_create() || ..., where only the result of both is kept" graft
sed -i 's/return pthread_create(&t, 0, work, 0) || pthread_join(t, 0);/if (pthread_create(\&t, 0, work, 0))\n\t\treturn 1;\n\treturn pthread_join(t, 0);/' w.c
exits 0 "codegen" graft
it "patch" applies
for o in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -c -o gen/$o.o gen/$o.c; done
gcc -Igen -c -o gen/told.o told.c
it "the grafted program" gcc -Igen -pthread -o grafted p/w.c gen/*.o
it "the planned program" with_plan -pthread -o planned w.c gen/*.o
./planned >planned.out && ./grafted >grafted.out
it "a thread that never appears is missing in both" cmp planned.out grafted.out
says "^started [12] of 3, unplanned 0$" "... in the counter of threads that started" grafted.out
cd ..

# Names of the generated header that the program uses for something else; a source that is grafted already.
mkdir names && sed "s/^int main/enum { CORE_$A, THREAD_MAIN, CREATE_1 };\n&/" a.c >names/a.c && cd names || exit 1
one_plan ../recorded chosen work >plan.yaml
exits 0 "names of the header that the file uses itself" graft
it "... patch takes it" applies
it "... it compiles" gcc -Werror -Igen -c -o x.o p/a.c
cp p/a.c a.c && rm -r p
exits 1 "a source that is grafted already" graft
says "^by hand: a.c:[0-9]+ (main|chosen): the file includes perseus_triggers.h already" "... is told"
silent "^---" "... and left alone" gen/perseus_graft.patch
cd ..

# Nothing half-written.
cp -r gen before && mkdir gen/perseus_graft.patch
exits 3 "a directory in the place of the patch" graft
rmdir gen/perseus_graft.patch
it "... leaves the other files as they were" diff -r before gen
finish
