#!/bin/sh
# SPDX-License-Identifier: MIT
# Sanitizers put calls beside accesses, at the place of the call that they are an argument of: these are
# none of the program's.  A planned call has its trigger once, and calls are counted as they are made.
. tests/lib.sh
. tests/codegen/plan.inc
[ -z "$SAN" ] || { skip "planned programs with sanitizers" "the plugin is not built with one"; finish; }
cd "$T" || exit 1
cat >t.c <<'X'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
pthread_t t[4];
long cells[8];
static void *work(void *a) { __atomic_fetch_add((long *)a, 1, __ATOMIC_RELAXED); return a; }
__attribute__((noinline)) static int step(int i, long cell) { return i + (int)cell; }
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4, s = 0;
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], 0, work, &cells[i]);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], 0);
	for (int i = 0; i < n; i++)
		s = step(s, cells[i]);
	printf("%d\n", s);
	return s != n;
}
X
it "the measurement build" gcc -O2 -g -fplugin="$PLUGIN" t.c -o measured -pthread
{
	plan_head program planned
	echo threads:
	plan_thread 0 main - - 0 "$A"
	plan_thread 1 work 0 0 0 "$A"
	echo sites:
	plan_site_of 0 $(site_line ./measured main create)
	plan_site_of 1 $(site_line ./measured main pthread_join)
	plan_site_of 2 $(site_line ./measured main step)
	echo triggers:
	plan_trigger 7 0 1 false 2 0 "$A"
	plan_trigger 9 0 2 false 1 0 "$A"
} >plan.yaml
exits 0 "its code" perseus codegen plan.yaml -o gen
it "its objects" sh -c 'for f in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -c -o gen/$f.o gen/$f.c || exit 1; done'
P="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -fplugin-arg-perseus-plan-hash=$(sha256sum plan.yaml | cut -c 1-64)"
for o in -O0 -O2; do
	for san in thread address address,undefined,bounds; do
		it "$o $san: a planned build" gcc $o -g -fsanitize=$san $P t.c gen/*.o -o planned -pthread
		exits 0 "$o $san: the triggers are where the plan has them" perseus-verify plan.yaml planned
		says '^equal in .*2 of 2 call triggers' "$o $san: ... each of them"
		it "$o $san: a measurement build" gcc $o -g -fsanitize=$san -fplugin="$PLUGIN" t.c -o counted -pthread
		exits 0 "$o $san: is recorded" perseus record -q -o run.$o.$san ./counted 3
		it "$o $san: three joins and three steps are counted" sh -c "perseus report --calls=50 --json run.$o.$san >run.json && python3 -c \"
import json
calls = {}
for c in json.load(open('run.json'))['call_sites']:
    calls[c['callee']] = calls.get(c['callee'], 0) + c['calls']
assert calls.get('pthread_join') == 3 and calls.get('step') == 3 and not [c for c in calls if c.startswith('__')], calls\""
	done
done
finish
