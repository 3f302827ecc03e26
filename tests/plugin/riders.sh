#!/bin/sh
# SPDX-License-Identifier: MIT
# Accesses that are parts of one probe: which ones are, and that each of them is in
# the site table and comes to the runtime with a place, a kind and bytes of its own.
. tests/lib.sh
. tests/plugin/helpers
it "the test runtime compiles" fake_runtime

memory() { probed "$@" -fno-tree-slp-vectorize -fplugin-arg-perseus-probe=memory -fplugin-arg-perseus-dump="$T/dump"; }
# forms FUNCTION: its probes, in order, each followed by its parts (+)
forms() { awk -v f="$1" '$1 == f && / probe/ { printf "%s%s ", $3, / a part$/ ? "+" : "" }' "$T/dump"; }
# same TEXT FUNCTION FORMS
same() { it "$1 ($(forms "$2"))" test "$(forms "$2")" = "$3"; }

cat >"$T/parts.c" <<'X'
struct s { long a, b; int c; char d; unsigned e : 3, f : 5; long far[8], g; };
_Alignas(64) struct s whole;
extern int call(void);
extern int known(int) __attribute__((const, nothrow));
long together(struct s *p) { return p->a + p->b + p->c + p->d; }
void stores(struct s *p, long v) { p->c = 1; p->a = v; p->d = 2; }
long condition(struct s *p, int k) { long r = p->a; if (k) r += p->b; return r; }
long behind(struct s *p, int k) { long r = p->a; if (k) r += known(k); else r *= 3; return r + p->b; }
long between(struct s *p) { long r = p->a; call(); return r + p->b; }
long quiet(struct s *p) { long r = p->a + known(7); return r + p->b; }
long bases(struct s *p, struct s *q) { return p->a + q->b; }
long far(struct s *p) { return p->a + p->g; }
long turns(struct s *p, int n) { long r = p->a; for (int i = 0; i < n; i++) { __asm__ volatile(""); r += p->b; } return r; }
void mixed(struct s *p) { p->b = p->a; }
void known_line(void) { whole.b = whole.a; }
long vol(struct s *p) { return *(volatile long *)&p->a + *(volatile long *)&p->b; }
long atomic(struct s *p) { return __atomic_load_n(&p->a, __ATOMIC_RELAXED) + __atomic_load_n(&p->b, __ATOMIC_RELAXED); }
long element(struct s *p, long i) { return p[i].a + p[i].b; }
void again(struct s *p) { long v = p->a + p->b; p->a = v; p->b = v + 1; }
X
for level in -O1 -O2; do
	rm -f "$T/dump"
	it "$level: compiles" memory gcc $level -c "$T/parts.c" -o "$T/parts.o"
	same "$level: four fields, one probe" together "L L+ L+ L+ "
	same "$level: three that are written" stores "S S+ S+ "
	same "$level: not behind a condition" condition "L L "
	same "$level: but behind the join of both ways" behind "L L+ "
	same "$level: not across a call" between "L L "
	same "$level: but across one that only computes" quiet "L L+ "
	same "$level: not of two pointers" bases "L L "
	same "$level: not more than a line away" far "L L "
	same "$level: not into a loop" turns "L L "
	same "$level: a read and a write that may lie in two lines: two" mixed "L S "
	same "$level: certainly in one line: one" known_line "L S+ "
	same "$level: volatile ones stay alone" vol "L L "
	same "$level: atomic ones, too" atomic "L L "
	same "$level: fields of an element" element "L L+ "
	same "$level: a read and a write of one place stay one" again "R R+ "
done

# ---- a function that may be left between the two ----
cat >"$T/throw.cc" <<'X'
struct s { long a, b; };
__attribute__((pure)) long look(long);
__attribute__((pure)) long sure(long) noexcept;
extern "C" long thrown(s *p) { long r = look(p->a); return r + p->b; }
extern "C" long kept(s *p) { long r = sure(p->a); return r + p->b; }
X
rm -f "$T/dump"
it "C++ compiles" memory g++ -O2 -c "$T/throw.cc" -o "$T/throw.o"
same "not across what may throw" thrown "L L "
same "but across what may not" kept "L L+ "

# ---- what comes to the runtime ----
cat >"$T/run.c" <<'X'
struct s { long a, b; int c; char d; long e; };
struct s t __attribute__((aligned(64)));
long four(struct s *p) { long r = p->a + p->b + p->c; p->c = 7; p->d = 1; return r; }
X
cat >"$T/main.c" <<'X'
#include <stdint.h>
#include <stdio.h>
#include "perseus/abi.h"
struct s { char bytes[40]; };
extern struct s t;
long four(struct s *p);
void prs_seen(uint32_t access, const void *at, uint64_t bytes, uint64_t count)
{
	printf("%c %d %d\n", "LSRA"[PRS_ACCESS_KIND(access)], (int)((const char *)at - (char *)&t), (int)bytes);
}
int main(void) { return four(&t) != 0; }
X
printf 'L 0 8\nL 8 8\nR 16 4\nS 20 1\n' >"$T/want"
gcc -O1 -w -fPIE -mgeneral-regs-only -Iinclude -c "$T/main.c" -o "$T/main.o" || exit 1
for how in -O2 "-O2 -no-pie" "-O2 -flto" "-O2 -fno-omit-frame-pointer -mno-red-zone" "-O2 -masm=intel" -Os -O3; do
	# shellcheck disable=SC2086
	memory gcc $how "$T/run.c" "$T/main.o" -rdynamic -o "$T/run" 2>"$T/err" || { not_ok "$how: builds" "$(cat "$T/err")"; continue; }
	FAKE_SHARING=1 LD_PRELOAD=$FAKE "$T/run" 2>&1 | sort >"$T/got"
	it "$how: each part is told, with its place and bytes" cmp "$T/want" "$T/got"
	sites "$T/run" | awk -F'\t' '$1 == "M" { print $6, $14, $7 }' | sort >"$T/listed"
	it "$how: ... and is in the site table" cmp "$T/want" "$T/listed"
done
finish
