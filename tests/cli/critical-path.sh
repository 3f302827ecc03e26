#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus waits --critical-path: a program that is all one lock, its twin without, and a chain of threads.
. tests/lib.sh
cd "$T" || exit 1
cat >gate.c <<'E2'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void inside(void) { usleep(3000); }
static void *worker(void *p)
{
	for (int i = 0; i < 15; i++) {
#ifdef LOCKED
		pthread_mutex_lock(&gate);
		inside();
		pthread_mutex_unlock(&gate);
#else
		inside();
		(void)gate;
#endif
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
}
E2
cat >judge.py <<'E2'
import json, sys
path, report = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
steps = path['steps']
assert len(steps) == path['steps_in_all'] and steps
assert all(abs(a['end'] - b['begin']) < 1 for a, b in zip(steps, steps[1:]))
total = sum(s['end'] - s['begin'] for s in steps)
parts = sum(path[k] for k in ('work_ns', 'wait_ns', 'handoff_ns', 'start_ns'))
threads = sum(t['ns'] for t in path['threads'])
for x in total, parts, threads:
    assert abs(x - path['path_ns']) < 1e-6 * path['path_ns'] + 10, (x, path['path_ns'])
assert path['path_ns'] <= report['wall_ns'] * 1.01
assert sum(w['behind_ns'] for w in path['waits']) <= path['path_ns']
for g in path['what_if']:
    assert 0 <= g['low'] <= g['high'] <= 0.5, g
names = [(g['name'], g['change']) for g in path['what_if']]
assert len(set(names)) == len(names), names
gate = [g for g in path['what_if'] if g['name'] == 'mutex gate']
if sys.argv[3] == 'locked':
    # All sleeping is inside the lock: so much of the path is what holds take, however long threads took to start.
    asleep = sum(w['ns'] for w in path['waits'] if w['name'] == 'sleep')
    assert gate and gate[0]['known'] and asleep > 0, path['what_if']
    # Each sleep is 3 ms, and as long again until there is a core: where it is far more, holds are no sleep of the program's.
    if asleep > 3 * 45 * 3e6:
        sys.exit(77)
    assert 0.5 * asleep < gate[0]['on_path_ns'] < 1.1 * asleep + path['work_ns'], (asleep, gate)
else:
    assert not gate and not any(w['name'] == 'mutex gate' for w in path['waits'])
E2
for way in locked free; do
	it "$way: builds" gcc -O1 -g -pthread $(perseus flags) $([ $way = locked ] && echo -DLOCKED) -o $way gate.c
	it "$way: recorded" perseus record -q -o run-$way ./$way
	exits 0 "$way: the path" perseus waits --critical-path run-$way
	says '^path      .* from start to end, through [2-4] of 4 threads$' "$way: its length"
	it "$way: no line is long" test "$(awk 'length > 100' out | wc -l)" = 0
	perseus waits --critical-path --json run-$way >path.json
	perseus report --json run-$way >report.json
	python3 judge.py path.json report.json $way >judged 2>&1
	case $? in
	0) ok "$way: what is known by construction" ;;
	77) skip "$way: what is known by construction" "machine busy: sleeps of 3 ms took three times as long" ;;
	*) not_ok "$way: what is known by construction" "$(cat judged)" ;;
	esac
done
perseus waits --critical-path run-locked >out
says '^   *[0-9.]+( to [0-9.]+)? %  mutex gate held$' "what less holding would gain"
exits 2 "not with --all" perseus waits --critical-path --all run-free
exits 2 "not with --fail-on" perseus waits --critical-path --fail-on=1 run-free
exits 4 "no such run" perseus waits --critical-path nowhere
finish
