#!/bin/sh
# SPDX-License-Identifier: MIT
# A load that the compiler moves out of the function it is written in is that function's.
. tests/lib.sh
. tests/compiler.sh
cd "$T" || exit 1
cat >moved.c <<'E2'
extern void stop(void);
extern int take(int);
static __attribute__((noinline)) long part(const unsigned char *p, long x)
{
	return x + *p; /* LOADED */
}
long whole(unsigned char (*all)[3], const int *q)
{
	long x = 0;
	for (long i = 0; i < 2000; i++) {
		x = part(&all[1][i % 3], x);
		stop();
	}
	return x + take(*q); /* OWN */
}
E2
line() { grep -n "$1" moved.c | cut -d: -f1; }
it "it builds" gcc -Os -g -fplugin="$PLUGIN" -c -o moved.o moved.c
nm moved.o >names
grep -q 'part\.isra' names || { skip "moved loads" "this compiler moves none"; finish; }
grep -a '^M	' moved.o | tr '\t' ' ' >sites
says "^M [0-9]+ [0-9a-f]+ [0-9a-f]+ [0-9]+ L 1 [0-9]+ $(line LOADED) " "the load in front of the call is the callee's" sites
says "^M [0-9]+ [0-9a-f]+ [0-9a-f]+ [0-9]+ L 4 [0-9]+ $(line OWN) " "what the caller loads for a call is its own" sites
finish
