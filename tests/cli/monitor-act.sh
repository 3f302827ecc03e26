#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus monitor --act: on cores that perseusd lends (on a made-up machine) threads are put together and taken back,
# workers are lowered and raised again, and each step is in the audit.
. tests/lib.sh
. tests/daemon/common.inc
[ -z "$SAN" ] || { skip "perseus monitor --act" "the plugin is not built with a sanitizer"; finish; }
[ "$(id -u)" = 0 ] || { skip "perseus monitor --act" "cores are lent to root only"; finish; }
# The cores must be usable here: the machine is made up, its numbers are not.
allowed=$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status)
case $allowed in 0-*) ;; *) skip "perseus monitor --act" "cores 0 and 1 may not be used here"; finish ;; esac
new_machine
fake_cgroup
it "the daemon starts" start
top=$PWD
cd "$T" || exit 1

# Two threads that fight for a line; what cores they might use, and how many workers there were, they say at the end.
cat >fight.c <<'E2'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "perseus/tunable.h"
static volatile long counter[16] __attribute__((aligned(128)));
static volatile int over;
static int most;
static int cores(void)
{
	cpu_set_t set;
	sched_getaffinity(0, sizeof set, &set);
	return CPU_COUNT(&set);
}
static void *work(void *arg)
{
	long me = (long)arg, least_workers = most, workers = most, least = 1000, now = 0, first = cores();
	pthread_setname_np(pthread_self(), me ? "right" : "left");
	while (!over) {
		for (int i = 0; i < 20000; i++)
			counter[me]++;
		now = cores();
		least = now < least ? now : least;
		workers = perseus_tunable("workers", 1, 2, 2);
		least_workers = workers < least_workers ? workers : least_workers;
		if (me >= workers)
			usleep(10000);
	}
	now = cores();
	printf("%s cores %s then %s, workers %ld then %ld\n", me ? "right" : "left", least == 1 ? "one" : "all",
	       now == first ? "all" : "some", least_workers, workers);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	most = 2;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 600 && access(argv[1], F_OK); i++)
		usleep(100000);
	over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return argc < 2;
}
E2
it "a fight for a line builds" gcc -O1 -g -DPERSEUS_TUNE -I"$top/include" -fplugin="$PLUGIN" -o fight fight.c -pthread

# rule ANSWER: one that nothing can satisfy but silence
rule() { printf 'perseus-rules 1\nrule lines directory.transfers above 0.2 for 0 below 0.1 for 60000 answer %s helps 100 within 700\n' "$1" >rules; }
# watch NAME OPTION...: until three windows after an action was taken back; then the program may end
watch() {
	name=$1
	shift
	rm -f "$name.end" "$name.audit"
	perseus monitor --act --cpus=0-1 --socket="$S" --from=directory --rules-file=rules --interval=0.25 --audit="$name.audit" "$@" -- ./fight "$T/$name.end" \
		>"$name.out" 2>"$name.err" &
	monitor=$!
	eventually grep -qs 'taken back\|helped\|not done' "$name.audit"
	kill -TERM $monitor
	wait $monitor
	: >"$name.end"
	said() { [ "$(grep -c '^[a-z]* cores .* then ' perseus.data/fight-monitor-"$1".out 2>/dev/null)" = 2 ]; }
}

rule apart-in-time
watch apart
it "the program ends" eventually said 1
says '^2[0-9-]+T[0-9:]+Z rate-[0-9]{6} apart-in-time thread [0-9]+ \((left|right)\) of [0-9]+: with thread [0-9]+ on core [01] alone: rate [0-9.e+]+ in 10 ms; lease [1-9][0-9]*$' \
	"both threads go to one core, and the audit says why" apart.audit
says 'apart-in-time .*(taken back: (rate .* wanted 100 % less|the end)|helped)' "it is taken back" apart.audit
says '^left cores one then all' "they were there, and are back" perseus.data/fight-monitor-1.out
says '^right cores one then all' "both" perseus.data/fight-monitor-1.out
says 'rate-[0-9]{6} begins: lines' "the advice is in the table" apart.out
says 'change=leased cpus=0-1 .*cores=yes .*lease=[0-9]+' "perseusd has the lease in its audit" "$T/log"
it "... whose number is that of ours" test "$(sed -n 's/.*lease=\([0-9]*\).*/\1/p' "$T/log" | head -n 1)" = "$(sed -n 's/.*; lease //p' apart.audit | head -n 1)"
says 'change=ended ' "... and its end" "$T/log"

rule reduce
watch fewer
it "the program ends" eventually said 2
says 'reduce thread .*: its process on cores 0: rate' "its process has one core fewer" fewer.audit
says '^left cores one then all' "... and gets it back" perseus.data/fight-monitor-2.out

watch workers --workers=workers:1:2
it "the program ends" eventually said 3
says 'reduce thread .*: from 2 to 1 workers: rate' "one worker fewer" workers.audit
says '^left cores all then all, workers 1 then 2' "the program had it, and has both again" perseus.data/fight-monitor-3.out
it "no file of it is left" sh -c '! ls "${TMPDIR:-/tmp}"/perseus-live-* 2>/dev/null | grep -q .'

rule move
watch moved
it "the program ends" eventually said 4
says 'move thread .*: not done: the directory counts by thread' "no move is judged by the directory" moved.audit
says '^left cores all then all' "... so none is made" perseus.data/fight-monitor-4.out

exits 2 "cores that are not there" perseus monitor --act --cpus=90 --socket="$S" -- ./fight "$T/apart.end"
exits 2 "a tunable that is none" perseus monitor --act --cpus=0-1 --socket="$S" --workers=2 -- ./fight "$T/apart.end"
says 'expected NAME:LEAST:FIRST' "with what is expected" "$T/err"
it "the daemon ends" stop
finish
