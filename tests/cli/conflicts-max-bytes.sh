#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus conflicts --plan --max-bytes: of two findings the one whose layout is small fits, the one that makes 64
# elements larger does not; what a plan has already counts, too.
. tests/lib.sh
prices=$(pwd)/tests/sharing/platform.yaml inc=$(pwd)/tests/cli/conflicts/plan.inc
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "layouts within bytes" "one core only"; finish; exit; }
. "$inc"
cat >two.c <<'X'
#include "crew.h"
struct stats { volatile long rx, tx; };
static struct stats stats __attribute__((aligned(64)));
struct worker { volatile long done; int kind; };
static struct worker *w;
static void first(long n) { stats.rx += n; w[0].done += n; }
static void second(long n) { stats.tx += n; w[1].done += n; }
int main(void) { w = calloc(64, sizeof(*w)); crew(); printf("%ld %ld\n", stats.rx + w[0].done, stats.tx + w[1].done); return 0; }
X
it "a program of two findings" perseus build -- gcc -std=gnu11 -g -O1 -o two two.c -pthread
found two 'stats.*' && grep -q 'false-sharing worker' two.said || { skip "layouts within bytes" "machine busy: one of the findings was not seen"; finish; exit; }
# layouts [OPTION...]: the plan two.yaml anew; the bytes of its layouts
layouts() { perseus conflicts --all -p "$prices" --plan=two.yaml "$@" two.run >"$T/out" 2>"$T/err"; }
bytes() { awk '/^    bytes: /{ s += $2 } END { print s + 0 }' two.yaml; }
exits 0 "both, without a limit" layouts
it "... are two layouts" test "$(grep -c '^  - kind: ' two.yaml)" = 2
all=$(bytes)
it "... of more than 1,000 bytes" test "$all" -gt 1000
rm two.yaml
exits 0 "within their bytes" layouts --max-bytes="$all"
it "... both fit" test "$(bytes)" = "$all"
silent 'left out' "... and none is left out" "$T/err"
rm two.yaml
exits 0 "within a byte less" layouts --max-bytes=$((all - 1))
it "... the small one fits" grep -q 'field: .*tx' two.yaml
it "... alone" test "$(grep -c '^  - kind: ' two.yaml)" = 1
says "share-[0-9]+ worker.* is left out: with it the layouts take $all bytes more, above --max-bytes=$((all - 1))" "... and the other one is named" "$T/err"
cp two.yaml small.yaml
exits 0 "what the plan has counts" layouts --max-bytes=$((all - 1))
it "... and it is kept" cmp two.yaml small.yaml
rm two.yaml
exits 6 "none fits into a byte" layouts --max-bytes=1
says 'no layout fits --max-bytes' "... which is said" "$T/err"
it "... and no file is written" test ! -e two.yaml
exits 2 "a limit of no plan" perseus conflicts --max-bytes=100 two.run
exits 2 "a limit that is none" perseus conflicts --plan=two.yaml --max-bytes=0 two.run
finish
