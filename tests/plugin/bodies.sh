#!/bin/sh
# SPDX-License-Identifier: MIT
# bodies=two: plain bodies are those of the plain program, twins have the probes, and what
# cannot exist twice keeps one body.
. tests/lib.sh
. tests/plugin/helpers
P=$PWD/tests/plugin/programs
TWO=-fplugin-arg-perseus-bodies=two
cd "$T" || exit 1

# twins FILE: functions of an object or program that have two bodies
twins() { nm "$1" | sed -n 's/^[0-9a-f]* t \(.*\)\.perseus\.[0-9]*$/\1/p' | sort -u | tr '\n' ' '; }

# plain_text OBJECT: the instructions of each function that is no twin, without addresses, alignment, prefixes that say
# nothing, jumps in front of functions, and our own code; functions in the order of their names
plain_text() {
	objdump -dr --no-show-raw-insn "$1" | awk '
	function put() { if (held != "") printf "%s %05d %s\n", name, n++, held; held = "" }
	/^Disassembly of section/ { on = !/perseus/; next }
	!on { next }
	/R_X86_64_/ { if (/perseus/) held = ""; next }
	{ put() }
	/^[0-9a-f]+ <.*>:$/ { name = $2; n = 0; next }
	!NF { next }
	{ sub(/^ *[0-9a-f]+:[ \t]*/, ""); gsub(/[0-9a-f]+ <[^>]*>/, "X"); gsub(/-?0x[0-9a-f]+\(%rip\)/, "X"); sub(/ *#.*/, "") }
	/^(nop|data16|cs nop|xchg +%ax,%ax)/ { next }
	{ sub(/^rex /, ""); gsub(/ +/, " "); held = $0 }
	END { put() }' | sort
}

cat >regs.c <<'C'
#include <stdio.h>
static int table[64], total;
__attribute__((noinline)) static int leaf(int *p, int i) { p[i & 63] += i; return p[(i + 1) & 63]; }
__attribute__((noinline)) static long mix(long a, long b, long c, long d)
{
	for (int i = 0; i < 100; i++) {
		a += leaf(table, i) + b; /* -fipa-ra: b, c and d may stay where calls change registers */
		b ^= c + leaf(table, (int)a);
		c += d;
	}
	return a + b + c + d;
}
int counted(void) { static int n; total++; return ++n; }
int (*by_address)(void) = counted;
int main(int argc, char **argv)
{
	const unsigned char *entry = (const unsigned char *)mix;

	(void)argv;
	printf("%ld %d %d %d\n", mix(argc, 2, 3, 4), counted(), by_address(), by_address == &counted);
	fprintf(stderr, "entry %s\n", entry[0] == 0xeb ? "awake" : "asleep");
	return total != 2;
}
C
cp "$P/throws.cc" "$P/loops.c" .
# compiler FILE: the one for it
compiler() { case $1 in *.cc) echo g++ ;; *) echo gcc ;; esac; }
CALLERS="-fno-ipa-ra -fno-ipa-stack-alignment" # what they know of callees beyond their types
for f in regs.c throws.cc; do
	# -O3 of the larger one has a tie that GCC breaks by the order in which it met the functions.
	for o in -O0 -O2 $([ $f = throws.cc ] || echo "-O3,-fPIC,-fcf-protection"); do
		o=$(echo "$o" | tr , ' ')
		probed $(compiler $f) $o $TWO -c $f -o two.o
		$(compiler $f) -w $o $CALLERS -c $f -o plain.o
		plain_text plain.o >plain.text
		plain_text two.o >two.text
		it "$f $o: plain bodies have the instructions of the plain program" cmp plain.text two.text
	done
done
gcc -w -O2 $CALLERS -c regs.c -o plain.o
plain_text plain.o >plain.text
probed gcc -O2 -c regs.c -o one.o
plain_text one.o >one.text
it "with probes in the only body they have not (so this can fail)" sh -c '! cmp -s plain.text one.text'
gcc -w -O2 -c regs.c -o plain.o
plain_text plain.o >known.text
it "... nor where callers know more of a callee than its type" sh -c '! cmp -s plain.text known.text'

# ---- entries ----
cat >begin.c <<'C'
int ext(int x);
int pushes(int x) { return ext(x) + x; }
int loads(int *p) { int x = *p; return ext(x + p[1]); }
void loops(volatile char *p) { for (;;) *p = 0; }
int texts(int x) { __asm__ volatile("/* mine */"); return ext(x); }
C
# first OBJECT FUNCTION: its first instruction
first() { objdump -d --no-show-raw-insn "$1" | awk -v f="<$2>:" '$2 == f { getline; sub(/^[^:]*:[ \t]*/, ""); $1 = $1; print; exit }'; }
# where OBJECT FUNCTION: bytes from the last multiple of 16
where() { echo $((0x$(nm "$1" | sed -n "s/ [Tt] $2\$//p") % 16)); }
gcc -w -O2 -c begin.c -o plain.o
probed gcc -O2 $TWO -c begin.c -o two.o
it "a push of one byte becomes one of two, with nothing in front" test "rex $(first plain.o pushes)" = "$(first two.o pushes)"
it "what has two bytes stays as it is" test "$(first plain.o loads)" = "$(first two.o loads)"
it "a loop that begins with the function has a no-op in front" test "$(first two.o loops)" = "xchg %ax,%ax"
it "... and so has assembler text" test "$(first two.o texts)" = "xchg %ax,%ax"
for f in pushes loads loops texts; do it "$f is aligned" test "$(where two.o $f)" = "$(where plain.o $f)"; done
probed gcc -Os $TWO -c begin.c -o two.o
for f in pushes loads loops texts; do it "-Os: $f lies at an even address" test $(($(where two.o $f) % 2)) = 0; done
cat >aligned.c <<'C'
#include <stdint.h>
int ext(int x);
__attribute__((aligned(64))) int own(int x) { return ext(x) + x; }
__attribute__((noinline)) int ext(int x) { static int n; return n += x; }
int main(void) { return own(1) != 2 || (uintptr_t)own % 64; }
C
probed gcc -O2 -fcf-protection $TWO aligned.c -o aligned
exits 0 "a function has the alignment that was asked for" perseus record -q -o r12 -- ./aligned
for p in "-pg -mfentry" -pg; do
	# (the program would have to be linked with a profiler's start-up code)
	it "an entry behind a profiler's call ($p)" probed gcc -O2 $p $TWO -c begin.c -o two.o
done
for p in -fpatchable-function-entry=2 -fpatchable-function-entry=5,3; do
	probed gcc -O2 $p $TWO -c begin.c -o two.o
	it "what others patch has one body ($p)" test -z "$(twins two.o)"
	probed gcc -O2 $p -c begin.c -o one.o
	it "... as they want it" sh -c 'for v in one two; do objdump -d --no-show-raw-insn $v.o | sed 1,3d >$v.text; done; cmp one.text two.text'
done

# ---- awake ----
# counts RUN: calls of each site and callee
counts() {
	perseus report "$1" --json --calls 100000 | python3 -c 'import json, sys
for s in json.load(sys.stdin)["call_sites"]: print(s["id"], s["callee"], s["calls"])' | sort
}
for o in -O0 -O2 "-O2 -flto -ffunction-sections -Wl,--gc-sections"; do
	for f in regs.c throws.cc; do
		probed $(compiler $f) $o $f -o one
		probed $(compiler $f) $o $TWO $f -o two
		ids one >one.ids
		ids two >two.ids
		# Copies have no code that cannot be reached, which -O0 keeps.
		it "$f $o: ids do not depend on bodies" test -z "$(comm -13 one.ids two.ids)"
		./one >plain.out 2>/dev/null
		./two >two.out 2>two.err
		it "$f $o: asleep it does what it does otherwise" cmp plain.out two.out
		[ $f = throws.cc ] || says "entry asleep" "... and runs in plain bodies" two.err
		rm -rf r1 r2
		perseus record -q -o r1 -- ./one >one.out 2>/dev/null
		perseus record -q -o r2 -- ./two >two.out 2>two.err
		it "$f $o: awake, too" cmp plain.out two.out
		[ $f = throws.cc ] || says "entry awake" "... and runs in twins" two.err
		counts r1 >one.counts
		counts r2 >two.counts
		it "$f $o: all calls are counted" sh -c 'test -s one.counts && cmp one.counts two.counts'
	done
done

# ---- one body ----
cat >single.c <<'C'
#include <setjmp.h>
#include <stdio.h>
int ext(int x);
int loop(const char *p)
{
	static const void *const to[] = {&&add, &&sub, &&end};
	int v = 1;

	goto *to[*p++ - 'a'];
add:	v += ext(v);
	goto *to[*p++ - 'a'];
sub:	v -= ext(v);
	goto *to[*p++ - 'a'];
end:	return v;
}
int shown(int x, void *const **table)
{
	static void *const to[] = {&&a, &&b};

	*table = to;
	goto *to[x & 1];
a:	return ext(1) + 1;
b:	return ext(2) + 1;
}
int held(int x)
{
	static void *const to[] = {&&a, &&b};
	static void *last;

	last = x > 1 ? to[x & 1] : last ? last : to[0];
	goto *last;
a:	return ext(1) + 1;
b:	return ext(2) + 1;
}
__attribute__((noclone)) int never(int x) { return ext(x) + 1; }
int label(int x) { __asm__("perseus_test_label: nop"); return ext(x) + 1; }
int directive(int x) { __asm__(".set perseus_test_set, 1"); return ext(x) + 1; }
__attribute__((section(".mine"))) int placed(int x) { return ext(x) + 1; }
static jmp_buf again;
int twice(int x) { volatile int n = x; if (setjmp(again) < 2) { n = n + ext(n); longjmp(again, 1 + n % 3); } return n; }
int outer(int x) { int inner(int y) { return ext(x + y) + 1; } return ext(inner(1)) + inner(2); }
int plain_asm(int x) { __asm__("nop"); return ext(x) + 1; }
int ordinary(int x) { return ext(x) + 1; }
int empty(int x) { return x + 1; }
__attribute__((noinline)) int ext(int x) { static int n; return x + (n += 2); }
int main(void)
{
	void *const *table;
	int sum = loop("abaabbac") + shown(0, &table) + shown(1, &table) + held(0) + held(3) + held(0) + never(1) + label(1) +
		  directive(1) + placed(1) + twice(1) + outer(1);

	printf("%d %d\n", sum, plain_asm(1) + ordinary(1) + empty(1));
	return 0;
}
C
probed gcc -O1 -fno-inline $TWO single.c -o two
got=$(twins two)
it "what can be copied has a second body, and what cannot has one" test "$got" = "ext loop main ordinary outer plain_asm "
echo "# $got"
gcc -w -O1 -fno-inline single.c -o plain
./plain >plain.out
perseus record -q -o r3 -- ./two >two.out 2>/dev/null
it "both kinds in one program: awake it does what it does otherwise" cmp plain.out two.out
probed gcc -O1 -fno-inline single.c -o one
perseus record -q -o r4 -- ./one >/dev/null 2>&1
counts r4 >one.counts
counts r3 >two.counts
it "... and all calls are counted" sh -c 'test -s one.counts && cmp one.counts two.counts'
it "... accesses are watched in twins, too" sh -c '
	perseus record -q --purpose=sharing -o r5 -- ./two >two.out 2>/dev/null && cmp plain.out two.out'

eval gcc -w -O1 -fno-inline -static single.c "$(perseus flags --arg=bodies=two)" -o static $(perseus flags --libs --static) -pthread
exits 0 "a static program has twins, too" perseus record -q -o r10 -- ./static
it "... and does what it does otherwise" cmp plain.out out
counts r10 >static.counts
it "... in them" test "$(grep -c ' ordinary 1$' static.counts)" = 1

cat >big.c <<'C'
int ext(char *);
int big(void) { char room[5000]; return ext(room) + 1; }
C
gcc -O2 -Wframe-larger-than=1000 -fplugin="$PLUGIN" $TWO -c big.c -o big.o 2>warnings
it "a warning is given once" test "$(grep -c 'frame size' warnings)" = 1

# What could have been probed may be gone when twins are compiled.
echo 'int f(void) { int x = 0; int *p = &x; *(volatile int *)p = 1; return 0; } int main(void) { return f(); }' >gone.c
probed gcc -O2 $TWO gone.c -o gone
exits 0 "a unit with twins and without probes" perseus record -q -o r11 -- ./gone

# Waking is for good, but for the end of a recording.
cat >later.c <<'C'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x) { static int n; return n += x; }
int main(void)
{
	const unsigned char *entry = (const unsigned char *)work;
	int i;

	if (*entry != 0xeb)
		return 3; /* the recording is over already */
	for (i = 0; i < 6000 && *(volatile unsigned char *)entry == 0xeb; i++) {
		work(i);
		usleep(10000);
	}
	return i == 6000;
}
C
probed gcc -O2 $TWO later.c -o later
for seconds in 0.1 1 10; do # on a busy machine the first may be over before the program looks
	perseus record -q --duration=$seconds -o r6-$seconds -- ./later
	status=$?
	[ $status = 3 ] || break
done
it "the end of a recording (--duration) puts functions back into their plain bodies" test $status = 0

# So a label's address that the program keeps must be the same in the next call.
cat >kept.c <<'C'
#include <stdio.h>
#include <unistd.h>
static void *place[2];
static long sum;
__attribute__((noinline)) int tick(int x) { static int n; return n += x; }
__attribute__((noinline)) static int run(int op)
{
	if (op < 0) {
		place[0] = &&add;
		place[1] = &&sub;
		return 0;
	}
	goto *place[op & 1];
add:	sum += tick(1);
	return 1;
sub:	sum -= tick(-1);
	return 2;
}
int main(void)
{
	run(-1);
	for (int i = 0; i < 40; i++) {
		run(i);
		usleep(10000);
	}
	printf("%ld\n", sum);
	return 0;
}
C
probed gcc -O1 $TWO kept.c -o kept
exits 0 "addresses of labels that are kept over the end of a recording" \
	timeout 20 perseus record -q --duration=0.1 -o r9 -- ./kept
says "^20$" "... lead where they did"

# Bursts of one object write into code that another one, with two bodies, has written into meanwhile.
cat >threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
static long count[2];
long twice(long x);
static void *count_up(void *own)
{
	for (int i = 0; i < 1000000; i++)
		__atomic_fetch_add((long *)own, twice(i) & 1 ? 0 : 1, __ATOMIC_RELAXED);
	return NULL;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, count_up, &count[0]);
	count_up(&count[1]);
	pthread_join(t, NULL);
	printf("%ld\n", count[0] + count[1]);
	return 0;
}
C
echo 'long last; long twice(long x) { __atomic_store_n(&last, x, __ATOMIC_RELAXED); return 2 * x; }' >twice.c
probed gcc -O2 -c threads.c -o first.o
probed gcc -O2 $TWO -c twice.c -o second.o
gcc first.o second.o -o mixed -pthread || exit 1
for mode in adaptive precise rate; do
	exits 0 "an object with one body and one with two, --sharing=$mode" \
		perseus record -q --purpose=sharing --sharing=$mode -o r8-$mode -- ./mixed
	says "^2000000$" "... the program does what it does otherwise"
done

# A system that refuses writable code: the program runs on, and it is said that nothing was counted.
gcc -O2 "$P/../deny-code.c" -o deny || exit 1
perseus record -o r7 -- ./deny ./two >two.out 2>err
status=$?
if [ $status = 77 ]; then skip "writable code refused by seccomp" "no seccomp filter here"
else
	it "writable code refused by seccomp: the program does what it does otherwise" cmp plain.out two.out
	says "call probes of process .* stayed dormant" "... and the record says why it is not whole" err
fi

# ---- arguments ----
exits 1 "bodies= has two values" gcc -fplugin="$PLUGIN" -fplugin-arg-perseus-bodies=three -c big.c -o big.o
says "expected 'one' or 'two'" "... and they are named"
exits 1 "denormals are not counted in a second body" gcc -fplugin="$PLUGIN" $TWO -fplugin-arg-perseus-probe=denormal \
	-c big.c -o big.o
says "bodies=two.*together with.*probe=denormal" "... and it is said"
finish
