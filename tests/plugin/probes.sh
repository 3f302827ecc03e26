#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory probes as the assembler takes them: every form, with every operand that
# GCC can hand over, at every register pressure; and that none changes anything
# that the program uses, asleep or awake.
. tests/lib.sh
. tests/plugin/helpers
it "the test runtime compiles" fake_runtime
memory() { probed "$@" -fplugin-arg-perseus-probe=memory; }

# ---- forms of operands ----
cat >"$T/forms.c" <<'C'
#include <stdio.h>
#include <string.h>
#define N __attribute__((noipa))
struct wide { long a[40]; };
struct packed { char c; long l; short s; } __attribute__((packed));
typedef int v4 __attribute__((vector_size(16)));
typedef int u4 __attribute__((vector_size(16), aligned(4)));
static long hidden[64]; long shown[64]; extern long outside[64]; _Thread_local long own[64];
long many[8][8]; struct packed near_end[8]; _Alignas(64) struct packed aligned_one;
N long plain(long *p) { return *p; }
N void plain_store(long *p, long v) { *p = v; }
N void rmw(int *p) { *p += 3; }
N long indexed(long *p, long i) { return p[i * 2 + 5]; }
N long stat(long i) { return hidden[i] + hidden[7] + shown[i] + shown[3] + outside[i] + outside[9]; }
N void stat_store(long i, long v) { hidden[i] = v; shown[63] = v; outside[i + 1] = v; many[i & 7][3] = v; }
N long thread_local_direct(long i) { own[i]++; return own[i]; }
N long through_pointer(long i) { long *p = &own[i]; __asm__("" : "+r"(p)); return ++*p; }
N long local(long i) { long a[8] = {1, 2, 3}; __asm__("" : : "r"(a) : "memory"); a[i] = i; __asm__("" : : "r"(a) : "memory"); return a[i] + a[2]; }
N long leaf(long i) { volatile long a[4] = {i, i + 1, i + 2, i + 3}; return a[i & 3] + shown[i]; }
N struct wide copy(struct wide *p) { return *p; }
N v4 vector(v4 *p) { return *p; }
N u4 unaligned(u4 *p) { return *p; }
N long pack(struct packed *p) { p->l += p->s; return p->l; }
N long fixed_pack(void) { aligned_one.l += 5; return aligned_one.l; }
N double floats(double *p, float *q) { *p += *q; return *p; }
N long double extended(long double *p) { *p *= 2; return *p; }
N __int128 whole(__int128 *p) { *p += 1; return *p; }
N long atomics(long *p, long v) { return __atomic_add_fetch(p, v, __ATOMIC_SEQ_CST) + __atomic_load_n(p, __ATOMIC_ACQUIRE); }
N char single(char *p, int i) { p[i] ^= 1; return p[-i]; }
/* every register holds something over the probe in the middle */
N long full(long *p, long a, long b, long c, long d, long e)
{
	long f = p[1], g = p[2], h = p[3], i = p[4], j = p[5], k = p[6], l = p[7], m = p[8];
	for (int n = 0; n < 3; n++) {
		p[9 + n] = a ^ m;
		a += b * f; b += c ^ g; c += d * h; d += e ^ i; e += f * j; f += g ^ k; g += h * l; h += i ^ m; i += j; j += k; k += l; l += m; m += a;
	}
	return a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + g * 17 + h * 19 + i * 23 + j * 29 + k * 31 + l * 37 + m * 41;
}
#define H(r) { register long v __asm__(#r) = 40 + s; __asm__ volatile("" : "+r"(v)); shown[11] = s; __asm__ volatile("" : "+r"(v)); s += v * 3; }
N long held(long s)
{
	H(rax) H(rcx) H(rdx) H(rsi) H(rdi) H(r8) H(r9) H(r10) H(r11) H(rbx) H(r12) H(r13) H(r14) H(r15)
	return s;
}
/* all nine that a probe may borrow hold something */
N long none_free(long s)
{
	register long a __asm__("rax") = s + 1, c __asm__("rcx") = s + 2, d __asm__("rdx") = s + 3, e __asm__("rsi") = s + 4, f __asm__("rdi") = s + 5,
		g __asm__("r8") = s + 6, h __asm__("r9") = s + 7, i __asm__("r10") = s + 8, j __asm__("r11") = s + 9;
	__asm__ volatile("" : "+r"(a), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h), "+r"(i), "+r"(j));
	shown[12] = 5;
	__asm__ volatile("" : "+r"(a), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h), "+r"(i), "+r"(j));
	return a + 2 * c + 3 * d + 4 * e + 5 * f + 6 * g + 7 * h + 8 * i + 9 * j;
}
N long branchy(int *p, int n) { long s = 0; for (int i = 0; i < n; i++) if (p[i] & 1) s += shown[p[i] & 63]++; return s; }
N void scatter(int *h, const unsigned char *p, int n) { for (int i = 0; i < n; i++) h[p[i]]++; }
N int variable(int n, int k) { int a[n]; for (int i = 0; i < n; i++) a[i] = i * k; __asm__("" : : "r"(a) : "memory"); return a[n / 2]; }
static N long callee(long v) { shown[13] += v; return v; } /* -fipa-ra: callers know what it changes */
N long caller(long a, long b, long c, long d) { long s = callee(a); return s + a + b * c + d; }
long outside[64];
int main(void)
{
	long sum = 0, area[80]; int ints[300] = {0}; unsigned char bytes[300]; char buffer[400]; double d = 1.5; float f = 2.5; long double x = 3; __int128 w = 7;
	for (int i = 0; i < 80; i++) area[i] = i * 77;
	for (int i = 0; i < 300; i++) bytes[i] = i * 13;
	memset(buffer, 3, sizeof(buffer));
	for (long i = 0; i < 8; i++) {
		plain_store(&area[i], plain(&area[i + 1])); rmw(&ints[i]);
		sum += indexed(area, i) + stat(i) + thread_local_direct(i) + through_pointer(i) + local(i) + leaf(i);
		stat_store(i, sum);
		struct wide c = copy((struct wide *)(area + i)); sum += c.a[39];
		sum += vector((v4 *)__builtin_assume_aligned(area + 2 * (i / 2) + ((unsigned long)area >> 3 & 1), 16))[1] + unaligned((u4 *)(buffer + 4 * i + 44))[2];
		near_end[i].s = 9; sum += pack(&near_end[i]) + fixed_pack() + (long)floats(&d, &f) + (long)extended(&x) + (long)whole(&w) + atomics(&area[i], 3);
		sum += single(buffer + 100, (int)i) + full(area, i, 2, 3, 4, 5) + held(i) + none_free(i) + branchy(ints, 60) + variable(9, (int)i) + caller(i, 2, 3, 4);
		scatter(ints, bytes, 300);
	}
	for (int i = 0; i < 64; i++) sum += hidden[i] + shown[i] + outside[i] + own[i] + ints[i] + buffer[i + 90];
	printf("%ld\n", sum);
	return 0;
}
C
# every FLAGS...: asleep, each probe to the runtime, with hits, loops watched: the plain program's answer
every() {
	gcc -w $1 "$T/forms.c" -o "$T/plain" || { not_ok "$1: the plain program compiles"; return; }
	it "$1: compiles" memory gcc $1 "$T/forms.c" -o "$T/forms"
	want=$("$T/plain")
	it "$1: asleep it is the same" test "$("$T/forms")" = "$want"
	for how in 1 hit loops direct; do
		it "$1: $how, it is the same" test "$(FAKE_SHARING=$how LD_PRELOAD=$FAKE "$T/forms")" = "$want"
	done
}
for flags in -O0 -O1 -O2 -O3 -Os "-O2 -fno-pie -no-pie" "-O2 -fPIC" "-O2 -mno-red-zone" "-O2 -fno-omit-frame-pointer" "-O2 -masm=intel" "-O0 -masm=intel" \
	"-O2 -mcmodel=medium" "-O3 -march=x86-64-v3" "-O2 -fno-ipa-ra" "-O2 -ffixed-rcx -ffixed-rsi" "-O2 -fno-asynchronous-unwind-tables" "-O2 -fcf-protection=full"; do
	every "$flags"
done
it "static: compiles" memory gcc -O2 -static "$T/forms.c" -o "$T/forms"
it "... and is the same" test "$("$T/forms")" = "$(gcc -w -O2 -static "$T/forms.c" -o "$T/plain" && "$T/plain")"

# ---- what is printed ----
# in FUNCTION: its text, cold parts and all, of $T/forms.s
in_function() { sed -n "/^$1:/,/\.size/p" "$T/forms.s"; }
memory gcc -O2 -S "$T/forms.c" -o "$T/forms.s"
it "a cold part that is called: site, address, test" sh -c "sed -n '/^plain:/,/size/p' '$T/forms.s' | grep -A3 '^.LprsC' | tr -s '\t\n' '  ' | grep -qE 'leaq \(%rdi\), %r[a-z0-9]+ jmp .LprsH'"
it "... saves nothing" sh -c "! sed -n '/^plain:/,/size/p' '$T/forms.s' | grep -q push"
it "where no register is free one is saved" sh -c "sed -n '/^none_free:/,/size/p' '$T/forms.s' | grep -A3 '^.LprsC' | grep -q 'pushq.*%rax'"
gcc -w -O2 -S "$T/forms.c" -o "$T/plain.s"
it "a leaf that keeps data below the stack pointer" sh -c "sed -n '/^leaf:/,/size/p' '$T/plain.s' | grep -q -- '-[0-9]*(%rsp'"
it "... keeps none there with probes, since they call" sh -c "! sed -n '/^leaf:/,/size/p' '$T/forms.s' | grep -q -- '-[0-9]*(%rsp'"
it "... and steps over none" sh -c "! sed -n '/^leaf:/,/size/p' '$T/forms.s' | grep -q '128, %rsp'"
it "a loop that turns often has a copy with the test in place" sh -c "sed -n '/^scatter:/,/size/p' '$T/forms.s' | grep -q 'cmpl.*(%r.*,%r.*,4)'"
it "an aligned vector is one line: one test" sh -c "! sed -n '/^vector:/,/size/p' '$T/forms.s' | grep -q '\.LprsW'"

# ---- where calls' registers are in use, the test takes what the function has saved ----
cat >"$T/saved.cc" <<'X'
#include <cstdio>
long cell[16];
[[gnu::noipa]] long opaque(long x) { return x; }
[[gnu::noipa]] void fail(long x) { throw x; }
/* What a call destroys is in use at the probe; of the rest, a and b are over. */
[[gnu::noipa]] long body(long *p, long n)
{
	long a = opaque(n), b = opaque(n + 1), s = a * b, x = s, y = s, z = s, u = s, v = s;
	register long r8 asm("r8") = s, r9 asm("r9") = s, r10 asm("r10") = s, r11 asm("r11") = s;
	asm volatile("" : "+a"(x), "+c"(y), "+d"(z), "+S"(u), "+D"(v), "+r"(r8), "+r"(r9), "+r"(r10), "+r"(r11));
	p[1] = n;
	asm volatile("" : "+a"(x), "+c"(y), "+d"(z), "+S"(u), "+D"(v), "+r"(r8), "+r"(r9), "+r"(r10), "+r"(r11));
	if (n & 1)
		fail(x + y + z + u + v + r8 + r9 + r10 + r11);
	return x - y + z - u + v - r8 + r9 - r10 + r11;
}
[[gnu::noipa]] long outer(long n)
{
	long a = opaque(n), b = opaque(n + 3), c = opaque(n * 5), d = opaque(n * 7), e = opaque(n ^ 9), f = opaque(~n), got;
	try {
		got = body(cell, n);
	} catch (long x) {
		got = x;
	}
	return got + a * 3 + b * 5 + c * 7 + d * 11 + e * 13 + f * 17;
}
int main() { long sum = 0; for (long n = 1; n < 100; n++) sum = sum * 31 + outer(n); std::printf("%ld\n", sum); }
X
for o in -O1 -O2 "-O2 -fno-omit-frame-pointer" "-O2 -fno-shrink-wrap" -Os; do
	it "$o: what a function has saved compiles" memory g++ -w $o "$T/saved.cc" -o "$T/saved"
	want=$(g++ -w $o "$T/saved.cc" -o "$T/plain" && "$T/plain")
	for how in 1 hit loops direct; do
		it "$o: $how, callers and handlers find their registers" test "$(FAKE_SHARING=$how LD_PRELOAD=$FAKE "$T/saved")" = "$want"
	done
done
memory g++ -w -O2 -S "$T/saved.cc" -o "$T/saved.s"
it "... and it was one that a call preserves" sh -c "sed -n '/^_Z4bodyPll:/,/size/p' '$T/saved.s' | grep -A1 '^.LprsC' | grep -qE 'leaq.*, %r(bx|bp|1[2-5])'"

# ---- accesses that touch two lines: the second counts as well ----
cat >"$T/two.c" <<'C'
#include <stdio.h>
typedef int u4 __attribute__((vector_size(16), aligned(4)));
_Alignas(64) char area[1 << 14];
__attribute__((noipa)) void put(char *p) { u4 v = {1}; *(u4 *)p = v; }
__attribute__((noipa)) void block(char *p) { struct b { char c[200]; } *b = (struct b *)p, z = {{1}}; *b = z; }
int main(int argc, char **argv)
{
	for (int i = 0; i < 64; i += 4) { put(area + 256 * (i / 4) + i); put(area + 256 * (i / 4) + i); }
	block(area + 8192); block(area + 8192);
	return 0;
}
C
for level in -O0 -O2; do
	it "$level: two lines: compiles" memory gcc $level "$T/two.c" -o "$T/two"
	FAKE_OUT=$T/sums FAKE_SHARING=hit LD_PRELOAD=$FAKE "$T/two"
	# the first of each pair misses in one or two lines, the second hits in all
	it "$level: each of 16 places misses once, and the block once" sh -c "awk '\$1 == \"access\" && (\$6 == 16 || \$6 == 200) && \$5 == 1 { n += \$4 } END { exit !(n >= 17 && n <= 18) }' '$T/sums' || { cat '$T/sums'; exit 1; }"
done
# the naive test of the first byte's line only: the line behind is never taken
cat >"$T/behind.c" <<'C'
#include <stdio.h>
typedef int u4 __attribute__((vector_size(16), aligned(4)));
_Alignas(64) char area[4096];
__attribute__((noipa)) void put(char *p) { u4 v = {1}; *(u4 *)p = v; }
int main(void) { for (int i = 0; i < 32; i++) area[128 * (i & 31)] = 1; for (int i = 0; i < 31; i++) put(area + 128 * i + 56); return 0; }
C
memory gcc -O2 "$T/behind.c" -o "$T/behind"
FAKE_OUT=$T/sums FAKE_SHARING=hit LD_PRELOAD=$FAKE "$T/behind"
it "a line behind one that is held is seen" sh -c "awk '\$1 == \"access\" && \$6 == 16 { n += \$4 } END { exit n != 31 }' '$T/sums'"

# ---- the table ----
cat >"$T/table.py" <<'PY'
import struct, sys
d = open(sys.argv[1], "rb").read()
at, seen = 0, 0
while (at := d.find(struct.pack("<Q", 0xb35c71e9d80f2a6b), at)) >= 0:
    n, desc, direct, notes = struct.unpack_from("<IiII", d, at + 8)
    if n < 10000 and at % 8 == 0:
        assert notes <= direct <= n, (n, direct, notes)
        for i in range(n):
            place, = struct.unpack_from("<i", d, at + 24 + 4 * i)
            assert d[at + place:at + place + 4] in (b"\x0f\x1f\x84\xe8", b"\x0f\x1f\x84\xe9"), "no no-op"
            cold = place + 8 + struct.unpack_from("<i", d, at + place + 4)[0]
            assert place < cold < 0, "the cold part lies between"
            seen += 1
    at += 8
print(seen)
PY
memory gcc -O2 "$T/forms.c" -o "$T/forms"
it "all entries of the tables lead from a no-op to a cold part" sh -c "test \$(python3 -B '$T/table.py' '$T/forms') -ge 60"
finish
