#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus conflicts of threads that are never at a line together: no candidate; of threads
# that have one core: inconclusive, and why; what can be asked for when nothing is known to matter.
. tests/lib.sh
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "threads that take turns" "one core only"; finish; exit; }
cat >turns.c <<'E2'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
static struct { volatile long a, b; } ab __attribute__((aligned(64)));
static struct zero { volatile long n; char pad[0]; } zz[8] __attribute__((aligned(64)));
static sem_t turn[2] __attribute__((aligned(64)));
static int together;
static void *count_a(void *x)
{
	for (int r = 0; r < 60; r++) {
		if (!together)
			sem_wait(&turn[0]);
		for (int i = 0; i < 400000; i++) {
			ab.a++;
			zz[2].n++;
		}
		sem_post(&turn[1]);
	}
	return x;
}
static void *count_b(void *x)
{
	for (int r = 0; r < 60; r++) {
		if (!together)
			sem_wait(&turn[1]);
		for (int i = 0; i < 400000; i++) {
			ab.b++;
			zz[3].n++;
		}
		sem_post(&turn[0]);
	}
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	together = argc > 1;
	if (argc > 2) {
		cpu_set_t all, one;
		sched_getaffinity(0, sizeof all, &all);
		CPU_ZERO(&one);
		for (int c = 0; c < CPU_SETSIZE && !CPU_COUNT(&one); c++)
			if (CPU_ISSET(c, &all))
				CPU_SET(c, &one);
		sched_setaffinity(0, sizeof one, &one);
	}
	sem_init(&turn[0], 0, 1);
	sem_init(&turn[1], 0, 0);
	pthread_create(&t[0], NULL, count_a, NULL);
	pthread_create(&t[1], NULL, count_b, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
E2
it "the program builds" gcc -O1 -g -fplugin="$PLUGIN" turns.c -o turns -pthread

# Of who is kept from the cores by other load the gate cannot tell: then it is recorded again.  It never fails.
for i in 1 2 3 4 5; do
	rm -rf turns.run
	perseus record -q --purpose=sharing --sharing=precise -o turns.run ./turns 2>>again.err
	perseus conflicts --fail-on=1 turns.run >again.out 2>&1
	rc=$?
	[ $rc = 5 ] || break
done
exits 0 "threads that take turns by semaphores are shown" perseus conflicts --all turns.run
it "... and a gate does not fail by them" sh -c "[ $rc = 0 ] || { [ $rc = 5 ] && grep -q '^.*Inconclusive: ' again.out; }"
if [ $rc = 0 ]; then
	it "... are no candidate, and a gate lets them pass" grep -q '0 candidates' again.out
	exits 6 "a patch of what does not matter" perseus conflicts --patch=d.diff turns.run
	says 'name a finding .*--patch share-[0-9]+' "... says that an id can be given"
else
	skip "... are no candidate" "machine busy: in five recordings other load had the cores"
fi

exits 0 "the same side by side" perseus record -q --purpose=sharing --sharing=precise -o side.run ./turns together
it "... does not pass" sh -c 'perseus conflicts --fail-on=1 side.run >/dev/null; s=$?; [ $s = 1 ] || [ $s = 5 ]'
exits 0 "an element with an empty array behind it" perseus conflicts --all side.run
says 'zz\[\]\.n' "... has its own name"

exits 0 "side by side on one core" perseus record -q --purpose=sharing --sharing=precise -o one.run ./turns together pinned
exits 0 "... is shown" perseus conflicts --all one.run
if [ -f one.run/cores ]; then
	says 'Inconclusive: .*one core' "... as inconclusive, for its one core"
	silent 'machine was busy' "... and not for other load"
	says 'transfers .*/s between threads on one core' "no transfer was between caches"
	exits 5 "... and a gate does not fail by it" perseus conflicts --fail-on=1 one.run
	exits 0 "a timing run" perseus record -q -o time.run ./turns together
	exits 0 "a model of both" perseus analyze -o model.yaml time.run one.run
	says '^caution +.*one.run is inconclusive: .*one core' "... says that conflicts are not known"
	says '^  - "one.run is inconclusive: .*one core' "... and so does the model" model.yaml
	says '^conflicts +[0-9]+ pairs? of threads; others may be missing$' "... where it counts them"
	it "... its JSON, too" sh -c 'perseus analyze --json -o model.yaml time.run one.run | grep -q "is inconclusive: .*one core"'
else
	skip "that it had one core" "this system does not tell where threads were"
fi

# ---- what can be asked for -----------------------------------------------------
cp -r turns.run killed.run && sed -i 's/^status: .*/status: killed/; /^exit_code/d' killed.run/manifest.yaml
it "an incomplete run" sh -c 'perseus conflicts --all killed.run | grep -q "Inconclusive: the run is incomplete"'
it "a patch of one where nothing is known to matter" sh -c 'perseus conflicts --patch=d.diff killed.run 2>said >/dev/null; [ ! -s d.diff ] || grep -q "^---" d.diff'
rm -f killed.run/*.prec
exits 4 "a record that was removed" perseus conflicts killed.run
says 'record file' "... is what is missing"
finish
