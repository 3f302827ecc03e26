#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus top: what the threads of a program do while it runs, on a stream, as JSON, on a screen, and of a run that is over.
. tests/lib.sh
cd "$T" || exit 1
W=work$$ # its own name, as programs are ended by their names
cat >work.c <<'E2'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct pool { pthread_mutex_t lock; long n; } pool = {PTHREAD_MUTEX_INITIALIZER, 0};
__attribute__((noinline)) static void busy(void) { __asm__ volatile("" ::: "memory"); }
static void *spin(void *a) { for (;;) busy(); return a; }
/* Holds the lock for ever, so whoever wants it waits for it. */
static volatile int held;
static void *holder(void *a) { pthread_mutex_lock(&pool.lock); held = 1; pause(); return a; }
static void *waiter(void *a) { while (!held) usleep(1000); pthread_mutex_lock(&pool.lock); return a; }
int main(int argc, char **argv)
{
	pthread_t t;
	int n = argc > 2 ? atoi(argv[2]) : 1;
	pthread_create(&t, NULL, holder, NULL);
	pthread_create(&t, NULL, spin, NULL);
	for (int i = 0; i < n; i++)
		pthread_create(&t, NULL, waiter, NULL);
	sleep(argc > 1 ? atoi(argv[1]) : 2);
	if (argc > 3 && !strcmp(argv[3], "exec"))
		execl(argv[0], argv[0], "600", (char *)NULL);
	if (argc > 3 && !fork())
		sleep(600);
	return 0;
}
E2
it "a program builds" gcc -O1 -fplugin="$PLUGIN" -o "$W" work.c -pthread

# ended ARGUMENTS: end the program with these, and wait for its recorder
ended() {
	pkill -f "^./$W $1" 2>/dev/null
	for _ in $(seq 100); do pgrep -f "perseus.data/$W-top" >pids || break; sleep 0.1; done
}

exits 0 "a program is started and looked at" perseus top --count=2 --interval=0.5 -- "./$W" 600
says "^perseus top: perseus.data/$W-top-1" "the run is named" out
says "^ +TID THREAD +S CORE CPU%\*" "a head" out
says "[0-9]+ spin +R " "the thread that runs" out
says "[0-9]+ waiter +S .* 100\.0 .* mutex pool\.lock, holder$" "the thread that waits, for what, and for whom" out
says "the program goes on and is recorded; output in perseus.data/$W-top-1.out" "that it goes on" err
pid=$(pgrep -f "^./$W 600" | head -n 1)
exits 0 "it is found by its number" perseus top -p "$pid" --count=1 --interval=0.3 --json
it "as JSON, with every thread once" python3 -c "
import json
d = json.load(open('out'))
t = d['threads']
assert d['schema'] == 1 and not d['replayed'], d
assert len({x['tid'] for x in t}) == len(t) == 4, t
by = {x['thread']: x for x in t}
assert by['waiter']['in_wait'] and by['waiter']['waits_for'].startswith('mutex pool.lock'), by
assert not by['spin']['in_wait'] and by['spin']['waiting'] == 0 and by['spin']['waits_for'] is None, by
assert by['spin']['calls_per_s'] > 0 and by['spin']['transfers_per_s'] is None, by
assert by['waiter']['calls_per_s'] == 0, by
for x in t:
    for k in 'running', 'waiting':
        assert 0 <= x[k] <= 1, x
"
exits 0 "a filter" perseus top -p "$pid" --count=1 --interval=0.3 --filter=SPIN
says "[0-9]+ spin " "keeps what has it" out
silent "waiter|holder" "and nothing else" out
ended 600
it "its end is seen" sh -c "timeout 60 perseus top --interval=0.2 -- ./$W 1 >ended.out 2>&1"
says "the program has ended" "and said" ended.out

exits 0 "a run that is over is played" perseus top --interval=0.5 perseus.data/$W-top-2
says "; record, 0\.5 of [0-9.]+ s" "from its record" out
says "waiter .* mutex pool\.lock" "with its waits" out

exits 0 "a sharing run" perseus top --purpose=sharing --count=1 --interval=0.5 -- "./$W" 600
ended 600
says "LINE/s" "shows lines" out
exits 0 "300 threads" perseus top --count=1 --interval=1 -- "./$W" 600 300
pid=$(pgrep -f "^./$W 600 300" | head -n 1)
all() { for _ in $(seq 60); do perseus top -p "$pid" --count=1 --interval=0.3 >all.out; [ "$(grep -c ' waiter' all.out)" -ge 298 ] && return; done; return 1; }
it "are all there" all
ended "600 300"

exits 0 "a program that calls exec" perseus top --count=8 --interval=0.5 --json -- "./$W" 1 1 exec
ended 600
it "is one process with its new threads" python3 -c "
import json
d = json.JSONDecoder()
s = open('out').read()
at, last = 0, None
while at < len(s.rstrip()):
    last, at = d.raw_decode(s, at)
    at += 1
t = last['threads']
assert len({x['tid'] for x in t}) == len(t), t
assert last['processes'] == 1, last
"
exits 0 "a program that leaves a child" perseus top --count=12 --interval=0.5 -- "./$W" 1 1 fork
ended "1 1 fork"

# ---- sleepers, names that the program gives, ends of several kinds
cat >fx.c <<'E2'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* Many sleeps, so that none of them is most of a look. */
__attribute__((noinline)) static void naps(int n) { for (int i = 0; i < n; i++) usleep(50000); }
__attribute__((noinline)) static void burn(void) { for (volatile long i = 0; i < 2000000000; i++) ; }
static void *alpha(void *a) { pthread_setname_np(pthread_self(), "al\npha"); naps(50); return a; }
static void *beta(void *a) { naps(50); return a; }
static void *busy(void *a) { burn(); return a; }
int main(int argc, char **argv)
{
	pthread_t t[3];
	if (argc > 1 && !strcmp(argv[1], "status"))
		return 9;
	if (argc > 1 && !strcmp(argv[1], "abort"))
		abort();
	pthread_create(&t[0], NULL, alpha, NULL);
	pthread_create(&t[1], NULL, beta, NULL);
	pthread_create(&t[2], NULL, busy, NULL);
	if (!fork()) {
		naps(50);
		_exit(0);
	}
	wait(NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
E2
it "a program that sleeps builds" gcc -O1 -fplugin="$PLUGIN" -o fx fx.c -pthread
exits 0 "it is looked at" perseus top --interval=0.4 -- ./fx
says "[0-9]+ al\?pha +S .* sleep$" "a thread has the name that the program gave it" out
says "[0-9]+ beta +S .* sleep$" "else that of its routine" out
silent "^ *[0-9]+ fx " "and never that of the program" out
exits 0 "it is played" perseus top --interval=0.4 --json @last
it "and who sleeps, sleeps" python3 -c "
import json
d, s, at, looks = json.JSONDecoder(), open('out').read().rstrip(), 0, []
while at < len(s):
    x, at = d.raw_decode(s, at)
    at += 1
    looks.append(x)
assert len(looks) >= 4, looks
rows = [t for x in looks[1:4] for t in x['threads']]
asleep = [t for t in rows if t['thread'] in ('al?pha', 'beta')]
assert len(asleep) >= 6, rows
assert all(t['in_wait'] for t in asleep if t['waiting'] > 0.9999), asleep
assert sum(t['in_wait'] for t in asleep) >= len(asleep) - 1, asleep
assert not any(t['in_wait'] for t in rows if t['thread'] == 'busy'), rows
"
exits 0 "... in the table" perseus top --interval=0.4 @last
says "[0-9]+ beta +S " "with its state" out
says "[0-9]+ busy +R " "and who runs, runs" out
perseus top -- ./fx status >out 2>err
says "the program has ended, with status 9; output in " "a status is told" err
says "ended before two looks.*--interval" "and that there was no table" err
exits 134 "a program that a signal ends" perseus top -- ./fx abort
says "the program has ended, by signal 6 \\(Aborted\\); output in " "a signal is told" err
exits 4 "a program that is not there" perseus top -- ./nosuch
says "^perseus top: '\./nosuch': No such file or directory" "the reason is told" err
says "perseus.data/nosuch-top-1\.out" "and where all of it is" err
gcc -o plain fx.c
exits 4 "a program without probes" perseus top -- ./plain
says "built without -fplugin" "... likewise" err
exits 4 "monitor says it, too" perseus monitor --from=directory -- ./plain
says "^perseus monitor: './plain': built without -fplugin" "with the reason" err

# ---- a run that is about to begin: its folder is there, its threads are not
perseus record -q -o whole.run "./$W" 1 >rec.out 2>&1
mkdir begun.run
(sleep 0.7; exec cp whole.run/* begun.run/ 2>>rec.out) &
copier=$!
exits 0 "a run that begins a moment later is waited for" perseus top --count=1 --interval=0.3 begun.run
wait $copier
mkdir empty.run
exits 4 "one that never does is none" perseus top --count=1 empty.run
exits 4 "no such run" perseus top nosuch
exits 4 "no such process" perseus top -p 4194303
it "a program without record" sh -c "sleep 60 & echo \$! >sleeper"
exits 4 "is refused" perseus top -p "$(cat sleeper)"
says "is not recorded" "with the reason" err
says "perseus top -- PROGRAM starts one that is" "... and what can be done" err
exits 4 "monitor refuses it, too" perseus monitor --from=directory -p "$(cat sleeper)"
says "perseus monitor -- PROGRAM starts one that is" "... with its own advice" err
kill "$(cat sleeper)"
exits 2 "no program" perseus top --
exits 2 "two things at once" perseus top -p 1 @last
exits 2 "a column that is none" perseus top --sort=colour
exits 2 "an interval that is none" perseus top --interval=0

# On a terminal, by its keys.
if command -v tmux >tmux.out; then
	mkdir -p "$T/tmux.dir"
	export TMUX_TMPDIR="$T/tmux.dir"
	tmux -L top new-session -d -x 80 -y 24 "perseus top --interval=0.3 -- ./$W 600 40; echo status \$?; sleep 60"
	shown() { for _ in $(seq 200); do tmux -L top capture-pane -p >pane; grep -Eq -- "$1" pane && return 0; sleep 0.1; done; cat pane; return 1; }
	it "a screen" shown "^ +[0-9]+ spin +R"
	it "has all sums" shown "43 threads, 4[0-9] wait; .* mig/s$"
	it "fits into 80 columns" sh -c "! grep -E '.{81}' pane"
	tmux -L top send-keys /
	tmux -L top send-keys spin Enter
	it "filters" shown "filter spin"
	it "keeps one thread" shown "1 of 43 threads"
	tmux -L top send-keys Escape
	it "and all again" shown "43 of 43 threads"
	tmux -L top send-keys T
	it "sorts" shown "TID\^"
	tmux -L top send-keys G
	it "moves to the end" shown "waiter 39"
	tmux -L top send-keys Z
	it "freezes" shown "^FROZEN"
	tmux -L top send-keys h
	it "helps" shown "sort by CPU%, WAIT%"
	it "in 80 columns" shown "MIG/s, name,$"
	tmux -L top resize-window -x 40 -y 10
	it "and in 40" shown "sort by CPU%, WA"
	tmux -L top send-keys PgDn PgDn PgDn
	it "of which the rest can be seen" shown "not measured by this run"
	tmux -L top send-keys x
	tmux -L top resize-window -x 80 -y 24
	tmux -L top send-keys q
	it "leaves, and the program goes on" shown "status 0"
	tmux -L top kill-server
	ended "600 40"
else
	skip "a screen" "no tmux here"
fi
finish
