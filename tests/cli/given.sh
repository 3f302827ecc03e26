#!/bin/sh
# SPDX-License-Identifier: MIT
# Names that a program gives its threads: the same in every command, while it runs, in its record, and of findings.
. tests/lib.sh
[ -z "$SAN" ] || { skip "names that a program gives" "the plugin is not built with a sanitizer"; finish; }
cd "$T" || exit 1
cat >given.c <<'E2'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int ms = 300;
static struct { volatile long left, right; } pair __attribute__((aligned(64)));
__attribute__((noinline)) static void count_left(int n) { for (int i = 0; i < n; i++) pair.left++; }
__attribute__((noinline)) static void count_right(int n) { for (int i = 0; i < n; i++) pair.right++; }
static void *helper(void *a) { usleep(100000); return a; }
/* The first is called rx, the second tx; what rx creates is called rx, too, and that is not its own name. */
static void *work(void *a)
{
	pthread_t t;
	int me = a != NULL;
	if (!NAMELESS)
		pthread_setname_np(pthread_self(), me ? "tx" : "rx");
	if (!me)
		pthread_create(&t, NULL, helper, NULL);
	for (int i = 0; i < 400; i++) {
		me ? count_right(20000) : count_left(20000);
		usleep(1000);
	}
	if (!me)
		pthread_join(t, NULL);
	return a;
}
static void *pool(void *a)
{
	char name[16];
	snprintf(name, sizeof(name), "pool-%ld", (long)a);
	if (!NAMELESS)
		pthread_setname_np(pthread_self(), name);
	usleep(1000 * ms);
	return a;
}
static void *same(void *a)
{
	if (!NAMELESS)
		pthread_setname_np(pthread_self(), "same");
	usleep(1000 * ms);
	return a;
}
int main(int argc, char **argv)
{
	void *(*routines[])(void *) = {work, work, pool, pool, same, same};
	pthread_t t[6];
	ms = argc > 1 ? atoi(argv[1]) : ms;
	for (long i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, routines[i], (void *)(i % 2 + (i > 1 ? i : 0)));
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	return 0;
}
E2
build() { gcc -O1 -g -DNAMELESS=$2 -fplugin="$PLUGIN" -o "$1" given.c -pthread; }
it "a program that calls its threads builds" build given 0
it "... and its twin, that does not" build plain 1
of() { /usr/bin/python3 -c "
import json, sys
seen = set()
def walk(x, key):
    if isinstance(x, dict):
        for k, v in x.items():
            if k == key and isinstance(v, str):
                seen.add(v)
            walk(v, key)
    elif isinstance(x, list):
        for v in x:
            walk(v, key)
text, at, d = open('out').read().rstrip(), 0, json.JSONDecoder()
while at < len(text):
    x, at = d.raw_decode(text, at)
    at += 1
    walk(x, '$1')
print(';'.join(sorted(seen)))"; }
are() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "'$2' instead of '$3'"; fi; }
all='helper;main;pool-2;pool-4;rx;same 0;same 1;tx'
roles='helper;main;pool 0;pool 1;same 0;same 1;work 0;work 1'

exits 0 "it is recorded" perseus record -q -o time ./given
exits 0 "report" perseus report --json time
are "... has the names" "$(/usr/bin/python3 -c "
import json
print(';'.join(sorted(t['name'] for t in json.load(open('out'))['threads'])))")" "$all"
exits 0 "top, of the run that is over" perseus top --json time
are "... has the same" "$(of thread)" "$all"
exits 0 "top, of the run that goes on" perseus top --json --interval=0.3 -- ./given 2500
# What ended between two looks is not there; what is has its name.
it "... has those that it saw" python3 -c "
seen = '$(of thread)'.split(';')
assert 'main' in seen and len(seen) > 1 and set(seen) <= set('$all'.split(';')), seen"
silent '"thread": "(work|given|pool)( |")' "... and no other"
exits 0 "analyze" perseus analyze time -o model.yaml
says '"?rx"?$' "the model has them" model.yaml
silent 'name: "work' "... and not the routine in their place" model.yaml

# Names are judged here and no costs: on a busy machine the two may hardly meet, which matters to nobody, and --all shows it.
exits 0 "its sharing is recorded" perseus record -q --purpose=sharing --sharing=precise -o share ./given
exits 0 "conflicts" perseus conflicts --all --json share
are "... have the names" "$(of thread)" "rx;tx"
exits 0 "... in SARIF" perseus conflicts --all --sarif=- share
says '"(text|id)": "rx' "... too"
says '"(text|id)": "tx' "... both"
silent 'work [01]' "... and not the routine in their place"
ids() { perseus conflicts --all "$1" | sed -n 's/^\(share-[0-9]*\) .*/\1/p' | sort; }
exits 0 "monitor" perseus monitor --from=directory --interval=0.3 -- ./given
says ' rx ' "... has them"
says ' tx ' "... both"

# ---- the twin
exits 0 "the twin is recorded" perseus record -q -o plain-time ./plain
exits 0 "report" perseus report --json plain-time
are "... has the routines" "$(/usr/bin/python3 -c "
import json
print(';'.join(sorted(t['name'] for t in json.load(open('out'))['threads'])))")" "$roles"
exits 0 "its sharing is recorded" perseus record -q --purpose=sharing --sharing=precise -o plain-share ./plain
exits 0 "conflicts" perseus conflicts --all --json plain-share
are "... have the routines" "$(of thread)" "work 0;work 1"
are "ids do not hang on names" "$(ids share)" "$(ids plain-share)"
exits 0 "top, of the run that is over" perseus top --json plain-time
are "... has the same" "$(of thread)" "$roles"
finish
