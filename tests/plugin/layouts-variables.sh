#!/bin/sh
# SPDX-License-Identifier: MIT
# Layouts of a plan: variables begin lines of their own and have them alone; what cannot be followed stops
# the build with its reason.
. tests/lib.sh
. tests/plugin/helpers
inc=$PWD/tests/plugin/layouts.inc
cd "$T" || exit 1
. "$inc"

cat >v.c <<'X'
#include <stdio.h>
long before = 1; long hits; long behind; static long own = 3; static long next = 4; const long fixed = 5; const long last = 6;
long list[9]; long list_next;
static unsigned long at(const void *p) { __asm__("" : "+r"(p)); return (unsigned long)p; }
static long *calls(void) { static long calls; static long more; more++; return &calls; }
int main(void)
{
	long *c = calls();
	(*c)++;
	next += own++;
	printf("%ld %ld %ld %ld %ld %ld %ld %ld %zu\n", before, ++hits, ++behind, own, next, fixed + last, ++list[8], ++list_next, sizeof(list));
	return at(&hits) % 64 + at(&own) % 64 + at(&fixed) % 64 + at(c) % 64 + at(list) % 128 ? 3 : 0;
}
X
V="layout variable hits - v.c 2 64 8 64|layout variable own v.c v.c 2 64 8 64|layout variable fixed - v.c 2 64 8 64|layout variable calls v.c v.c 5 64 8 64|layout variable list - v.c 3 128 72 128"
echo "$V" | tr '|' '\n' >lines
{ printf 'perseus-triggers 2\nplan %s\n' "$H"; cat lines; } | ./seal >p.plan
# alone PROGRAM NAME BYTES: no other symbol of data lies in the BYTES from NAME on
alone() {
	nm "$1" | grep -i ' [bdruv] ' | awk -v name="$2" -v n="$3" '
		function number(s, i, v) { for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
		{ at[$3] = number($1) }
		$3 ~ "^" name "([.][0-9.a-z_]*)?$" { own = $3 }
		END { if (own == "") { print "no " name; exit 1 }
			for (s in at) if (s != own && at[s] >= at[own] && at[s] < at[own] + n && s !~ /^(_end|__bss_start|_edata|__TMC_END__)$/) { print s; exit 1 } }'
}
crowded() { ! alone "$@"; }
gcc -O2 v.c -o plain; ./plain >want
for v in hits own fixed calls; do it "the plain program's $v has neighbours" crowded plain $v 64; done
for o in -O0 "-O2 -flto" "-O2 -fdata-sections -Wl,--gc-sections" "-O2 -g -fPIC -fno-toplevel-reorder"; do
	it "variables, $o: builds" gcc -w $o $P v.c -o planned
	exits 0 "... each begins a line" ./planned
	it "... with the same output" cmp "$T/out" want
	for v in hits own fixed calls; do it "... $v has its line alone" alone planned $v 64; done
	it "... list has two" alone planned list 128
done
cat >v.cc <<'X'
#include <cstdio>
namespace app { long hits; long near; struct table { static long n; static long m; }; long table::n = 1; long table::m = 2;
inline long shared_one = 7; template <class T> struct per { static T count; static T rest; }; template <class T> T per<T>::count = 3; template <class T> T per<T>::rest; }
static unsigned long at(const void *p) { __asm__("" : "+r"(p)); return (unsigned long)p; }
int main() { app::per<long>::rest++; std::printf("%ld %ld %ld %ld %ld\n", ++app::hits, ++app::near, ++app::table::n, ++app::shared_one, ++app::per<long>::count); return app::table::m != 2 || at(&app::hits) % 64 + at(&app::table::n) % 64 + at(&app::shared_one) % 64 + at(&app::per<long>::count) % 64 ? 3 : 0; }
X
plan "layout variable app::hits - v.cc 2 64 8 64" "layout variable app::table::n - v.cc 2 64 8 64" "layout variable app::shared_one - v.cc 3 64 8 64" "layout variable app::per<long>::count - v.cc 3 64 8 64"
g++ -std=c++17 -O2 v.cc -o plain && ./plain >want
for o in -O0 "-O2 -flto"; do
	it "C++ variables, $o: builds" g++ -std=c++17 -w $o $P v.cc -o planned
	exits 0 "... each begins a line" ./planned
	it "... with the same output" cmp "$T/out" want
	for v in _ZN3app4hitsE _ZN3app5table1nE _ZN3app10shared_oneE _ZN3app3perIlE5countE; do
		it "... $v has its line alone" alone planned $v 64
	done
done
cat >t.c <<'X'
extern long elsewhere;
__thread long own;
long placed __attribute__((section("here"))) = 1;
long target; extern long other __attribute__((alias("target")));
int f(int n) { int v = n; return v + (int)elsewhere + (int)own; }
long common;
X
refused "a declaration" "it is not defined here" gcc -- "layout variable elsewhere - t.c 1 64 8 64"
refused "one of each thread" "each thread has one" gcc -- "layout variable own - t.c 2 64 8 64"
refused "one in a section" "the source puts it into a section" gcc -- "layout variable placed - t.c 3 64 8 64"
refused "another name of one" "it is another name|not defined here" gcc -- "layout variable other - t.c 4 64 8 64"
refused "one on a stack" "it lies on a stack" gcc -- "layout variable v - t.c 5 64 4 64"
refused "a common one" "it is common" gcc -fcommon -- "layout variable common - t.c 6 64 8 64"
refused "one of another size" "it has 8 bytes, the plan says 4" gcc -- "layout variable common - t.c 6 64 4 64"
refused "one that takes more" "with it 64 bytes are taken, the plan says 128" gcc -- "layout variable common - t.c 6 64 8 128"
refused "one that is gone" "defines no such variable" gcc -- "layout variable gone - t.c 6 64 8 64"
refused "a static one that is gone" "defines no such variable" gcc -- "layout variable gone t.c t.c 6 64 8 64"
plan "layout variable common - t.c 6 64 8 64"
exits 0 "the twin: one that is there" gcc -w $P -c t.c -o t.o
plan "layout variable common other.c t.c 6 64 8 64"
gcc -w -c t.c -o plain.o
exits 0 "one of another unit" gcc -w $P -c t.c -o t.o
it "... is left alone" cmp plain.o t.o

# ---- a unit by another path -------------------------------------------------------------
mkdir -p far/other
printf 'static long own; long *get(void); long *get(void) { return &own; }\n' >far/a.c
printf 'static long own;\n' >far/both.h
for u in b c; do printf '#include "both.h"\nlong *get_%s(void); long *get_%s(void) { return &own; }\n' $u $u >far/$u.c; done
# planned_own UNIT: the object has a section for a variable with a line of its own
planned_own() { it "$1" sh -c 'readelf -SW t.o | grep -q "[.]bss[.]own"'; }
plan "layout variable own far/a.c far/a.c 1 64 8 64"
here=$PWD
for u in far/a.c "$here/far/a.c" ./far/../far/a.c; do
	exits 0 "a static variable's unit as ${u#"$here"}" gcc -w $P -c "$u" -o t.o
	planned_own "... is aligned"
done
exits 0 "... as ../a.c" sh -c "cd far/other && gcc -w $(echo "$P" | sed "s,=p.plan,=../../p.plan,") -c ../a.c -o ../../t.o"
planned_own "... is aligned"
cp far/a.c far/other/a.c
plain=$(gcc -w -c far/other/a.c -o plain.o && sha256sum <plain.o)
exits 0 "the twin: a unit of that name in another folder" gcc -w $P -c far/other/a.c -o t.o
it "... is left alone" test "$plain" = "$(sha256sum <t.o)"
plan "layout variable own far/b.c far/both.h 1 64 8 64" "layout variable own far/c.c far/both.h 1 64 8 64"
for u in b c; do
	exits 0 "a header's static variable, planned for two units: far/$u.c" gcc -w $P -c far/$u.c -o t.o
	planned_own "... is aligned"
	it "... and listed for it" sh -c "readelf -p .perseus.layouts t.o | grep -q 'own far/$u.c far/both.h.* far/$u.c'"
done

finish
