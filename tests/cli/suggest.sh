#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus sites --suggest: from a run to rules that keep the budget, to a build that does.
. tests/lib.sh
cat >"$T/hot.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define KEEP __attribute__((noipa))
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
KEEP static long leaf(long x) { return x * 3 + 1; }
KEEP static long other(long x) { return x ^ 5; }
KEEP static long heavy(long n)
{
	long x = n;

	for (int i = 0; i < 100000; i++)
		x = (x * 1103515245 + 12345) & 0x7fffffff;
	return x;
}
KEEP static long work(long rounds)
{
	long x = 1;

	for (long i = 0; i < rounds; i++)
		x = leaf(x & 0xffff) + (i % 4 ? 0 : other(x));
	return x;
}
static void *thread(void *arg)
{
	long *sum = arg;

	for (int i = 0; i < 300; i++) {
		char *p = malloc(32);

		p[0] = 1;
		*sum += work(30000) + heavy(i) + p[0];
		free(p);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}
int main(void)
{
	pthread_t t;
	long a = 0, b = 0;

	pthread_create(&t, NULL, thread, &a);
	thread(&b);
	pthread_join(t, NULL);
	printf("%ld\n", (a + b) & 0xff);
	return a != b;
}
C
P="-O2 -pthread -fplugin=$PLUGIN -fplugin-arg-perseus-probe=calls"
cd "$T" || exit 1
it "a program with hot short calls" gcc $P hot.c -o hot
exits 0 "it is recorded" perseus record -o run -- ./hot
says 'perseus sites --suggest (@last|run) -o perseus.rules' "record names the remedy for dear probes"
before=$(sed -n 's/.*whose probes take \([0-9.]*\) %.*/\1/p' err)

exits 0 "suggest keeps the budget" perseus sites --suggest run -o perseus.rules
says "probes take [0-9.]+ % of thread time .*budget is 3 %" "... says what probes take"
says "leave out [0-9]+ of [0-9]+ call sites: [0-9.]+ %, and [0-9.]+ % of the attributed time stays" "... and what remains"
hash=$(sed -n 's/.*-fplugin-arg-perseus-rules-hash=//p' out)
it "... and prints the flags, with the file's hash" test "$hash" = "$(sha256sum perseus.rules | cut -d' ' -f1)"
says "^call [0-9a-f]{16} [0-9]+ [0-9]+ [0-9.]+ [0-9.]+ hot.c hot.c:[0-9]+ work leaf .*short" "the hot short call is left out, with its counts and the reason" perseus.rules
for name in pthread_create pthread_join pthread_mutex_lock malloc free heavy; do
	silent " $name [a-z,-]+\$" "$name stays" perseus.rules
done
it "the promise leaves room below the budget" awk '$1 == "after" { good = $2 <= 2.7 } END { exit !good }' perseus.rules
it "... and the head tells before and after" awk -v want="$before" '$1 == "before" { good = $2 - want < 0.1 && want - $2 < 0.1 } END { exit !good }' perseus.rules
perseus sites --suggest run -o again.rules >/dev/null
it "the same run gives the same bytes" cmp perseus.rules again.rules
exits 0 "without -o the rules go to stdout" perseus sites --suggest run
it "... the same" cmp out perseus.rules
says "leave out" "... and the words to stderr" err

it "the plugin takes the rules" gcc $P -Werror -fplugin-arg-perseus-rules=perseus.rules -fplugin-arg-perseus-rules-hash="$hash" hot.c -o ruled
perseus sites --skipped ruled >skipped
says "^skipped [0-9]+ calls?: rules" "what they leave out is listed" skipped
exits 0 "the program with rules is recorded" perseus record -o run2 -- ./ruled
says "sites left out by attributes, select=, skip= or rules=|site left out by" "... record says that sites are left out"
after=$(sed -n 's/.*whose probes take \([0-9.]*\) %.*/\1/p' err) # below the limit they are not worth a word
it "the overhead falls to about the promise ($before -> $after %)" awk -v b="$before" -v a="${after:-0}" 'BEGIN { exit !(b > 3 && a < b / 2 && a < 4.5) }'
exits 0 "it is enough" perseus sites --suggest run2 --budget=5 -o more.rules
says "nothing more has to be left out" "... nothing more is left out"
rules_of() { awk '$1 == "call" { print $2 }' "$1" | sort; }
exits 0 "suggest from a run of a build with rules" perseus sites --suggest run2 --budget=50 -o more.rules
rules_of perseus.rules >first
rules_of more.rules >carried
it "... leaves out again what those rules left out" cmp first carried
says "left out before stay" "... and that is said"
says "^call [0-9a-f]{16} 0 0 0 0 hot.c hot.c:[0-9]+ work leaf before\$" "... with the reason" more.rules
silent " before\$" "a build without rules has nothing of that kind" perseus.rules
mkdir "it's here"
perseus sites --suggest run2 --budget=50 -o "it's here/p.rules" >out
it "a path with a blank and a quote is printed as sh takes it" eval gcc $P "$(grep -o "'-fplugin-arg-perseus-rules=.*" out)" hot.c -o ruled3
it "... and the file is taken" gcc $P -fplugin-arg-perseus-rules=more.rules hot.c -o ruled2

sed -i 's/= leaf(x & 0xffff)/= (x \& 0xffff)/' hot.c
exits 0 "after the call has gone from the source" gcc $P -Werror -fplugin-arg-perseus-rules=perseus.rules hot.c -o stale
says "warning: perseus: 1 rule for sites that hot.c no longer has \(work -> leaf\)" "... the rule is named"

exits 1 "a budget that cannot be kept" perseus sites --suggest run --budget=0 -o zero.rules
says "cannot be kept" "... is said"
silent " pthread_create [a-z,-]+\$" "... and what names things stays all the same" zero.rules
exits 2 "--budget without --suggest" perseus sites run --budget=3
exits 2 "--suggest with --json" perseus sites run --suggest --json
for bad in x -1 101 ''; do exits 2 "--budget=$bad" perseus sites --suggest run --budget="$bad"; done
exits 4 "a run that is not there" perseus sites --suggest none
exits 3 "a file that cannot be written" perseus sites --suggest run -o /nowhere/perseus.rules
exits 0 "(a sharing run)" perseus record -q -o shared --purpose=sharing -- ./hot
exits 4 "a sharing run is refused" perseus sites --suggest shared
says "sharing run.*expected a timing run" "... with the reason"
finish
