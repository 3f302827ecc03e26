#!/bin/sh
# SPDX-License-Identifier: MIT
# record --events, what report makes of it, doctor --events.
. tests/lib.sh

cat >"$T/work.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#define PAGES 2000
static void burn(long us)
{
	struct timespec a, b;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000 < us);
}
static __attribute__((noinline)) void fault(void)
{
	char *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, PAGES * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < PAGES; i++)
		((volatile char *)p)[i * 4096] = 1;
}
static __attribute__((noinline)) void compute(void) { burn(20000); }
static void *worker(void *arg)
{
	for (int i = 0; i < 6; i++) {
		compute();
		fault();
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t id;
	pthread_create(&id, NULL, worker, NULL);
	pthread_join(id, NULL);
	return argc > 1 ? atoi(argv[1]) : 0;
}
END
it "a program with known amounts builds" gcc -O1 -fplugin="$PLUGIN" -pthread -o "$T/work" "$T/work.c"
cd "$T" || exit 1
json() { python3 -c "import json,sys; c=json.load(open('$T/out'))['counters']; print($1)" 2>&1; }

exits 7 "events are counted, and the program's status stays" \
  perseus record --events=task-clock,page-faults,context-switches,cpu-migrations ./work 7
if [ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ]; then
	says '^counters  .* task-clock, .* page-faults, .* context-switches, .* cpu-migrations$' "the summary has the totals"
	silent 'not counted' "nothing is said of refusals where there are none"
else
	says '^counters  .* task-clock, .* page-faults, .* context-switches$' "the summary has the totals"
	says 'not counted: cpu-migrations: perf_event_paranoid' "... and what a user may not count is named"
fi
exits 0 "report shows them" perseus report --threads
says '^counters  read\(2\) once per [0-9.]+ [mu]s and thread' "how they were read comes first"
says '^ +[0-9,]+ +100\.0 % +page-faults' "each with its total and the share of time it was counted"
says 'page-faults .*of each function itself' "there is a table of functions"
says 'page-faults .*of each thread' "... and of threads"
exits 0 "JSON has them, too" perseus report --json
is_json() {
	if command -v python3 >/dev/null; then it "$1" sh -c "[ \"\$1\" = True ]" - "$(json "$2")"; else skip "$1" "no python3"; fi
}
is_json "12,000 pages were touched, and few others" "12000 <= c['events'][1]['total'] <= 13000"
is_json "functions add up to the total" \
  "abs(sum(f['counts']['page-faults'] for f in c['functions']) - c['events'][1]['total']) < 1"
is_json "threads add up to the total" \
  "abs(sum(t['counts']['page-faults'] for t in c['threads']) - c['events'][1]['total']) < 1"
is_json "the pages are laid to the function that touched them" \
  "max(c['functions'], key=lambda f: f['counts']['page-faults'])['name'] == 'fault'"
is_json "... nearly all of them" \
  "[f['counts']['page-faults'] for f in c['functions'] if f['name'] == 'fault'][0] > 0.8 * c['events'][1]['total']"
# It takes 120 ms of CPU time by its own clock; what a page costs depends on the machine.
is_json "the time is laid to the function that computed" \
  "60e6 < sum(f['counts']['task-clock'] for f in c['functions'] if f['name'] in ('compute', 'clock_gettime')) < 180e6"
is_json "the schema names source, group and rung" \
  "c['rung'] == 'read' and c['events'][0]['source'] == 'perf' and c['events'][0]['error'] is None"

exits 0 "without --events nothing is counted" perseus record -q ./work
perseus report >"$T/out" 2>&1
silent '^counters' "... and report does not speak of it"

# the hardware's counters, which may not be there
exits 3 "an event of the hardware does not change the program's end" perseus record --events=cycles,instructions,task-clock ./work 3
if grep -q 'not counted: cycles, instructions: ' "$T/err"; then
	ok "both are named in one line with the reason"
	says '^counters  [0-9.]+ M task-clock$' "the summary has what there is"
	perseus report >"$T/out" 2>&1
	says '^ +not counted: cycles, instructions: E[A-Z]+ ' "report has the reason as well"
	silent 'IPC' "no instructions per cycle without either"
	exits 0 "nothing but what is not there" perseus record --events=cycles ./work
	says '^counters  none: the run has times only' "the summary says so"
	perseus report >"$T/out" 2>&1
	says '^counters  clock only: nothing could be counted' "report labels the rung"
	exits 0 "JSON of it" perseus report --json
	is_json "null is not 0" "c['rung'] == 'clock' and c['events'][0]['total'] is None and c['events'][0]['error'] is not None"
else
	says 'counters  .*cycles, .*instructions' "both are counted"
	perseus report >"$T/out" 2>&1
	says 'IPC' "instructions per cycle are shown"
fi
exits 0 "user mode alone, by name" perseus record -q --events=task-clock:u ./work

# somebody who is not root, where only user mode may be counted
if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)" = 2 ] &&
   setpriv --reuid=65534 --clear-groups test -x "$O/bin/perseus" 2>/dev/null; then
	chmod 755 "$T"
	mkdir -m 777 "$T/theirs"
	(cd "$T/theirs" && setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all \
	  "$O/bin/perseus" record -o run --events=task-clock,page-faults,context-switches,cpu-migrations ../work 4) >"$T/out" 2>"$T/err"
	their_status=$?
	it "whoever may count user mode alone: the program's status stays" [ $their_status = 4 ]
	says 'not counted: cpu-migrations: perf_event_paranoid' "what happens in the kernel is not counted, and said"
	perseus report "$T/theirs/run" >"$T/out" 2>&1
	says 'page-faults, user mode only$' "what may be is labelled"
	says 'context-switches, from getrusage' "what the system knows comes from there"
	says 'task-clock$' "a clock is whole"
fi

# what is no event
exits 2 "an unknown name is a usage error" perseus record --events=cycles,bogus ./work
says "'bogus' is no event that this machine knows" "it is named"
says 'perseus doctor --events' "... with the way to those there are"
exits 2 "an empty name is one" perseus record --events=cs,,cs ./work
exits 2 "more than sixteen are one" perseus record --events=cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs ./work
says 'more than 16 events' "... with the limit"
exits 0 "names from outside do not reach a run that asks for none" \
  env PERSEUS_EVENTS='read;1.1.0.0.20 task-clock' perseus record -q ./work
perseus report >"$T/out" 2>&1
silent '^counters' "... it has no counters"

# a process that execs and one that forks count each for itself
cat >"$T/twice.c" <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static __attribute__((noinline)) void leaf(volatile int *n) { for (int i = 0; i < 1000000; i++) *n += i; }
int main(void)
{
	volatile int n = 0;
	leaf(&n);
	if (!fork()) {
		leaf(&n);
		execl("./work", "work", (char *)0);
	}
	wait(NULL);
	return 0;
}
END
cd - >/dev/null || exit 1
it "a program that forks builds" gcc -O1 -fplugin="$PLUGIN" -o "$T/twice" "$T/twice.c"
cd "$T" || exit 1
exits 0 "it is counted" perseus record -q --events=page-faults,task-clock ./twice
exits 0 "... over all its processes" perseus report --json
is_json "whose pages add up" "12000 <= c['events'][0]['total'] <= 14000"

# the list
exits 0 "doctor lists what can be counted" perseus doctor --events
says '^task-clock|^TASK-CLOCK' "software events are in it"
says 'events can be counted here: perseus record --events' "the end names the way to use it"
silent '^PERF_COUNT_' "aliases nobody types are left out"
exits 0 "a part of the name narrows it" perseus doctor --events=fault
says '^MINOR-FAULTS' "what has it is in"
silent '^TASK-CLOCK' "what has not is out"
exits 0 "as JSON" perseus doctor --events=fault --json
if command -v python3 >/dev/null; then it "it is JSON" python3 -m json.tool "$T/out"; else skip "it is JSON" "no python3"; fi
exits 2 "not in a sysroot" perseus doctor --events --sysroot "$T"
LIBPFM_FORCE_PMU=skl && export LIBPFM_FORCE_PMU
it "unit masks of another processor are encoded" "$O/tests/unit/platform/events/t-events" masks
finish
