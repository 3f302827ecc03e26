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
		grep -q '^T	struct stat	32	rx:0:8	tx:8:8	deep\[3\]:16:12	deep\[3\].x:16:2' t && grep -q '^G	all	struct stat	128	' t"
done
probed gcc -O2 -flto -shared -fPIC m.c -o m.so
sites m.so >t
it "fields, types and layouts survive LTO" sh -c "
	grep -q 'q\[\].deep\[\].y	struct stat	deep\[\].y	18	' t && grep -q '^T	struct stat	32	rx:0:8	tx:8:8' t && grep -q '^A	.*	struct stat	32' t"

# ---- what the optimiser makes of a function keeps the names of its calls ----
cat >clones.c <<'X'
int other(int), last(int);
__attribute__((noinline)) static int constant(int x, int mode)
{
	if (mode == 3)
		return other(x) * 2;
	return other(x + 1) + last(mode);
}
struct wide { int a, b, c, d; };
__attribute__((noinline)) static int scalar(struct wide *w) { return other(w->a) + other(w->b); }
static int __attribute__((noinline)) split(int n)
{
	if (n < 10)
		return n;
	for (int i = 0; i < n; i++)
		if (other(i) == last(n))
			return i;
	return other(n);
}
int unrolled(void)
{
	int s = 0;

#pragma GCC unroll 4
	for (int i = 0; i < 4; i++)
		s += last(i) * i;
	return s;
}
int use(int n)
{
	struct wide w = { n, n + 1, 3, 4 };

	if (other(n))
		return constant(n, 3) + scalar(&w) + split(n) + split(n + 1);
	return constant(n + 2, 3) + constant(7, 4);
}
X
: >clone-names
for o in -O0 -O1 -O2 "-O3 -fipa-cp-clone" -Os; do
	probed gcc $o -c clones.c -o c.o
	ids c.o >"cl${o%% *}"
	nm c.o | sed -n 's/.* [tT] //p' >>clone-names
done
it "clones were made of the functions" grep -Eq 'constprop|isra|part' clone-names
for o in -O1 -O2 -O3 -Os; do
	it "clones: $o names no call that -O0 does not know" sh -c "comm -13 cl-O0 cl$o | awk 'END { exit NR > 0 }'"
	it "clones: $o has nearly all of them" sh -c "test \$(comm -12 cl-O0 cl$o | wc -l) -ge 10"
done
probed gcc -O3 -c clones.c -o c.o
gcc -w -O3 -S clones.c -o c.s
sites c.o >t
copies=$(awk '/^unrolled:/ { f = 1 } /\.cfi_endproc/ { f = 0 } f && /(call|jmp).*last/ { n++ } END { print n + 0 }' c.s)
n=$(awk -F'\t' '$1 == "N" && $3 == "unrolled" { print $2 }' t)
slots=$(awk -F'\t' -v n="$n" '$1 == "C" && $5 == n { k++ } END { print k + 0 }' t)
it "the copies of an unrolled call are one site and one slot ($copies copies)" test "$copies $slots" = "4 1"

it "a part of a function is called from the function's line, not from line 0" sh -c "! awk -F'\t' '\$1 == \"C\" && \$8 == 0 { bad = 1 } END { exit !bad }' t"

# ---- calls inside each other's arguments: GCC gives all of them the place of the outermost ----
cat >nest.c <<'X'
int g(int), other(int);
int three(int x) { return g(g(g(x))); }
int loop(int x) { for (int i = 0; i < 4; i++) x = g(g(x)); return x; }
int apart(int x) { return g(other(g(x))) + g(other(x)); }
X
for o in -O0 -O2 "-O3 -funroll-all-loops"; do
	probed gcc $o -c nest.c -o n.o
	ids n.o >"nest${o%% *}"
	it "nested calls, $o: each of 3, 2, 3 and 2 has an id" test "$(wc -l <"nest${o%% *}")" = 10
	it "... and it is the same as at -O0" cmp nest-O0 "nest${o%% *}"
done
printf 'int g(int x) { return x + 1; }\nint other(int x) { return x * 2; }\nint three(int), loop(int), apart(int);\nint main(void) { return three(1) + loop(2) + apart(3); }\n' >nestmain.c
probed gcc -O1 -fno-inline -flto nest.c nestmain.c -o nestlto
ids nestlto >got
it "... and under -flto" sh -c "test \$(comm -12 nest-O0 got | wc -l) = 10"

# ---- edits: blank lines anywhere, another call somewhere else ----
mkdir -p e
awk '{ print } /^[{}]/ { print ""; print "/* a comment */"; print "" }' clones.c >e/clones.c
(cd e && probed gcc -O2 -c clones.c -o e.o)
ids e/e.o >got
it "blank lines and comments between statements change no id" cmp cl-O2 got
sed 's,^	int s = 0;,	int s = absent(3);,; s,^int other,int absent(int); int other,' clones.c >e/clones.c
(cd e && probed gcc -O2 -c clones.c -o e.o)
ids e/e.o >got
it "a new call to another function changes no id, and adds one" sh -c "test \$(comm -13 cl-O2 got | wc -l) = 1 && test \$(comm -23 cl-O2 got | wc -l) = 0"
sed 's,^		return other(x) \* 2;,		return other(x) * other(5);,' clones.c >e/clones.c
(cd e && probed gcc -O0 -c clones.c -o e.o)
ids e/e.o >got
it "a new call to the same function shifts the ordinals of that pair only" sh -c "test \$(comm -13 cl-O0 got | wc -l) = 1 && test \$(comm -23 cl-O0 got | wc -l) = 0"

# ---- C++: lambdas, constructors, destructors, operators, initialisers ----
cat >d.cc <<'X'
extern "C" int work(int);
struct base { int n; __attribute__((noinline)) base(int i) : n(work(i)) {} __attribute__((noinline)) virtual ~base() { work(n); } };
struct more : virtual base { more(int i) : base(i) { work(i + 1); } ~more() { work(3); } };
template <class F> __attribute__((noinline)) int twice(F f) { return f(1) + f(2); }
int operator+(const base &a, int b) { return work(a.n) + work(b); }
int run(int k)
{
	more m(k);
	base b(k);
	auto one = [=](int x) { return work(x + k); };
	auto two = [&](int x) { return work(x) + work(m.n); };

	return twice(one) + twice(two) + (b + 3);
}
static base early(4);
static int number = work(9);
int get() { static base late(5); return late.n + number; }
X
for o in -O0 -O2 "-O2 -flto -ffat-lto-objects"; do
	probed g++ $o -c d.cc -o d.o
	ids d.o >"d${o##* }"
	sites d.o >"t${o##* }"
done
# One is known to be nameless: where a deleting destructor is inlined into its thunk, what
# was inlined into the destructor has lost the BLOCK that says whose it is.
it "C++: -O2 names no call that -O0 does not know, but that of a deleting destructor's thunk" sh -c "comm -13 d-O0 d-O2 | awk 'END { exit NR > 1 }'"
it "C++: a thunk's calls are those of the function that it holds" sh -c "! grep -q '^N	.*_ZT[hvc]' t-O2"
it "C++: with -flto the same" cmp d-O2 d-ffat-lto-objects
# held NAME-REGEX: calls to work() whose source function is that
held() { awk -F'\t' -v f="$1" '$1 == "N" && $3 ~ f { fn[$2] } $1 == "C" && ($5 in fn) && $6 == "work" { k++ } END { print k + 0 }' t-O2; }
for f in '^_ZN4baseC[12]Ei$' '^_ZN4baseD[12]Ev$' '^_ZN4moreC[1-4]Ei$' '^_ZN4moreD[1-4]Ev$'; do
	it "the call in $f has a site of its own wherever it is inlined" test "$(held "$f")" -ge 1
done
it "two lambdas of one function are functions of their own" sh -c "
	test \$(awk -F'\t' '\$1 == \"N\" && \$3 ~ /UliE/ && \$3 ~ /run/ { print \$3 }' t-O0 | sort -u | wc -l) -ge 2"
it "no site is without an id" sh -c "! awk -F'\t' '\$1 == \"C\" && \$3 !~ /^[0-9a-f]{16}\$/' t-O0 t-O2 | grep -q ."
{ printf '\n\n\n\n\n\n\n\n\n\n'; cat d.cc; } >e/d.cc
(cd e && probed g++ -O2 -c d.cc -o d.o)
calls e/d.o >got
probed g++ -O2 -c d.cc -o d.o
calls d.o >want
it "C++: ten lines above change neither id nor instance" cmp want got

# ---- old C, and one source under two paths ----
cat >k.c <<'X'
extern int g();
f(a, b) int a; char *b; { return g(a) + g(b, a) + h(1); }
h(x) { return g(x); }
X
for o in -O0 -O3; do
	probed gcc -std=gnu89 $o -c k.c -o k.o
	ids k.o >k$o
done
it "K&R: four calls, four ids, at every level" sh -c "test \$(wc -l <k-O0) = 4 && comm -13 k-O0 k-O3 | awk 'END { exit NR > 0 }'"
mkdir -p p1 p2 && cp a.c p1 && cp a.c p2
for d in p1 p2; do (cd $d && probed gcc -O2 -ffile-prefix-map="$PWD=." -c "$PWD/a.c" -o ../$d.o); done
ids p1.o >i1
ids p2.o >i2
it "one source under two paths that are mapped away has the same ids" cmp i1 i2
probed gcc -O2 -c p1/a.c -o p1.o
probed gcc -O2 -c p2/a.c -o p2.o
ids p1.o >i1
ids p2.o >i2
it "static functions of units with different paths differ, public ones do not" sh -c "comm -12 i1 i2 | grep -q . && comm -13 i1 i2 | grep -q ."
# ---- C++: what a type is called ----
cat >n.cc <<'X'
typedef struct { int a, b; } both;
template <class T> struct box { T v; };
namespace ns { typedef struct { long c; } third; struct named { long z; }; typedef named alias; }
void each(both *b, box<int> *x, ns::third *t, ns::alias *n)
{
	for (int i = 0; i < 100; i++) { b[i].b++; x[i].v++; t[i].c++; n[i].z++; }
}
X
g++ -O1 -fplugin="$PLUGIN" -c n.cc -o n.o
sites n.o | awk -F'\t' '$1 == "M" { print $12 }' | sort -u >got
printf '%s\n' both 'box<int>' ns::named ns::third >want
it "a typedef of a nameless struct is called by its name, once" diff want got
finish
