#!/bin/sh
# SPDX-License-Identifier: MIT
# Site ids name source calls: the same at every level, after edits elsewhere,
# under LTO; different for different calls.
. tests/lib.sh
. tests/plugin/helpers
cd "$T" || exit 1
cat >a.c <<'X'
#include <stdlib.h>
struct s { int a, b; };
struct s *make(int);
int get(struct s *, int);
#define BOTH(p) (get(p, 1) + get(p, 2))
static int inner(struct s *p) { return get(p, 3) + get(p, 4); }
static int outer(struct s *p) { return inner(p) + inner(p); }
__attribute__((noinline)) static int twin1(struct s *p) { return get(p, 5) + p->a; }
__attribute__((noinline)) static int twin2(struct s *p) { return get(p, 5) + p->a; }
int use(struct s *p, int (*f)(struct s *))
{
	int r = BOTH(p) + outer(p) + f(p) + twin1(p) + twin2(p);

	if (p->a)
		r += get(make(2), 7); r += get(p, 8);
	return r + p->b;
}
X
cat >b.c <<'X'
#include <stdlib.h>
struct s { int a, b; };
__attribute__((noinline)) int get(struct s *p, int n) { p->a += n; return p->b ^ n; }
struct s *make(int n) { struct s *p = malloc(sizeof(*p)); p->a = p->b = n; return p; }
static int inner(struct s *p) { return get(p, 9); }
int use(struct s *, int (*)(struct s *));
int main(void) { return use(make(3), inner) & 63; }
X
{ printf '\n\n\n\n/* ten */\n\n\n\n\n\n'; cat a.c; } >moved.c
mkdir m && mv moved.c m/a.c
for o in -O0 -O1 -O2 -O3 -Os; do
	probed gcc $o -c a.c -o a$o.o
	probed gcc $o -c b.c -o b$o.o
done
(cd m && probed gcc -O2 -c a.c -o a.o)
probed gcc -O2 -flto a.c b.c -o lto
probed gcc -O0 a.c b.c -o plain

ids a-O0.o >want
it "ids at -O0, one for each source call" test "$(wc -l <want)" -ge 11
for o in -O1 -O2 -O3 -Os; do
	ids a$o.o >got
	it "$o names no call that -O0 does not know" sh -c "comm -13 want got | awk 'END { exit NR > 0 }'"
done
calls a-O2.o >flat
(cd m && calls a.o) >moved
it "ten lines inserted above change neither id nor instance" cmp flat moved
ids plain >want
ids lto >got
it "under -flto the ids are those of the single units" sh -c "comm -13 want got | awk 'END { exit NR > 0 }'"
sites lto >t
it "... and are found for code inlined across units" sh -c "awk -F'\t' '\$1 == \"C\" && \$13 != \"-\"' t | grep -q ."

calls a-O2.o | awk '$2 != "00000000"' >inl
it "a function inlined twice gives two instances" sh -c "awk '{ print \$1 }' inl | uniq -c | awk '\$1 >= 2 { n++ } END { exit n < 2 }'"
a=$(sites a-O0.o | awk -F'\t' '$1 == "N" && $3 == "inner" { print $2 }')
b=$(sites b-O0.o | awk -F'\t' '$1 == "N" && $3 == "inner" { print $2 }')
sites a-O0.o | awk -F'\t' -v n="$a" '$1 == "C" && $5 == n { print $3 }' | sort >ia
sites b-O0.o | awk -F'\t' -v n="$b" '$1 == "C" && $5 == n { print $3 }' | sort >ib
it "static functions of one name in two units differ" sh -c "! comm -12 ia ib | grep -q ."
n1=$(sites a-O0.o | awk -F'\t' '$1 == "N" && $3 == "twin1" { print $2 }')
n2=$(sites a-O0.o | awk -F'\t' '$1 == "N" && $3 == "twin2" { print $2 }')
it "equal functions have ids of their own" sh -c "test '$n1' != '$n2'"
sites a-O2.o >t
it "functions folded into one are listed" grep -Eq '^K	twin[12]	twin[12]' t
it "two calls of one macro are one site" sh -c "grep -c '	get	0	12	' t | grep -qx 1"
it "two calls in one line are two sites" sh -c "grep -c '	get	0	15	' t | grep -qx 2"
it "an indirect call says so" grep -q '	indirect	' t

cat >t1.h <<'X'
int other(long);
template <class T> struct box { T v; __attribute__((noinline)) int f() { return other(v) + other(v + 1); } };
X
printf '#include "t1.h"\nint one() { box<int> b{1}; return b.f(); }\nint two() { box<char> b{1}; return b.f(); }\n' >t1.cc
printf '#include "t1.h"\nint three() { box<int> b{2}; return b.f(); }\n' >t2.cc
probed g++ -O2 -c t1.cc -o t1.o
probed g++ -O2 -c t2.cc -o t2.o
sites t1.o | awk -F'\t' '$1 == "C" && $6 ~ /other/ { print $3 }' | sort -u >i1
sites t2.o | awk -F'\t' '$1 == "C" && $6 ~ /other/ { print $3 }' | sort -u >i2
it "each template instance has sites of its own" test "$(wc -l <i1)" = 4
it "the same instance in two units has the same ones" test "$(comm -12 i1 i2 | wc -l)" = 2
sites t1.o >t
it "names are printable" grep -q 'box<int>::f' t

cat >m.c <<'X'
#include <stdlib.h>
#include <string.h>
struct in { short x, y; };
struct stat { long rx, tx; struct in deep[3]; };
struct stat all[4], one;
static long plain;
int *maker(int n, struct stat **out)
{
	struct stat *p = malloc(sizeof(*p)), *q = calloc(4, sizeof(struct stat));
	int *r = malloc(n * sizeof(int));

	out[0] = p; out[1] = q;
	p->tx = n; q[n].deep[1].y = 3; all[n].rx++; one.deep[n].x = 1; plain += n;
	__atomic_fetch_add(&all[1].tx, 1, __ATOMIC_RELAXED);
	memset(&p->rx, 0, 8);
	return r;
}
X
for o in -O0 -O2 "-O2 -flto -ffat-lto-objects"; do
	probed gcc $o -c m.c -o m.o
	sites m.o >t
	it "$o: fields of heap, array, nested and global objects are named" sh -c "
		grep -q '	p->tx	struct stat	tx	8	' t && grep -q 'q\[\].deep\[\].y	struct stat	deep\[\].y	18	' t &&
		grep -q 'all\[\].rx	struct stat	rx	0	' t && grep -q 'one.deep\[\].x	struct stat	deep\[\].x	16	' t &&
		grep -q 'plain	-	-	-	' t && grep -q '^M.*	A	8	.*	all\[\].tx	struct stat	tx	8	' t"
	it "$o: allocations have a type, types a layout" sh -c "
		grep -c '^A	.*	struct stat	32' t | grep -qx 2 && grep -q '^A	.*	int	4' t &&
		grep -q '^T	struct stat	32	rx:0:8	tx:8:8	deep:16:12' t && grep -q '^G	all	struct stat	128	' t"
done
probed gcc -O2 -flto -shared -fPIC m.c -o m.so
sites m.so >t
it "fields, types and layouts survive LTO" sh -c "
	grep -q 'q\[\].deep\[\].y	struct stat	deep\[\].y	18	' t && grep -q '^T	struct stat	32	rx:0:8	tx:8:8' t && grep -q '^A	.*	struct stat	32' t"
finish
