#!/bin/sh
# SPDX-License-Identifier: MIT
# What sleeping call probes leave as it was: tail calls, and values in registers
# that a callee is known not to change.  And that both are right when they wake.
. tests/lib.sh
. tests/plugin/helpers

cat >"$T/a.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#define N __attribute__((noinline, noclone))
volatile long v;
N static long leaf(long x) { v = x; return x + 1; }
/* The values lie in registers over the calls, if the compiler knows leaf(). */
N static long keep(long a, long b, long c, long d, long e)
{
	long r = leaf(a) * 3;
	long s = leaf(b) * 5;
	return r + s * a + b * 7 + c * 11 + d * 13 + e * 17;
}
N static __attribute__((ms_abi)) long other(long a, long b) { return leaf(a) + leaf(b) * 2; }
N static long around(long a, long b, long c) { return other(a, b) * 3 + other(b, c) * a + leaf(c) * b + c; }
N static __attribute__((no_caller_saved_registers, target("general-regs-only"))) void careful(void) { leaf(3); }
N static long besides(long a, long b, long c) { careful(); return a + b * 3 + c * 5; }
N static long variadic(int n, ...)
{
	__builtin_va_list l;
	long s = 0;

	__builtin_va_start(l, n);
	while (n--)
		s = s * 3 + __builtin_va_arg(l, long);
	__builtin_va_end(l);
	return s;
}
long (*pointer)(long) = leaf;
N static long through(long a, long b, long c) { return pointer(a) * b + pointer(b) * c + a; }
N static long nested(long x) { long t = x; long inner(long y) { return t += y; } return inner(1) * 3 + inner(2) + leaf(t); }
N long odd(long n);
N long even(long n) { v = n; return n ? odd(n - 1) : 1; }
N long odd(long n) { v = n; return n ? even(n - 1) : 0; }
int main(int argc, char **argv)
{
	long depth = argc > 1 ? atol(argv[1]) : 100, s = 0;

	for (long i = 0; i < 20; i++) {
		s = s * 31 + keep(i, i + 1, i + 2, i + 3, i + 4);
		s = s * 31 + around(i, i ^ 5, i + 9) + besides(i, s, 7);
		s = s * 31 + variadic(5, i, s, 3l, 4l, i) + through(i, s, 3) + nested(i);
	}
	printf("%ld %ld\n", s, even(depth));
	return 0;
}
C
for level in -O0 -O1 -O2 -O3 -Os "-O2 -fno-ipa-ra" "-O2 -g -fno-pie -no-pie" "-O2 -flto"; do
	gcc -w $level -o "$T/plain" "$T/a.c" && "$T/plain" >"$T/want"
	exits 0 "$level: builds" probed gcc -w $level -fchecking=2 -o "$T/a" "$T/a.c"
	"$T/a" >"$T/got"
	it "$level: asleep it computes the same" cmp "$T/want" "$T/got"
	rm -rf "$T/run"
	perseus record -q -o "$T/run" "$T/a" >"$T/got" 2>"$T/err"
	it "$level: and with every call timed" cmp "$T/want" "$T/got"
	exits 0 "$level: every pair is recognised, and holds its call alone" perseus sites --check "$T/a"
done

# body FUNCTION: of $T/s.s, up to the first cold part; cold FUNCTION: the rest
cold() { awk -v f="$1:" '$1 == f { in_it = 1 } /\.size/ { in_it = 0 } in_it && /^\.LprsC/ { on = 1 } !in_it { on = 0 } on' "$T/s.s"; }
body() { awk -v f="$1:" '$1 == f { on = 1 } /^\.LprsC/ || /\.size/ { on = 0 } on' "$T/s.s"; }
# Memory probes take registers of their own.
probed gcc -w -O2 -fplugin-arg-perseus-probe=calls -S -o "$T/s.s" "$T/a.c"
it "the tail call is a jump" sh -c "echo \"\$1\" | grep -q 'jmp[[:space:]]odd'" x "$(body even)"
it "keep() saves no more than the tokens need" test "$(body keep | grep -c pushq)" -le 1
it "because cold parts save what is live" test "$(cold keep | grep -c 'pushq.*%r\(8\|9\|10\|11\|cx\|si\|di\)')" -ge 4
probed gcc -w -O2 -fno-ipa-ra -fplugin-arg-perseus-probe=calls -S -o "$T/s.s" "$T/a.c"
it "without -fipa-ra it has to" test "$(body keep | grep -c pushq)" -ge 4
it "... and cold parts save nothing but results" test "$(cold keep | grep -c 'pushq.*%r\(8\|9\|10\|11\|cx\|si\|di\)')" = 0
probed gcc -w -O0 -S -o "$T/s.s" "$T/a.c"
it "without optimisation there is no jump" sh -c "! echo \"\$1\" | grep -q 'jmp[[:space:]]odd'" x "$(body even)"
probed gcc -w -O2 -o "$T/a" "$T/a.c"
exits 0 "ten million tail calls need no stack" "$T/a" 10000000
says ' 1$' "... and come to their end"
exits 0 "recorded, they need none that grows" perseus record -q -o "$T/tails" "$T/a" 10000000
says ' 1$' "... and come to their end"
finish
