#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus sites --check: in the linked code each pair of probes encloses its call
# and nothing else; and whatever is put between them by hand is found.
. tests/lib.sh
. tests/plugin/helpers

cat >"$T/shapes.c" <<'C'
#include <stdlib.h>
typedef double pair __attribute__((vector_size(16)));
struct big { long a[6]; };
struct two { long a, b; };
#define N __attribute__((noinline))
volatile long v;
N long sink(long x) { v = x; return x + 1; }
N double sinkd(double y) { v = (long)y; return y; }
N long sinkf(float y) { v = (long)y; return v; }
N long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) { v = a + b + c + d + e + f + g + h + i + j; return v; }
N long by_value(struct big b, long x) { v = b.a[3] + x; return v; }
N struct big make_big(long x) { struct big b = {{x}}; v = x; return b; }
N struct two make_two(long x) { struct two b = {x, v}; v = x; return b; }
N __attribute__((pure)) long pure_fn(long x) { return x + v; }
N __attribute__((const)) long const_fn(long x) { return x * 3; }
N void none(void) { v++; }
N void vector(pair p) { v = (long)p[0]; }
N void whole(__int128 x) { v = (long)(x >> 7); }
N void extended(long double x) { v = (long)x; }
N void complex_fn(_Complex double x) { v = (long)__real__ x; }
N void store(int *p) { *p = 1; }
__thread int local;
long (*pointer)(long) = sink;
N long argument(long x, long y) { return sink(x / y); }
N long result(long x, long y) { return sink(x) / y; }
N long of_const(long x, long y) { return const_fn(x / y) / (y + 1); }
N long of_pure(long x, long y) { return pure_fn(x / y) + 2; }
N double real(double x, double y) { return sinkd(x / y) / y; }
N long structure(struct big b, long x, long y) { return by_value(b, x / y); }
N long loads(long *p, long i) { return sink(p[i] + p[i + 1]); }
N long unrelated(long x, long y) { long z = x / y; none(); return z; }
N long loop(long *p, long y) { long s = 0; for (int i = 0; i < 9; i++) s += sink(p[i] / y); return s; }
N long indirect(long x, long y) { return pointer(x % y); }
N long ten(long *p, long x, long y) { return many(x / y, x % y, y / x, y % x, x * y, p[1], p[2], p[3] / y, p[4], p[5] * x); }
N long single(float x, float y) { return sinkf(x / y); }
N long narrow(int x, int y) { return sink((char)(x / y)) + 2; }
N void big_out(struct big *p, long x, long y) { *p = make_big(x / y); }
N void two_out(struct two *p, long x, long y) { *p = make_two(x / y); }
N long nested(long x, long y) { return sink(pure_fn(x / y) / 7); }
N long another_block(long *p, long x, long y) { long a = p[x]; if (x > y) none(); return x > 3 ? sink(a) : y; }
N long leaves(long x, long y) { if (x > y) exit(3 + (int)(x / y)); return sink(y); }
N void vectors(pair *p, pair *q) { vector(*p / *q); }
N void wide(__int128 *p, __int128 *q) { whole(*p * *q); }
N void longer(long double *p, long double *q) { extended(*p / *q); }
N void complexes(_Complex double *p, _Complex double *q) { complex_fn(*p + *q); }
N void thread_local_address(void) { store(&local); }
int main(void) { none(); return 0; }
C
for level in -O0 -O1 -O2 -O3 -Os "-O2 -no-pie -fno-pie" "-O2 -fno-omit-frame-pointer"; do
	exits 0 "$level: builds" probed gcc $level -o "$T/shapes" "$T/shapes.c"
	strip "$T/shapes"
	exits 0 "$level: no pair encloses more than its call, seen in the stripped program" perseus sites --check "$T/shapes"
	says '^.*/shapes: each of [2-9][0-9] probe pairs encloses its call and nothing else' "$level: all pairs are looked at"
	says '    ([0-9]+) of \1 call sites have a probe' "$level: as many as there are sites"
done
exits 0 "a library with thread-local variables builds" probed gcc -O2 -fPIC -shared -o "$T/libshapes.so" "$T/shapes.c"
exits 0 "their addresses are taken before the probe" perseus sites --check "$T/libshapes.so"

# What a compiler must not do, done by hand: one thing more in `argument'.
probed gcc -O2 -fplugin-arg-perseus-probe=calls -S -o "$T/good.s" "$T/shapes.c"
# edit SIDE TEXT: TEXT behind the enter probe, or behind the call
edit() {
	awk -v side="$1" -v text="$2" '
		{ print }
		/^argument:/ { on = 1 }
		on && side == "before" && /^\.LprsB[0-9]+:/ { print text; on = 0 }
		on && side == "after" && /^\tcall\tsink/ { print text; on = 0 }' "$T/good.s" >"$T/bad.s"
	gcc -o "$T/bad" "$T/bad.s"
}
line=$(grep -n '^N long argument' "$T/shapes.c" | cut -d: -f1)
wrong() {
	it "it links with: $2" edit "$2" "$3"
	exits 1 "$1 $2 the call is found" perseus sites --check "$T/bad"
	says "^region-[0-9]{6} $1 .*shapes\.c:$line argument -> sink" "... with its place"
	says '1 of [0-9]+ probe pairs encloses more than its call' "... and nothing else"
}
wrong division before '	idivq	%rsi'
wrong division after '	divsd	%xmm1, %xmm0'
wrong load before '	movq	(%rax), %rdx'
wrong load after '	movq	v(%rip), %rdx'
wrong store before '	movq	%rdx, 8(%rcx)'
wrong store after '	movl	$1, v(%rip)'
wrong branch before '	jne	1f
1:'
wrong computation after '	imulq	%rdx, %rcx'
wrong call after '	call	none'
wrong no-call before '	ret'
wrong no-leave after '	ret'
wrong unreadable before '	.byte	6'
it "what only moves is left alone" edit before '	movq	%rdi, %rdx
	movq	%rdx, 24(%rsp)
	leaq	8(%rsp), %rsi
	subq	$16, %rsp
	pushq	$3'
exits 0 "moves, frame and stack are part of calling" perseus sites --check "$T/bad"

# The same in the finished program: a long no-op becomes a division.
edit before '	.byte	0x0f, 0x1f, 0x80, 0x78, 0x56, 0x34, 0x12'
exits 0 "a no-op is nothing" perseus sites --check "$T/bad"
at=$(LC_ALL=C grep -obUaP '\x0f\x1f\x80\x78\x56\x34\x12' "$T/bad" | head -1 | cut -d: -f1)
printf '\110\367\371\017\037\100\000' | dd of="$T/bad" bs=1 seek="$at" conv=notrunc 2>/dev/null
exits 1 "an edited program is found out" perseus sites --check "$T/bad"
says '^region-[0-9]{6} division .*argument -> sink' "... by what it does now"
says 'at 0x[0-9a-f]+: 48 f7 f9' "... and where"
exits 1 "one bad file of several decides" perseus sites --check "$T/shapes" "$T/bad"
exits 1 "as JSON" perseus sites --check --json "$T/shapes" "$T/bad"
if command -v python3 >/dev/null; then
	it "it is valid and complete" python3 -c '
import json, sys
m = json.load(open(sys.argv[1]))["modules"]
assert [len(x["findings"]) for x in m] == [0, 1] and m[1]["findings"][0]["kind"] == "division"
assert m[0]["pairs"] >= m[0]["call_sites_in_code"] == m[0]["call_sites"]' "$T/out"
else
	skip "it is valid and complete" "python3 is not installed"
fi

# Sites without code are explained.
cat >"$T/a.cc" <<'C'
int used(int);
inline int shared(int x) { return used(x) + used(x + 1); }
int unit(int x) { return shared(x); }
#ifdef MAIN
int used(int x) { return x; }
int unit_b(int);
__attribute__((section(".text.never"))) int never(int x) { return used(x) * 2; }
int main() { return shared(1) + unit_b(2); }
#endif
C
probed g++ -O0 -Dunit=unit_b -c -o "$T/b.o" "$T/a.cc" && probed g++ -O0 -DMAIN -ffunction-sections -c -o "$T/a.o" "$T/a.cc"
it "two units with one inline function link" g++ -Wl,--gc-sections -o "$T/two" "$T/a.o" "$T/b.o"
exits 0 "they are checked" perseus sites --check "$T/two"
says '2 call sites without: the linker kept the copy of another unit' "the copy that the linker left out is accounted for"
says '[12] call sites? without: dead code, or (a section|sections) that the linker dropped' "so is what --gc-sections took"

# Spoiled files are refused or judged, never the end of the tool.
spoil() {
	awk -v seed="$1" -v size="$(stat -c %s "$T/shapes")" 'BEGIN { srand(seed); for (i = 0; i < 6; i++)
		print int(rand() * (i % 2 ? size : 1024)), sprintf("%03o", int(rand() * 256)) }' >"$T/places"
	cp "$T/shapes" "$T/spoiled"
	while read -r where what; do printf "\\$what" | dd of="$T/spoiled" bs=1 seek="$where" conv=notrunc 2>/dev/null; done <"$T/places"
	perseus sites --check "$T/spoiled" >"$T/out" 2>"$T/err"
}
crashed=0
for seed in $(seq 40); do
	spoil "$seed"
	[ $? -le 4 ] || crashed=$((crashed + 1))
done
it "40 spoiled programs end in a verdict" test $crashed = 0

exits 3 "an object is not linked: it cannot be checked" perseus sites --check "$T/a.o"
says 'check the program or library' "with the way out"
gcc -o "$T/plain" -x c - <<'C'
int main(void) { return 0; }
C
exits 4 "a program without probes is refused" perseus sites --check "$T/plain"
exits 2 "--check and --suggest are two things" perseus sites --check --suggest x
exits 2 "without a file there is nothing to check" perseus sites --check
cp "$T/bad" "$T/cut"
truncate -s 9000 "$T/cut"
exits 4 "a cut-off file is refused" perseus sites --check "$T/cut"
finish
