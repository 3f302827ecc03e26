#!/bin/sh
# SPDX-License-Identifier: MIT
# Units and functions that may not use all registers: what the plain compiler
# builds is built with probes, whatever the arguments are.
. tests/lib.sh
. tests/plugin/helpers

# A value of the type T as argument, result and memory access; computed before the call, or loaded for it.
cat >"$T/t.c" <<'X'
TYPE
#if FORM == 0
void g(T); void f(T *a, long i) { g(a[i] + a[i + 1]); g(a[i]); }
#elif FORM == 1
void g(const char *, ...); void f(T *a, long i) { g("", a[i] + a[i], a[i + 1]); }
#elif FORM == 2
T g(int); void f(T *a, long i) { a[i] = g((int)i + 1); }
#elif FORM == 3
void f(void (*p)(int, T, T), int *a, T *b, long i) { p(a[i], (T)a[i + 1], b[i]); }
#else
void g(void); void f(T *a, T *b, long n) { for (long i = 0; i < n; i++) a[i] = b[i + n]; g(); *b = a[2]; }
#endif
X

# compiles FLAGS... TYPE FORM
plain() { gcc -w -O2 $1 -DT="$2" -DFORM="$3" -DTYPE="${4-}" -c "$T/t.c" -o "$T/t.o" 2>/dev/null; }
with_probes() { probed gcc -w -O2 $1 -DT="$2" -DFORM="$3" -DTYPE="${4-}" -c "$T/t.c" -o "$T/t.o"; }

# all_types FLAGS: combinations that only the plain compiler takes, and how many it takes
all_types() {
	taken=0 lost=
	for type in double "long double" __float128 "_Complex float" v4; do
		define=
		[ "$type" != v4 ] || define="typedef int v4 __attribute__((vector_size(16)));"
		for form in 0 1 2 3 4; do
			[ "$type" != v4 ] || [ $form != 3 ] || continue
			plain "$1" "$type" $form "$define" || continue
			taken=$((taken + 1))
			with_probes "$1" "$type" $form "$define" >>"$T/lost" 2>&1 || lost="$lost $type/$form"
		done
	done
	[ $taken -gt 5 ] && [ -z "$lost" ] || { echo "of $taken with $1, not with probes:$lost"; cat "$T/lost"; return 1; }
}
for flags in "" -mno-sse -mgeneral-regs-only "-mno-80387 -msoft-float" "-mno-sse -mno-mmx -mno-80387" -mfpmath=387 \
  "-mno-sse -mno-mmx -mno-sse2 -mno-80387 -mno-fp-ret-in-387 -mpreferred-stack-boundary=3 -mcmodel=kernel -mno-red-zone -fno-pie"; do
	it "${flags:-no flag}: each call and access that is compiled plain is compiled with probes" all_types "$flags"
done

# The same by attribute, in a unit that has all registers; and functions that an interrupt enters.
cat >"$T/a.c" <<'X'
#include <stdio.h>
#define N __attribute__((noinline))
#define GENERAL target("general-regs-only")
long seen[4];
N long take(const char *s, ...) { seen[0] += s[0]; return seen[0]; }
N long plain(long x) { seen[1] += x; return seen[1]; }
__attribute__((GENERAL)) N long general(double *a, long i) { seen[2] += take("d", a[i] * 1, 3) + plain(i * 3); return seen[2]; }
__attribute__((no_caller_saved_registers, GENERAL)) N void all_saved(long x) { seen[3] += x; plain(seen[3] & 7); }
N long around(long a, long b, long c) { long x = a * b, y = b * c; all_saved(x); all_saved(y); return x + y + c; }
__attribute__((ms_abi)) N long foreign(long a, double d) { return plain(a) + (long)d; }
__attribute__((naked)) N long bare(long x) { __asm__("lea 1(%rdi), %rax\n\tret"); }
struct frame;
__attribute__((interrupt, GENERAL)) void entered(struct frame *f) { seen[0]++; all_saved(seen[0]); }
int main(void)
{
	double d[2] = { 1, 2 };
	printf("%ld %ld %ld %ld %ld\n", general(d, 1), around(2, 3, 4), foreign(5, 2.5), bare(6), seen[3]);
	return 0;
}
X
sed -i 's/take("d", a\[i\] \* 1, 3)/take("d", *(long *)\&a[i], 3)/' "$T/a.c"
for level in -O0 -O2 -Os; do
	gcc -w $level "$T/a.c" -o "$T/plain" && "$T/plain" >"$T/want"
	it "$level: functions without vector registers, with all saved, for interrupts: built" probed gcc -w $level "$T/a.c" -o "$T/a"
	exits 0 "$level: ... asleep" "$T/a"
	it "... with the same output" cmp -s "$T/out" "$T/want"
	for purpose in timing sharing; do
		exits 0 "$level: ... a $purpose run" perseus record -q -o "$T/run-$purpose$level" --purpose=$purpose "$T/a"
		it "... with the same output" cmp -s "$T/out" "$T/want"
	done
done
finish
