#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus conflicts --guard: what was found is written for the compiler, which warns of the source as it is, and
# not of the same source once it is mended.
. tests/lib.sh
prices=$(pwd)/tests/sharing/platform.yaml inc=$(pwd)/tests/cli/conflicts/plan.inc
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "guards of findings" "one core only"; finish; exit; }
. "$inc"
cat >field.c <<'X'
#include "crew.h"
struct stats { volatile long rx, tx; };
static struct stats stats __attribute__((aligned(64)));
static void first(long n) { stats.rx += n; }
static void second(long n) { stats.tx += n; }
int main(void) { crew(); printf("%ld %ld\n", stats.rx, stats.tx); return 0; }
X
cat >array.c <<'X'
#include "crew.h"
struct worker { volatile long done; int kind; };
static struct worker *w;
static void first(long n) { w[0].done += n; }
static void second(long n) { w[1].done += n; }
int main(void) { w = aligned_alloc(64, 1024); w[0].done = w[1].done = 0; crew(); printf("%ld %ld\n", w[0].done, w[1].done); return 0; }
X
cat >global.c <<'X'
#include "crew.h"
volatile long hits __attribute__((aligned(16))) = 1;
static volatile long misses = 1;
static void first(long n) { hits += n; }
static void second(long n) { misses += n; }
int main(void) { crew(); printf("%ld %ld\n", hits, misses); return 0; }
X
cat >numbers.c <<'X'
#include "crew.h"
static volatile long counters[8];
static void first(long n) { counters[0] += n; }
static void second(long n) { counters[1] += n; }
int main(void) { crew(); printf("%ld %ld\n", counters[0], counters[1]); return 0; }
X
cat >bytes.c <<'X'
#include "crew.h"
static volatile long *b;
static void first(long n) { b[0] += n; }
static void second(long n) { b[1] += n; }
int main(void) { b = calloc(8, 8); crew(); printf("%ld %ld\n", b[0], b[1]); return 0; }
X
# compiled SOURCE: by the guard
compiled() { sh -c "gcc -std=gnu11 -O1 $(perseus flags --guard=all.guard) -c -o out.o $1"; }
# guarded NAME PATTERN GUARD WARNING SED: the finding is in the guard, its source is warned of, and not once SED mended it
guarded() {
	exits 0 "$1: with probes" perseus build -- gcc -std=gnu11 -g -O1 -o "$1" "$1.c" -pthread
	found "$1" "$2" || return
	exits 0 "... is written into the guard" perseus conflicts -p "$prices" --guard=all.guard "$1.run" $(sed -n 's/^\(share-[0-9]*\) false-sharing .*/\1/p' "$1.said")
	it "... as it is" grep -Eq "$3" all.guard
	exits 0 "... the source is compiled with it" compiled "$1.c"
	says "$1.c:[0-9]+:.*warning: perseus: $4" "... and warned of"
	mkdir -p mended && cp crew.h mended && sed "$5" "$1.c" >"mended/$1.c"
	exits 0 "... mended" compiled "mended/$1.c"
	it "... it is not" test ! -s "$T/err"
}
guarded field 'stats' '^members struct%20stats 64 share-[0-9]{6}$' '.rx. \(used by .*share a line' 's/long rx, tx/long rx; _Alignas(64) volatile long tx/'
guarded array '(worker|w)' '^elements struct%20worker 64 share-' '.done. of an element' 's/{ volatile/{ _Alignas(64) volatile/'
guarded global '(hits|misses)' '^variables 64 share-' '.*may lie on one line' 's/aligned(16)/aligned(64)/; s/misses = 1/misses __attribute__((aligned(64))) = 1/'
guarded numbers 'counters' '^array counters numbers.c 64 share-' 'elements of .counters. have 8' 's/static volatile long counters.8./static struct { _Alignas(64) long n; } volatile counters[8]/; s/\(counters.[01].\)/\1.n/g'

# the file is kept, and extended
if [ -s all.guard ]; then
	cp all.guard before
	perseus conflicts --all -p "$prices" --guard=all.guard field.run >"$T/out" 2>"$T/err"
	says "all.guard': 0 new, 0 changed" "what is there is not written twice"
	sed -i '2a # reviewed\n' all.guard && cp all.guard before
	perseus conflicts --all -p "$prices" --guard=all.guard field.run >"$T/out" 2>"$T/err"
	it "what people wrote into it stays" cmp all.guard before
	id=$(sed -n 's/^members struct%20stats 64 //p' all.guard)
	printf 'perseus-guard 1\nignore %s\n' "$id" >none.guard
	perseus conflicts -p "$prices" --guard=none.guard field.run "$id" >"$T/out" 2>"$T/err"
	says "$id .* is left out: the file says to ignore it" "what nobody wants is not written again"
	it "... the file has the same" cmp all.guard before
	it "all findings are in one file" sh -c "[ \$(grep -c share- all.guard) -ge \$(ls -d *.run | wc -l) ]"
	perseus conflicts --all -p "$prices" --guard=- field.run >"$T/out" 2>"$T/err"
	says '^members struct%20stats' "'-' is stdout"
	silent 'false-sharing' "... and nothing else"
	cp field.c other
	exits 4 "a file of something else" perseus conflicts -p "$prices" --guard=other field.run
	says "'other' is kept" "... is kept"
	it "... as it is" cmp field.c other
	ln all.guard second
	exits 4 "a file with two names" perseus conflicts -p "$prices" --guard=second field.run
	rm second
fi
[ ! -s all.guard ] || {
	exits 0 "a build with the guard" perseus build --guard=all.guard -- gcc -std=gnu11 -O1 -c -o out.o field.c
	says "perseus build: built 1 unit with the guard" "... says that it has no probes"
}
exits 2 "flags for a file that is no guard" perseus flags --guard=field.c
says "'field.c' is no guard file" "... are not printed"
: >empty
exits 2 "... or is empty" perseus flags --guard=empty
# what no source declares
exits 0 "a block of numbers" perseus build -- gcc -std=gnu11 -g -O1 -o bytes bytes.c -pthread
if found bytes '.*'; then
	exits 6 "... cannot be guarded" perseus conflicts --all -p "$prices" --guard=no.guard bytes.run
	says "is left out: a guard has lines for" "... which it says"
	it "... and writes no file" test ! -e no.guard
fi
finish
