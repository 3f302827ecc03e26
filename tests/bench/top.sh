#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-top: what looking costs, in cores, at a look a second of 200 threads that wait for one lock and of 1,000.
. tests/bench/lib.sh
load_note
cat >"$T/work.c" <<'E2'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long n;
static void *work(void *a)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		for (int i = 0; i < 20000; i++)
			n++;
		pthread_mutex_unlock(&lock);
		usleep(2000);
	}
	return a;
}
int main(int argc, char **argv)
{
	pthread_t t;
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i; i--)
		pthread_create(&t, NULL, work, NULL);
	sleep(40);
}
E2
# shellcheck disable=SC2046
gcc -O2 -g $(perseus flags) -o "$T/work" "$T/work.c" -pthread || exit 3
cd "$T" || exit 3
# own THREADS: the median of ten looks, percent of a core
own() {
	perseus top --json --count=14 -- ./work "$1" 2>/dev/null | sed -nE 's/^  "own_cores": ([0-9.e-]+),$/\1/p' | tail -n 10 |
		awk '{ print 100 * $1 }' | median
	# It goes on when top has seen enough.
	for p in $(pgrep -x work); do
		[ "$(readlink "/proc/$p/cwd")" = "$T" ] || continue
		kill "$p"
		while kill -0 "$p" 2>/dev/null; do sleep 0.05; done
	done
}
for n in 200 1000; do own $n >"$T/own-$n"; done
figure monitor.top_core_percent "$(cat "$T/own-200")" 1 "200 threads, a look a second, percent of a core"
figure monitor.top_core_percent_1000 "$(cat "$T/own-1000")" "" "1,000 threads"
finish_bench
