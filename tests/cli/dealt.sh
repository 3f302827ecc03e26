#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls through one pointer: their counts are exact where those inside of the callees say so.
. tests/lib.sh
cd "$T" || exit 1
cat >dealt.c <<'C'
static volatile long sum;

static __attribute__((noipa)) void add(int n)
{
	for (int i = 0; i < n; i++)
		sum = sum + i;
}

static __attribute__((noipa)) void often(void)
{
	add(10);
	sum = sum + 1;
}

static __attribute__((noipa)) void seldom(void)
{
	add(20);
	if (sum & 1)
		add(1);
	sum = sum + 2;
}

static __attribute__((noipa)) void silent(void)
{
	sum = sum + 3;
}

int main(void)
{
	unsigned long r = 1;

	for (int a = 0, b = 0, c = 0; a < 4000 || b < 2000 || c < THIRD;) {
		r = r * 6364136223846793005ul + 1442695040888963407ul;
		int k = (int)(r >> 40) % 9;
		void (*call)(void) = k < 4 ? often : k < 6 ? seldom : silent;
		int *n = k < 4 ? &a : k < 6 ? &b : &c;

		if (*n == (k < 4 ? 4000 : k < 6 ? 2000 : THIRD))
			continue;
		++*n;
		call();
	}
	return 0;
}
C
# count FUNCTION: how often it was called, as the report has it
count() { sed -n "s/.* \(~*[0-9,]\{1,\}\)  *[-<0-9].* $1 (dealt\.c:[0-9]*)\$/\1/p" out | head -n 1; }

it "calls through one pointer" gcc -O2 -DTHIRD=0 $(perseus flags) -o two dealt.c
it "are recorded" perseus record -q -o two.run ./two
it "and reported" sh -c 'perseus report --calls 20 two.run >out'
it "those of one are exact" test "$(count often)" = 4,000
it "those of the other, too" test "$(count seldom)" = 2,000

it "one more, which calls nothing" gcc -O2 -DTHIRD=3000 $(perseus flags) -o three dealt.c
it "is recorded" perseus record -q -o three.run ./three
it "and reported" sh -c 'perseus report --calls 20 three.run >out'
if grep -q '^~: exact only in sum' out; then
	for f in often seldom silent; do
		it "$f goes by samples" expr "$(count $f)" : '~'
	done
	it "in JSON" sh -c 'perseus report --json --calls 20 three.run >json'
	for f in often.4000 seldom.2000 silent.3000; do
		it "the range of ${f%.*} holds ${f#*.}" awk -v n="${f%.*}" -v true="${f#*.}" '
			/"name":/ {at = index($0, "\"" n "\"") > 0}
			at && /"calls_low":/ {low = $2 + 0}
			at && /"calls_high":/ {at = 0; held = low <= true && true <= $2 + 0}
			END {exit !held}' json
	done
else # each call was timed
	it "silent is exact" test "$(count silent)" = 3,000
fi
finish
