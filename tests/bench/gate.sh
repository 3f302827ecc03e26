#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus gate on real programs of some 10 ms: two identical builds, and one that does 6 % more of
# the same work (with its start a good 5 % slower), REPEATS times each (from number FIRST on, for
# those who have a quiet machine for some minutes at a time).  What the machine disturbed
# is "cannot tell": neither an alarm nor found.  And perseus diff: recordings of one build, alone and
# beside a busy loop, and of one with a function that does a fifth more.
. tests/bench/lib.sh
n=${REPEATS:-200}
first=${FIRST:-1}
load_note

cat >"$T/work.c" <<'E2'
#include <stdio.h>
#include <stdlib.h>
static __attribute__((noinline)) unsigned long work(unsigned long n)
{
	unsigned long x = 1;
	while (n--) {
		x = x * 6364136223846793005ul + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
static __attribute__((noinline)) unsigned long other(unsigned long n) { return work(n) ^ work(n / 3); }
int main(int argc, char **argv)
{
	unsigned long x = 0, n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
	for (unsigned long i = 0; i < n; i++) {
		x ^= work(1000 * PERCENT);
		x ^= other(20000);
	}
	puts(x == 1 ? "one" : "done");
	return 0;
}
E2
gcc -O2 -DPERCENT=100 -o "$T/base" "$T/work.c" && cp "$T/base" "$T/twin" && gcc -O2 -DPERCENT=108 -o "$T/slower" "$T/work.c" || exit 1
cd "$T" || exit 1
gates() {
	i=0
	while [ $i -lt "$n" ]; do
		i=$((i + 1))
		perseus gate --seed=$((first + i - 1)) --base=./base ./$1 85 2>&1
	done
}
count() { grep -c "^$2: " "$1"; }
gates twin >same
gates slower >slow
figure gate.false_alarms_percent "$(awk -v a="$(count same slower)" -v n="$n" 'BEGIN { printf "%.1f", 100 * a / n }')" 1 \
	"of $n: $(count same ok) ok, $(count same 'cannot tell') cannot tell"
told=$((n - $(count slow 'cannot tell')))
echo "gate.found_percent $(awk -v a="$(count slow slower)" -v n="$told" 'BEGIN { printf "%.1f", n ? 100 * a / n : 0 }')" >figures
at_least gate.found_percent 95 "of the $told of $n on which the machine was quiet enough; $(sed -n 's/^slower: .* takes \([0-9.]*\).*/\1/p' slow | median) median ratio"
figure gate.passed "$(count slow ok)" 0 "of $n slower programs"
figure gate.pairs "$(sed -n 's/.* \([0-9]*\) pairs; limit.*/\1/p' same slow | median)" 60 "median"

# shellcheck disable=SC2046
for p in base fifth; do
	gcc -O2 -g $(plugin_flags calls) -DPERCENT=$([ $p = base ] && echo 100 || echo 120) -o "$p" work.c || exit 1
done
record() { perseus record -o "$1" ./$2 200 >/dev/null 2>&1; }
list() { seq -s, -f "$1-%g" "$2" "$3"; }
for i in 1 2 3 4 5 6 7 8 9 10; do record one-$i base; record fifth-$i fifth; done
sh -c 'while :; do :; done' & busy=$!
for i in 1 2 3 4 5 6 7 8 9 10; do record busy-$i base; done
kill $busy
false=0
for i in 2 3 4 5 6 7 8 9 10; do
	perseus diff one-1 one-$i | head -1 | grep -q "^no difference" || false=$((false + 1))
	perseus diff busy-1 busy-$i | head -1 | grep -q "^no difference" || false=$((false + 1))
done
for c in one busy; do
	perseus diff "$(list $c 1 5)" "$(list $c 6 10)" | head -1 | grep -q "^no difference" || false=$((false + 1))
done
figure diff.false_tables "$false" 0 "of 20, recordings of one build, half of them beside a busy loop"
perseus diff "$(list one 1 10)" "$(list fifth 1 10)" >found
figure diff.fifth_slower_missed "$(head -1 found | grep -q '^slower: 1 function (work ' && echo 0 || echo 1)" 0 "ten recordings of each: $(head -1 found)"
finish_bench
