#!/bin/sh
# SPDX-License-Identifier: MIT
# A plan that gives every global of a program lines of its own changes nothing that the program does.
. tests/lib.sh
. tests/plugin/helpers
inc=$PWD/tests/plugin/layouts.inc root=$PWD
cd "$T" || exit 1
. "$inc"

cat >many.c <<'X'
#include <stdio.h>
#include <string.h>
struct node { struct node *next; int n; };
extern struct node ring[3];
struct node first = {&ring[1], 1}; struct node ring[3] = {{&first, 2}, {&ring[2], 3}, {&ring[0], 4}};
static int twice(int n) { return 2 * n; }
static int (*const table[])(int) = {twice, twice}; int (*chosen)(int) = twice;
const char *const words[] = {"one", "two"}; static const char text[] = "text"; char buffer[100];
long zero = 0; double real = 1.5; __attribute__((weak)) int weak = 7; __attribute__((visibility("hidden"))) int hidden = 8;
_Alignas(256) char wide[3] = {1, 2, 3}; volatile int vol; _Bool flag = 1; static char odd[7]; struct { int : 0; } nothing;
int *where = &hidden; static struct { struct node node; char c; } nested = {.c = 'c'}; static long unused = 4; int tentative; int tentative;
__thread int own = 5; enum { BIG = 100000 }; static unsigned char big[BIG]; static int local(void) { static int n = 3; static int m; return n++ + m++; }
int main(void)
{
	int sum = 0;
	const struct node *p = &first;
	for (int i = 0; i < 9; i++, p = p->next) sum = 3 * sum + p->n;
	memset(buffer, 'x', 99); big[sum % BIG] = 3; odd[3]++; vol += sum; tentative++; zero--; flag = !flag; nested.node.n = local() + local();
	printf("%d %d %s %s %s %ld %g %d %d %d %zu %d %d %d %d %d %zu\n", sum, table[1](vol) + chosen(3), words[1], text, buffer, zero, real, weak, hidden,
	       *where + flag + odd[3], sizeof(buffer), nested.node.n + nested.c, tentative, own, big[sum % BIG], wide[2], strlen(text));
	return 9;
}
X
# every: all.plan gives each variable of all.o's site table 128 bytes or a multiple; not what each thread has
every() {
	readelf -sW all.o | awk '$4 == "TLS" { print $8 }' >tls
	sites all.o | awk -F'\t' -v hash="$H" '
		FILENAME == "tls" { tls[$1]; next }
		$1 == "U" { print "perseus-triggers 2"; print "plan " hash }
		$1 == "F" { path[$2] = $3 }
		$1 == "G" && $4 > 0 && !($2 in tls) { name = $2; sub(/[.].*/, "", name); print "layout variable " name " - " path[$5] " " $6 " 128 " $4 " " int(($4 + 127) / 128) * 128 }' tls - | ./seal >all.plan
	test "$(grep -c '^layout' all.plan)" -gt 2
}
for f in many.c "$root"/tests/plugin/programs/values.c "$root"/tests/sharing/programs/reverse-index.c; do
	name=${f##*/}
	gcc -w -O1 -pthread -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=memory -c "$f" -o all.o
	it "all of $name: a plan of each" every
	for o in -O0 -O2 -O3 "-O2 -flto" "-O2 -fPIC -fdata-sections" "-O2 -fno-toplevel-reorder" "-O1 -fsanitize=address"; do
		gcc -w $o -pthread "$f" -o plain && ./plain >want 2>&1
		status=$?
		it "all of $name, $o: builds" gcc -w $o -pthread -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=all.plan "$f" -o planned
		./planned >got 2>&1
		it "... does the same" sh -c "test $? = $status && cmp got want"
	done
	it "all of $name: something lies elsewhere" sh -c "nm plain | sort >1; nm planned | sort >2; ! cmp -s 1 2"
done
finish
