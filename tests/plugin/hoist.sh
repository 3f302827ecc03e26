#!/bin/sh
# SPDX-License-Identifier: MIT
# Range probes and dropped probes: what they say is what the program touches, no
# line more and none less; and each way in which hoisting can go wrong.
. tests/lib.sh
. tests/plugin/helpers
it "the test runtime compiles" fake_runtime
P=$here/programs
gcc -O2 -w -mgeneral-regs-only -Iinclude -I$P -c $P/ranges-runtime.c -o "$T/seen.o" || exit 1

hoisted() { probed "$@" -fplugin-arg-perseus-probe=memory; }

# what OPTIONS...: compile the C on stdin; what became of its accesses in $T/dump
what() {
	cat >"$T/what.c"
	rm -f "$T/dump"
	hoisted gcc "$@" -fplugin-arg-perseus-dump="$T/dump" -c "$T/what.c" -o "$T/what.o" && touch "$T/dump"
}

# ---- random loop nests: every line that the program touches, and no other ----
same=0 runs=0 nests=0
for seed in 4 12 16 22 24 34 51; do
	$here/ranges.py $seed >"$T/r.c"
	gcc -w -O1 -DLOG -fwrapv -fno-strict-aliasing -I$P "$T/r.c" "$T/seen.o" -o "$T/log" && "$T/log" >"$T/want" 2>"$T/err" || continue
	for level in -O1 -O2 -O3; do
		hoisted gcc $level -fno-strict-aliasing -I$P "$T/r.c" "$T/seen.o" -rdynamic -fplugin-arg-perseus-dump="$T/nests" -o "$T/r" || continue
		for how in 1 precise; do
			runs=$((runs + 1))
			FAKE_SHARING=$how LD_PRELOAD=$FAKE "$T/r" >"$T/got" 2>&1
			grep ^line "$T/want" >"$T/want.lines"; grep ^line "$T/got" >"$T/got.lines"
			if cmp -s "$T/want.lines" "$T/got.lines" && [ -s "$T/got.lines" ]; then same=$((same + 1)); else echo "# seed $seed $level $how differs"; fi
		done
	done
done
nests=$(grep -c ' range of \| rows of ' "$T/nests")
it "random nests: ranges and probes name the lines that are touched ($same of $runs runs)" test "$same" = "$runs" -a "$runs" -ge 36
it "... by ranges for a good part ($nests)" test "$nests" -ge 60

# ---- nests over rows: joined, multiplied, turned round; callees that wait for nobody ----
same=0 runs=0
gcc -w -O1 -DLOG -I$P $P/rows.c "$T/seen.o" -o "$T/log" && "$T/log" | grep ^line >"$T/want.lines"
for level in -O1 -O3 -O2; do
	rm -f "$T/nests"
	hoisted gcc $level -I$P $P/rows.c "$T/seen.o" -rdynamic -fplugin-arg-perseus-dump="$T/nests" -o "$T/r" || continue
	for how in 1 precise; do
		runs=$((runs + 1))
		FAKE_SHARING=$how LD_PRELOAD=$FAKE "$T/r" 2>&1 | grep ^line >"$T/got.lines"
		cmp -s "$T/want.lines" "$T/got.lines" && [ -s "$T/got.lines" ] && same=$((same + 1))
	done
done
it "rows name the lines that are touched ($same of $runs runs)" test "$same" = 6
says '^stencil .*L rows of 5 at depth 1' "... three rows of one array are one list" "$T/nests"
says '^blocks .*S rows of 1 at depth 1' "... and so are blocks of rows" "$T/nests"
says '^calls .*S range of 1 at depth 1' "a callee that waits for nobody ends no range" "$T/nests"

# ---- short loops are not worth a range ----
what -O2 <<'X'
void few(int *p) { for (int i = 0; i < 5; i++) p[i * 3]++; }
void many(int *p) { for (int i = 0; i < 500; i++) p[i * 3]++; }
int block(const int *p) { int s = 0; for (int i = 0; i < 5; i++) s += p[i]; return s; }
static __attribute__((noipa)) int quiet(int x) { return x * x; }
void same(int *p) { for (int i = 0; i < 5; i++) *p = quiet(i); }
int some(const int *p, int n) { int s = 0; for (int i = 0; i < 5; i++) if (p[i] > n) return i; return s; }
X
says '^few .* short$' "five iterations: probes" "$T/dump"
says '^many .* range of 2 at depth 1' "five hundred: a range" "$T/dump"
says '^block .*L block of 1 at depth 1' "five next to each other: one probe in front" "$T/dump"
silent '^block .* probe' "... and none in the loop" "$T/dump"
says '^same .*S direct probe in a loop' "five times the same place: each is seen" "$T/dump"
silent '^same .*block' "... not one for all" "$T/dump"
silent '^some .*L block' "not if the loop may be left before" "$T/dump"

# ---- vectorised loops keep nothing that tests ----
what -O3 -mavx2 <<'X'
void add(float *restrict a, const float *restrict b, long n) { for (long i = 0; i < n; i++) a[i] += b[i]; }
X
silent 'direct' "a vectorised loop has burst probes only" "$T/dump"
it "... and is vectorised" sh -c "objdump -d '$T/what.o' | grep -q 'vaddps.*ymm'"

# ---- counts survive the rewriting of induction variables ----
cat >"$T/count.c" <<'X'
double a[1000]; int b[64][64]; short c[999];
__attribute__((noipa)) void up(double *p, double *end) { while (p != end) *p++ += 1; }
__attribute__((noipa)) void nest(int n) { for (int i = 0; i < n; i++) for (int j = 0; j < 64; j++) b[i][j] = i; }
__attribute__((noipa)) void none(int n) { for (int i = 0; i < n; i++) c[i] = 1; }
__attribute__((noipa)) void guarded(int n, int m) { for (int i = 0; i < n; i++) if (m > 3) c[i] = 2; }
struct two { long a, b; } two[100]; long sink[300], more[300];
__attribute__((noipa)) void both(struct two *p, int n) { for (int i = 0; i < n; i++) { p[i].a++; p[i].b--; } }
__attribute__((noipa)) void again(long *p, long *q, int n) { for (int i = 0; i < n; i++) { q[i] = *p; q[i] += *p; } }
__attribute__((noipa)) void stores(long *p, int n) { for (int i = 0; i < n; i++) p[i] = i * i; }
int main(void) { both(two, 90); again(sink + 150, sink, 140); stores(more, 250); up(a, a + 1000); nest(64); none(0); none(-5); none(999); guarded(100, 3); guarded(100, 4); return 0; }
X
for level in -O1 -O2 -O3; do
	hoisted gcc $level "$T/count.c" -o "$T/count"
	FAKE_SHARING=1 FAKE_OUT=$T/sums LD_PRELOAD=$FAKE "$T/count"
	awk '$1 == "range" { print $4, $5, $6 }' "$T/sums" | sort >"$T/ranges"
	printf '%s\n' '1 16384 4096' '1 1998 999' '1 200 100' '1 8000 1000' '1 1440 180' '1 8 140' '1 1120 140' \
		'1 2000 250' | sort >"$T/expected"
	it "$level: bytes and counts; nothing for loops that do not run" diff "$T/expected" "$T/ranges"
	says 'depth-errors 0' "... all well formed" "$T/sums"
done

# ---- a condition that changes in the loop: never hoisted ----
what -O2 -fno-tree-loop-im <<'X'
long hits;
void cond(const int *c, long n) { for (long i = 0; i < n; i++) if (c[i]) ++hits; }
void inner(int (*m)[100], const int *c) { for (int i = 0; i < 100; i++) if (c[i]) for (int j = 0; j < 100; j++) m[3][j]++; }
long late(const int *c, long *p, long n) { for (long i = 0; i < n; i++) { if (c[i] < 0) return i; *p += c[i]; } return n; }
X
says '^cond .*S conditional' "a conditional write has no range" "$T/dump"
says '^inner .*R range of 2 at depth 2' "what an inner loop does under a condition stays inside the outer loop" "$T/dump"
silent '^late .*S covered' "nor has one that an early exit may forestall" "$T/dump"

# ---- calls that may synchronise, assembler, atomics, volatile ----
what -O2 <<'X'
#include <math.h>
extern void lock(void);
void calls(long *p, long n) { for (long i = 0; i < n; i++) { *p += i; lock(); } }
void pure(double *p, long n) { for (long i = 0; i < n; i++) p[i] = exp(p[i]); }
void barrier(long *p, long n) { for (long i = 0; i < n; i++) { p[i] += i; __asm__ volatile("" ::: "memory"); } }
void atomic(long *p, long *q, long n) { for (long i = 0; i < n; i++) { p[i] += i; __atomic_fetch_add(q, 1, __ATOMIC_SEQ_CST); } }
void vol(volatile long *p, long n) { for (long i = 0; i < n; i++) p[i] = i; }
long twice(long *p) { long a = *p; lock(); return a + *p; }
static __attribute__((noipa)) long quiet(long *p) { return *p; }
static __attribute__((noipa)) long noisy(long *p) { lock(); return *p; }
static __attribute__((noipa)) long spins(volatile long *p) { while (!*p) ; return 1; }
static __attribute__((noipa)) long adds(long *p) { return __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); }
__attribute__((weak, noipa)) long other(long *p) { return *p; }
void over_quiet(long *p, long n) { for (long i = 0; i < n; i++) p[i] += quiet(p); }
void over_noisy(long *p, long n) { for (long i = 0; i < n; i++) p[i] += noisy(p); }
void over_spins(long *p, long n) { for (long i = 0; i < n; i++) p[i] += spins(p); }
void over_adds(long *p, long n) { for (long i = 0; i < n; i++) p[i] += adds(p); }
void over_other(long *p, long n) { for (long i = 0; i < n; i++) p[i] += other(p); }
extern long left, right;
long once(long *p, int c) { long a = *p; if (c) left = a; else right = a; return a + *p; }
X
for f in calls barrier atomic vol; do silent "^$f .*covered" "$f: nothing is hoisted" "$T/dump"; done
for f in noisy spins adds other; do silent "^over_$f .*covered" "a callee that may wait, or be another ($f): nothing is hoisted" "$T/dump"; done
says '^over_quiet .*R range of 2' "over one that was seen to do neither: a range" "$T/dump"
says '^pure .*range of 2' "a call of exp() synchronises nothing" "$T/dump"
it "behind a call a place is looked at again" test "$(grep -c '^twice .*direct probe' "$T/dump")" = 2
it "... and only once if no way leads over one" test "$(grep -c '^once .*L direct probe' "$T/dump")" = 1

# ---- matrices: never a line that is not touched ----
what -O2 <<'X'
double m[512][512];
void column(int k) { for (int r = 0; r < 100; r++) for (int i = 0; i < 512; i++) for (int j = 0; j < 8; j++) m[i][8 * k + j] += r; }
struct pad { long v; char pad[120]; };
void wide(struct pad *p, long n) { for (long i = 0; i < n; i++) p[i].v++; }
X
says '^column .*R rows of .* at depth 1' "columns: a range for each row, before the loop over all of it" "$T/dump"
says '^wide .*R rows of 2 at depth 1' "a field in every second line: rows" "$T/dump"

# ---- constants, static data, neighbours ----
what -O2 -fno-tree-slp-vectorize <<'X'
static int table[1000];
void fill(int v) { for (int i = 0; i < 1000; i++) table[i] = v; }
int sum(void) { int s = 0; for (int i = 0; i < 1000; i++) s += table[i]; return s; }
struct s { long a, b, c; char pad[64]; long d; };
long near(struct s *p) { return p->a + p->b + p->c + p->d; }
_Alignas(64) long both[16];
long line(void) { return both[0] - both[7]; }
long other(void) { return both[6] - both[9]; }
void rmw(long *p) { *p += 1; }
void wr(struct s *p) { p->b = p->a; }
X
it "constant addresses and counts assemble" test -s "$T/what.o"
says '^fill .*S range of 1' "... as a range" "$T/dump"
# forms FUNCTION: its probes, in order, each followed by its parts (+)
forms() { awk -v f="$1" '$1 == f && / probe/ { printf "%s%s%s ", $3, $4, / a part$/ ? "+" : "" }' "$T/dump"; }
it "neighbours: the first has a probe, those less than a line away are parts of it" test "$(forms near)" = "Ldirect Ldirect+ Ldirect+ Ldirect "
it "known to be one line: the same" test "$(forms line)" = "Ldirect Ldirect+ "
it "known to be two: two probes" test "$(forms other)" = "Ldirect Ldirect "
it "a read and then a write are one" test "$(forms rmw)" = "Rdirect "
it "a read does not stand for its neighbour's write" test "$(forms wr)" = "Ldirect Sdirect "

# ---- what unrolling makes of one access ----
what -O3 -fno-tree-vectorize -fplugin-arg-perseus-mem=nohoist <<'X'
double dist(const double *a, const double *b) { double s = 0; for (int i = 0; i < 4; i++) s += (a[i] - b[i]) * (a[i] - b[i]); return s; }
double apart(const double *a) { double s = 0; for (int i = 0; i < 4; i++) s += a[2 * i]; return s; }
X
it "four neighbours of one place in the source: one probe with four parts" \
  test "$(forms dist | tr ' ' '\n' | grep . | sort | uniq -c | tr -s ' \n' ' ')" = " 2 Ldirect 6 Ldirect+ "
it "with gaps between them, as many as 32 bytes hold" test "$(forms apart)" = "Ldirect Ldirect+ Ldirect Ldirect+ "

# ---- an array of the own frame that loops walk by a pointer ----
what -O2 <<'X'
extern const unsigned char *base;
extern void lend(unsigned *);
#define PICK \
	for (; bits && n; bits &= bits - 1, n--) kept[k++] = row[__builtin_ctzl(bits)]; \
	for (unsigned i = 0; i < k; i++) if (base[kept[i]] != 'x') best += kept[i]; \
	return best;
long own(const unsigned *row, unsigned long bits, int n, long best) { unsigned kept[64], k = 0; PICK }
long lent(const unsigned *row, unsigned long bits, int n, long best) { unsigned kept[64], k = 0; lend(kept); PICK }
X
it "nobody else can reach it: no probe of its reads and writes" test "$(forms own)" = "Ldirect Ldirect Ldirect "
it "... but one whose address was handed out has them" sh -c "echo '$(forms lent)' | grep -q S"

# ---- the dump and the argument ----
hoisted gcc -O2 -fplugin-arg-perseus-dump=/no/such/folder/dump -c "$T/what.c" -o "$T/what.o" 2>"$T/err"
says 'dump=/no/such/folder/dump' "a dump that cannot be written is an error" "$T/err"
gcc -fplugin="$PLUGIN" -fplugin-arg-perseus-mem=some -c -x c /dev/null -o /dev/null 2>"$T/err"
says 'mem=some' "mem= takes three words" "$T/err"
finish
