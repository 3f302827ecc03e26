#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-monitor: counts against loops whose counts are known, by the directory and by perf_event_open(2); what
# looking costs; how often the interval of counts that take turns holds the truth.  TURNS (100000).
. tests/bench/lib.sh
load_note
turns=${TURNS:-100000}
cat >"$T/ball.c" <<'E2'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
static volatile long turn __attribute__((aligned(128)));
static long n, pause_us;
__attribute__((noinline)) static void work(void) { for (int i = 0; i < 150000; i++) __asm__ volatile(""); }
static void *player(void *arg)
{
	long me = (long)arg;
	pthread_setname_np(pthread_self(), me ? "pong" : "ping");
	for (long i = 0; i < n; i++) {
		for (int spins = 0; turn != me; spins++)
			if (spins > 2000)
				sched_yield();
		work();
		turn = !me;
	}
	usleep(1500000);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	n = argc > 1 ? atol(argv[1]) : 1000;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, player, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
E2
cat >"$T/faults.c" <<'E2'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#define PAGES 50000l
static long rounds;
static char *p;
static void *touch(void *arg)
{
	pthread_setname_np(pthread_self(), "touches");
	usleep(1500000);
	for (long r = 0; r < rounds; r++) {
		for (long i = 0; i < PAGES; i++)
			((volatile char *)p)[i * 4096] = 1;
		madvise(p, PAGES * 4096, MADV_DONTNEED);
	}
	usleep(1500000);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	rounds = argc > 1 ? atol(argv[1]) : 1;
	p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, PAGES * 4096, MADV_NOHUGEPAGE);
	pthread_create(&t, NULL, touch, NULL);
	pthread_join(t, NULL);
}
E2
# shellcheck disable=SC2046
gcc -O1 -g $(plugin_flags calls,memory) -o "$T/ball" "$T/ball.c" -pthread && gcc -O1 -o "$T/faults" "$T/faults.c" -pthread || exit 3
cd "$T" || exit 3
perseus monitor --from=directory --json --interval=0.5 -- ./ball "$turns" >ball.json 2>err
perseus monitor --from=counters --families=kernel --save=faults.counts --interval=0.2 -- ./faults 40 >faults.out 2>>err
python3 - "$turns" <<'E2' >figures
import json, sys
n = int(sys.argv[1])
text, at, docs = open('ball.json').read().rstrip(), 0, []
while at < len(text):
    x, at = json.JSONDecoder().raw_decode(text, at)
    docs.append(x)
    while at < len(text) and text[at].isspace():
        at += 1
for t in docs[-1].get('totals', []):
    if t['thread'] == 'pong':
        # each turn finds the line changed, and each store takes the other's copy
        print('directory', max(abs(t['directory.hitm'] - n), abs(t['directory.hit'] - n), abs(t['directory.invalidations'] - n)) / n)
own = [d['own_cores'] for d in docs if 'own_cores' in d]
print('own', 100 * sorted(own)[len(own) // 2])
names = open('faults.counts').read().splitlines()[1].split()[1:]
seen = [int(l.split()[6 + 3 * names.index('kernel.faults')]) for l in open('faults.counts') if l.startswith('thread') and ' touches ' in l]
if seen:
    print('faults', abs(seen[-1] - seen[0] - 40 * 50000) / (40 * 50000))
E2
cat err >&2
figure monitor.count_error "$(value directory)" 1e-6 "directory: $turns turns of two threads, relative error of hitm, hit and invalidations"
figure monitor.count_error_perf "$(value faults)" 1e-6 "perf_event_open(2): 2,000,000 faults of a thread"
figure monitor.core_percent "$(value own)" 1 "what looking at 3 threads twice a second takes, percent of a core"
finish_bench
