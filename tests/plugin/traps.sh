#!/bin/sh
# SPDX-License-Identifier: MIT
# Faults that other tools' probes had, and ours could have: each test names one and
# fails on the obvious way of doing it.
. tests/lib.sh
. tests/plugin/helpers
fake_runtime || exit 1
gcc -w -O1 -I. -Iinclude tests/runtime/readrec.c -o "$T/readrec" || exit 1

# faked PROGRAM: under the counting runtime; sums in $T/sums
faked() { FAKE_SHARING=1 FAKE_OUT=$T/sums LD_PRELOAD=$FAKE "$@" >"$T/out" 2>"$T/err"; }
# recorded ENV PROGRAM...: under the real one, text of the record in $T/rec
recorded() {
	rm -rf "$T/run" && mkdir "$T/run"
	env PERSEUS_RUN_DIR="$T/run" PERSEUS_PURPOSE=timing LD_PRELOAD="$RUNTIME" "$@" >"$T/out" 2>"$T/err"
	status=$?
	for f in "$T"/run/*.prec; do "$T/readrec" "$f"; done >"$T/rec"
	return $status
}
sum_of() { awk -v k="$1" '$1 == "call" { for (i = 2; i <= NF; i++) { split($i, p, "="); if (p[1] == k) n += p[2] } } END { print n + 0 }' "$T/rec"; }
# sites_with KEY N: how many sites have N in all, over the records of their paths
sites_with() {
	awk -v k="$1" -v want="$2" '$1 == "call" { for (i = 2; i <= NF; i++) { split($i, p, "="); v[p[1]] = p[2] } n[v["site"]] += v[k] }
		END { for (s in n) hits += n[s] == want; print hits + 0 }' "$T/rec"
}
made() { awk '$1 == "total" { split($4, p, "="); n += p[2] } END { print n + 0 }' "$T/rec"; }

cat >"$T/tail.c" <<'X'
volatile int sink;
__attribute__((noinline)) static int last(int x) { sink = x; return x + 1; }
__attribute__((noinline)) static int middle(int x) { return last(x * 2); }
__attribute__((noinline)) static int first(int x) { return middle(x + 3); }
int main(void) { for (int i = 0; i < 4; i++) sink += first(i); return 0; }
X
for o in -O0 -Og -O2 -O3; do
	probed gcc $o "$T/tail.c" -o "$T/tail"
	faked "$T/tail"
	it "$o: a tail call has its leave (left a jump, 6 of 12 leaves are lost)" grep -q '^enter 12 leave 12 depth-errors 0' "$T/sums"
done
sites "$T/tail" >"$T/t"
it "the calls that are no jumps any more say so" sh -c "awk -F'\t' '\$1 == \"C\" && \$11 ~ /tail/ { n++ } END { exit n != 2 }' '$T/t'"
gcc -w -O2 -S "$T/tail.c" -o "$T/tail.s"
it "twin: they were jumps" sh -c "grep -Eq 'jmp.*(last|middle)' '$T/tail.s'"

cat >"$T/throw.cc" <<'X'
#include <cstdio>
struct s { int n; s(int i) : n(i) {} ~s(); };
int live;
__attribute__((noinline)) s::~s() { live += n; }
__attribute__((noinline)) int risky(int x) { if (x % 3 == 0) throw x; return x; }
__attribute__((noinline)) int user(int x)
{
	s a(x);
	try { return risky(x) + risky(x + 1); } catch (int i) { s b(i); return risky(i + 1); }
}
int main() { int t = 0; for (int i = 0; i < 9; i++) try { t += user(i); } catch (...) { t--; } std::printf("%d %d\n", t, live); return 0; }
X
want=$(g++ -w -O1 "$T/throw.cc" -o "$T/plain" && "$T/plain")
for o in -O0 -O1 -O2 -O3 "-O2 -fnon-call-exceptions"; do
	it "$o: a call that ends its block compiles (a leave right behind it: ICE, or wrong code)" probed g++ $o "$T/throw.cc" -o "$T/throw"
	faked "$T/throw"
	it "$o: ... and behaves" test "$(cat "$T/out")" = "$want"
	it "$o: throws leave enters without a leave, and no leave meets a wrong enter" sh -c "
		awk 'NR == 1 { exit !(\$2 > \$4 && \$4 > 0 && \$6 == 0) }' '$T/sums'"
done

for o in -O0 -O2 -O3; do
	gcc -w $o $here/programs/jumps.c -o "$T/plain" && "$T/plain" >"$T/want"
	probed gcc $o $here/programs/jumps.c -o "$T/jumps"
	faked "$T/jumps"
	it "$o: setjmp and jumps out of nested functions (2 of 1653 programs of GCC's own break on naive probes)" cmp "$T/want" "$T/out"
	it "$o: ... the unbalance is no fault" grep -q 'depth-errors 0 ' "$T/sums"
done

cat >"$T/flag.c" <<'X'
volatile int sink;
__attribute__((noinline)) void a(void) { sink++; }
__attribute__((noinline, no_instrument_function)) void b(void) { a(); }
__attribute__((noinline)) void c(void) { a(); }
int main(void) { b(); c(); return 0; }
X
for o in "" -finstrument-functions; do
	probed gcc -O1 $o "$T/flag.c" -o "$T/flag"
	sites "$T/flag" >"$T/t"
	it "no_instrument_function${o:+ with $o}: kept, and not taken for granted (GCC's flag of that name is set on every function)" sh -c "
		awk -F'\t' '\$1 == \"C\" && \$6 == \"a\" { n++ } \$1 == \"S\" && \$3 == \"attribute\" && \$5 == \"a\" { s++ } END { exit !(n == 1 && s == 1) }' '$T/t'"
done

cat >"$T/mem.c" <<'X'
#include <stdio.h>
struct bits { unsigned a : 3, b : 11, c : 18; } field, row[4];
struct __attribute__((packed)) odd { char c; long l; } packed_;
static const int fixed[4] = { 1, 2, 3, 4 };
register long r15 __asm__("r15");
struct big { long v[8]; };
__attribute__((noinline)) struct big result(int n) { struct big b = { { n } }; b.v[3] = field.b; return b; }
__attribute__((noinline)) long tls(void) { long __seg_fs *p = 0; return *p != 0; }
_Thread_local long local;
int main(int argc, char **argv)
{
	volatile int v = 0;
	struct big b;

	(void)argv;
	for (int i = 0; i < 20; i++) {
		field.a++;
		field.b += field.a;
		row[argc + (i & 1)].b += row[i & 1].a + 1;
		packed_.l += fixed[i & 3];
		r15 = i;
		local += r15;
		v++;
	}
	b = result(argc);
	printf("%u %u %ld %ld %ld %d %u %u\n", field.a, field.b, packed_.l, b.v[3], local + tls(), v, row[1].b, row[2].b);
	return 0;
}
X
want=$(gcc -w -O1 -ffixed-r15 "$T/mem.c" -o "$T/plain" && "$T/plain")
for o in -O0 -O2 -O3; do
	probed gcc $o -ffixed-r15 "$T/mem.c" -o "$T/mem" 2>"$T/log"
	faked "$T/mem"
	it "$o: bit-fields, registers, results and segments (a probe must not take their address)" test "$(cat "$T/out")" = "$want"
	sites "$T/mem" >"$T/t"
	it "$o: ... constants carry none, packed fields do" sh -c "! grep -q '^M.*	fixed' '$T/t' && grep -q '^M.*packed_' '$T/t'"
	it "$o: ... bit-fields of an element that a variable tells do, too" grep -q '^M.*row\[\].*	b' "$T/t"
done

cat >"$T/end.c" <<'X'
#include <stdlib.h>
volatile int sink;
__attribute__((noinline)) static void work(void) { sink++; }
__attribute__((constructor(101))) static void early(void) { work(); }
static int one(void) { return 7; }
static int (*pick(void))(void) { return one; }
int picked(void) __attribute__((ifunc("pick")));
__attribute__((noinline, noreturn)) static void leave(void) { exit(sink + picked()); }
int main(void) { leave(); }
X
for o in -O0 -O2 "-O2 -static" "-O2 -static-pie"; do
	probed gcc $o "$T/end.c" -o "$T/end"
	exits 8 "$o: constructors and resolvers run before any runtime" "$T/end"
	case $o in *static*) continue ;; esac
	faked "$T/end"
	it "$o: ... with it, a call that does not return has an enter only" sh -c "awk 'NR == 1 { exit !(\$2 > \$4 && \$6 == 0) }' '$T/sums'"
done

cat >"$T/fib.c" <<'X'
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
volatile int sink;
__attribute__((noinline)) static int fib(int n) { int a; if (n < 2) return n; a = fib(n - 1); a += fib(n - 2); sink = a; return a; }
__attribute__((noinline)) static int kill_me(int n) { if (!n) raise(SIGKILL); sink = kill_me(n - 1); return sink; }
__attribute__((noinline)) static double eight(double a, double b, double c, double d, double e, double f, double g, double h) { return a - b + c * d - e + f * g - h; }
int main(int argc, char **argv)
{
	double x = eight(argc, 2, 3, 4, 5, 6, 7, 8.5);

	if (argc > 2)
		kill_me(9);
	printf("%d %.2f\n", fib(atoi(argc > 1 ? argv[1] : "20")), x);
	return 0;
}
X
for o in -O1 -O3; do
	probed gcc $o "$T/fib.c" -o "$T/fib"
	recorded PERSEUS_PERIOD=1 "$T/fib" 20
	it "$o: each pair of a recursion is accounted (deferred to the next enter, 10,945 of 21,890 are lost)" test "$(sites_with count 10945) $(sites_with timed 10945)" = "2 2"
	it "$o: ... and the last pair too (pending at the end)" sh -c "test $(sum_of timed) = $(sum_of hist) && test $(sum_of open) = 0"
	it "$o: vector arguments survive the probe that attaches the thread" grep -q ' 40\.50$' "$T/out"
	recorded A=1 "$T/fib" 24
	n=$(made) timed=$(sum_of timed)
	it "$o: sampling goes on through a recursion ($timed of $n timed; reloaded at leave, 22 of 85,969)" test $((timed * 200)) -gt "$n"
	recorded A=1 "$T/fib" 3 die
	it "$o: calls that are open when the process is killed are in the record" test "$(made)" -ge 10
done

# A value in a register of its own, over a call, with flags in use.
cat >"$T/reg.c" <<'X'
volatile int sink;
__attribute__((noinline)) static int touch(int x) { sink = x; return x; }
__attribute__((noinline)) static long keep(long a)
{
	register long b __asm__("rbx") = a * 3;
	unsigned char carry;

	__asm__ volatile("" : "+r"(b));
	touch((int)a);
	__asm__ volatile("addq $5, %0\n\tsetc %1" : "+r"(b), "=q"(carry) : : "cc");
	return b + carry;
}
int main(void) { return (int)(keep(4) + keep(-1)); }
X
for o in -O0 -O2; do
	probed gcc $o "$T/reg.c" -o "$T/reg"
	gcc -w $o "$T/reg.c" -o "$T/plain"
	"$T/plain"
	want=$?
	exits $want "$o: hand-written register use keeps its registers" env PERSEUS_RUN_DIR="$T" LD_PRELOAD="$RUNTIME" "$T/reg"
	rm -f "$T"/*.prec
done

# One plugin under two names, in two files: probes once.
mkdir -p "$T/other" && cp "$O"/lib/perseus*.so "$T/other/" && mv "$T/other/perseus.so" "$T/other/again.so"
gcc -w -O1 -fplugin="$PLUGIN" -fplugin="$T/other/again.so" -c "$T/tail.c" -o "$T/twice.o" 2>"$T/log"
probed gcc -O1 -c "$T/tail.c" -o "$T/once.o"
it "two copies of the plugin put in one set of probes (each would put in its own)" sh -c "
	cat '$T/log'; test \$(readelf -rW '$T/twice.o' | grep -c R_X86) = \$(readelf -rW '$T/once.o' | grep -c R_X86)"

# Under -flto the late passes run at the link: without the plugin there, nothing is probed.
probed gcc -O2 -flto -c "$T/tail.c" -o "$T/lto.o" 2>"$T/log"
gcc -O2 -flto "$T/lto.o" -o "$T/lto" >"$T/link" 2>&1
perseus record -q -o "$T/ltorun" "$T/lto" >"$T/out" 2>"$T/err"
it "-flto without the plugin at the link is said by somebody (silence: zero events, no word)" sh -c "cat '$T/link' '$T/err' | grep -i 'link' | grep -qi 'plugin'"
# The compiler (11.5 does not) shortens the memset to the part that the store leaves:
# its address is then one inside an address, which no operand may be.
cat >"$T/cut.c" <<'X'
struct t { int length; char rest[92]; };
extern void use(struct t *);
void cleared(void) { struct t e; __builtin_memset(&e, 0, sizeof(e)); e.length = 4; use(&e); }
X
it "a shortened memset compiles" probed gcc -O2 -fchecking=2 -fdump-tree-optimized="$T/cut.dump" -c "$T/cut.c" -o "$T/cut.o"
it "... its probe has a plain address (a nested one crashed the compiler in one program of 1592)" sh -c "
	grep -q '__asm__' '$T/cut.dump' && ! grep -q '__asm__.*&MEM' '$T/cut.dump'"
sites "$T/cut.o" >"$T/t"
left=$(sed -n 's/.*__builtin_memset (.*, \([0-9]*\));.*/\1/p' "$T/cut.dump")
it "... and its probe tells the bytes that are left" grep -q "^M.*	${left:-none}	" "$T/t"


# An array of variable length that nothing else lies below starts at the stack
# pointer itself, which moves while the operands of a range are pushed.
cat >"$T/vla.c" <<'X'
#include <string.h>
static const char *begins;
__attribute__((used, perseus_no_probe)) void prs_seen(unsigned access, const void *first, unsigned long bytes, unsigned long count)
{
	(void)access;
	(void)count;
	if (bytes > 16 && !begins)
		begins = first;
}
int main(int argc, char **argv)
{
	int n = argc + 30, wrong = 0;
	char a[n];

	(void)argv;
	for (int i = 0; i < n; i++)
		a[i] = (char)i;
	if (begins != a)
		return 2;
#pragma omp parallel num_threads(2) firstprivate(a, n) reduction(+ : wrong)
	{
		for (int i = 0; i < n; i++)
			wrong += a[i] != i;
#pragma omp barrier
		memset(a, 7, n);
		for (int i = 1; i < n; i++)
			wrong += a[i] != a[0];
	}
	return wrong != 0;
}
X
# An edge into a cycle with two ways in must say so, or the compiler's checks stop it.
cat >"$T/ways.c" <<'X'
int a, b, c, d, e, f, g[16];
static int fn1(void)
{
	int h, i;
	if (b)
		goto L1;
L2:;
	int m = a;
	while (1) {
		int n = 2;
		e = !f && (n = 5);
		if (e)
			for (h = 0; h < 9; h++)
				for (i = 0; i < 6; i++)
					if (a)
						g[h] = 4;
		if (d)
			goto L2;
		a & n || b;
	L1:
		if (a)
		L3:
			c = m;
		if (a)
			goto L3;
		if (b < 5)
			return 0;
	}
}
int main(void) { fn1(); return 0; }
X
for o in -O2 -O3 "-O2 -mno-red-zone"; do
	if gcc -fopenmp "$T/tail.c" -o "$T/has-omp" 2>/dev/null; then
		it "$o: a range at the stack pointer compiles (it stopped the compiler)" probed gcc $o -fopenmp -fchecking=2 -rdynamic "$T/vla.c" -o "$T/vla"
		it "... it names the array" env FAKE_SHARING=1 FAKE_OUT="$T/sums" LD_PRELOAD="$FAKE" "$T/vla"
	else
		for i in 1 2; do skip "an OpenMP program" "gcc has no libgomp"; done
	fi
	it "$o: ranges in a cycle with two ways in (the compiler's own check failed)" probed gcc $o -fchecking=2 "$T/ways.c" -o "$T/ways"
	it "... the program ends well" env FAKE_SHARING=1 FAKE_OUT="$T/sums" LD_PRELOAD="$FAKE" "$T/ways"
done

finish
