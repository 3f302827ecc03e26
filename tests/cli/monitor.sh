#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus monitor: counts that were made up, of a known loop in the software directory, and of the kernel; rules
# that begin and end; bad input.
. tests/lib.sh
cd "$T" || exit 1

# ---- made-up counts: 100 ms slices, a thread that fights from 1 to 2 s, and one that is quiet
awk 'BEGIN {
	print "perseus-counts 1\nevents coherence.hitm cycles.core"
	for (t = 1; t <= 40; t++) {
		v += t > 10 && t <= 20 ? 100000 : 10
		printf "at %d00000000\nthread 7 8 0 9 fighter %d %d %d %d %d %d\nthread 7 9 1 - other 0 %d %d 0 %d 0\n", t, v, t * 1000, t * 1000, \
			t * 5000, t * 1000, t * 500, t * 1000, t * 1000, t * 1000
	}
}' >made-up
cat >rules <<'E2'
perseus-rules 1
rule nearer coherence.hitm above 1000 for 400 below 500 for 600 answer move
rule blind no.such above 1 for 0 below 1 for 0 answer reduce
E2
exits 0 "made-up counts are played" perseus monitor --replay=made-up --rules-file=rules --interval=0.2
cp "$T/out" played
says '^ +8 fighter +0 +10000 ' "a rate per 10 ms" played
says '^ +8 fighter +0 +1 ' "and a quiet one" played
says '^ +9 other +1 +0 +- *$' "what was never counted is not known" played
says 'rate-[0-9]{6} begins: nearer, thread 8 \(fighter\): coherence.hitm 10000 in 10 ms, limit 1000: move it to another core, .* \(other\)$' "advice begins, with its evidence id" played
says 'rate-[0-9]{6} holds: nearer' "it holds" played
says 'rate-[0-9]{6} ends: nearer, thread 8 \(fighter\): coherence.hitm 1 in 10 ms, limit 500$' "it ends" played
it "once each" test "$(grep -c ' begins: ' played)$(grep -c ' ends: ' played)" = 11
silent '\(other\): coherence' "nothing is said of the other thread" played
says 'rule blind is not judged: nobody counts no.such here' "a rule that cannot be judged is named" "$T/err"
perseus monitor --replay=made-up --rules-file=rules --interval=0.2 --json >json.out 2>json.err
it "as JSON" python3 -c "
import json
d = json.JSONDecoder()
s = open('json.out').read().rstrip()
at, docs = 0, []
while at < len(s):
    x, at = d.raw_decode(s, at)
    docs.append(x)
    while at < len(s) and s[at].isspace():
        at += 1
assert len(docs) == 19, len(docs)
states = [a['state'] for x in docs for a in x['advice']]
assert states[0] == 'begins' and states[-1] == 'ends' and set(states[1:-1]) == {'holds'}, states
c = docs[0]['threads'][0]['counts']['cycles.core']
assert c['seen'] == 0.5 and c['error'] == 0 and c['count'] == 20000, c
assert docs[0]['threads'][1]['counts']['cycles.core']['count'] is None
assert docs[0]['schema'] == 1 and docs[0]['replay'] == 'made-up' and not docs[0]['nearest']
"
# unstarted: nothing of the program is left that waits to begin
unstarted() {
	for f in /proc/[0-9]*/cmdline; do
		if tr '\0' ' ' <"$f" 2>>"$T/gone" | grep -q "^perseus monitor.*[s]ave=$T/nodir"; then cat "$f"; return 1; fi
	done
}
exits 3 "counts that cannot be kept" perseus monitor --from=directory "--save=$T/nodir/x" -- /bin/sleep 600
says "cannot (write|create) .*/nodir/x" "with the file" "$T/err"
it "nothing waits for ever" unstarted
it "and nothing is left behind" sh -c "! ls perseus.data/sleep-monitor-*"
exits 3 "... of a replay" perseus monitor --replay=made-up "--save=$T/nodir/x"
exits 0 "kept counts" perseus monitor --replay=made-up --save=kept
it "are what was played" cmp made-up kept

# ---- the software directory, on a loop whose transfers are known
cat >ball.c <<'E2'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
static struct { volatile long turn; char pad[120]; volatile long far; } ball __attribute__((aligned(128)));
static long n, apart, mine[2][32] __attribute__((aligned(128)));
/* Long enough that no transfer is one of a sample: those of threads that take a line in less than 8 us are. */
__attribute__((noinline)) static void work(void) { for (int i = 0; i < 150000; i++) __asm__ volatile(""); }
static void *player(void *arg)
{
	long me = (long)arg;
	pthread_setname_np(pthread_self(), me ? "pong" : "ping");
	for (long i = 0; i < n; i++) {
		if (apart) {
			*(volatile long *)&mine[me][0] += 1;
			work();
			continue;
		}
		for (int spins = 0; ball.turn != me; spins++)
			if (spins > 2000)
				sched_yield();
		work();
		ball.turn = !me;
	}
	sleep(3);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	n = atol(argv[1]);
	apart = argc > 2;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, player, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
E2
if [ -z "$SAN" ]; then
	it "a loop of known transfers builds" gcc -O1 -g -fplugin="$PLUGIN" -o ball ball.c -pthread
	cat >low <<'E2'
perseus-rules 1
rule lines directory.transfers above 0.5 for 0 below 0.1 for 0 answer apart-in-time
E2
	exits 0 "it is watched" perseus monitor --from=directory --rules-file=low --interval=0.25 -- ./ball 3000
	cp "$T/out" ball.out
	# Each turn finds the line changed by the other, and its store takes the other's copy: that is counted as one step
	# where the machine stops the thread between probe and access, so hits are told as an interval, which has the truth.
	# $1: player, $2: turns that begin with the other's
	taken() {
		awk -v who="$1" -v turns="$2" '$2 == who && NF == 6 && $4 ~ /^[0-9]+$/ {
				n++
				bad = $4 != turns || $3 != $4 + $5 || $5 > $6 || $5 < 1 || $6 < turns || $6 > 3000
			}
			END { exit n != 1 || bad }' ball.out
	}
	it "all transfers of the one who comes second are counted, by state" taken pong 3000
	it "and of the first, who had the line to itself at first" taken ping 2999
	says '^directory.hit is at least that and at most directory.invalidations' "what hits are known to be is said" ball.out
	says 'begins: lines, thread [0-9]+ \(pong\): directory.transfers .*: do not run it at the same time .* \(ping\)$' "advice begins, with the partner" ball.out
	says ' ends: lines, thread [0-9]+ \(pong\)' "and ends when they rest" ball.out
	says 'the program has ended; output in perseus.data/ball-monitor-1.out' "the end is said" "$T/err"
	exits 0 "its twin, where each has a line of its own" perseus monitor --from=directory --rules-file=low --interval=0.25 -- ./ball 3000 apart
	says '^ +[0-9]+ pong +0 +0 +0 +0$' "takes nothing"
	silent 'begins|holds' "and nothing is advised"
else
	skip "the software directory" "the plugin is not built with a sanitizer"
fi

# ---- what the kernel counts, of a program without probes
cat >faults.c <<'E2'
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void)
{
	struct rusage u;
	char *p = mmap(NULL, 40000 * 4096ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, 40000 * 4096ul, MADV_NOHUGEPAGE);
	for (long i = 0; i < 40000; i++)
		p[i * 4096] = 1;
	getrusage(RUSAGE_SELF, &u);
	printf("%ld\n", u.ru_minflt);
	fflush(stdout);
	sleep(3);
}
E2
gcc -O1 -o faults faults.c
if perseus monitor --from=counters --families=kernel --save=faults.counts --interval=0.2 -- ./faults >faults.out 2>faults.err; then
	it "faults are counted from the program's first instruction on" python3 -c "
counted = max(int(l.split()[6]) for l in open('faults.counts') if l.startswith('thread'))
own = int(open('perseus.data/faults-monitor-1.out').read())
assert 40000 <= counted and own - 100 <= counted <= own + 30, (own, counted)
"
	sleep 60 &
	exits 0 "a process without record has counters" perseus monitor -p $! --families=kernel --from=counters --count=2 --interval=0.1
	says "^ +$! sleep " "it is there"
	exits 0 "both: the directory is left out" perseus monitor -p $! --families=kernel --count=1 --interval=0.1
	for from in counters both; do
		if perseus monitor -p $! --from=$from --count=1 --interval=0.1 >hint.out 2>hint.err; then
			ok "$from: a processor that has counters needs no hint"
		else
			says "--families=kernel counts what the kernel does" "$from: what can be counted without its counters is said" hint.err
		fi
	done
	kill $!
else
	skip "the kernel's events" "$(head -n 1 faults.err)"
fi
exits 0 "the events of this machine" perseus monitor --list
says 'libpfm4 |perf_event_open\(2\)' "have sources"
it "... as JSON" sh -c "perseus monitor --list --json | python3 -m json.tool >/dev/null"
cat >foreign <<'E2'
perseus-families 1
machine none NoSuchVendor 1 1
event coherence hitm thread X nowhere
machine generic - 0 -
event kernel faults kernel perf::PAGE-FAULTS perf_event_open(2)
E2
exits 0 "events of a file" perseus monitor --events-file=foreign --list
says '^generic$' "a processor that is not in it has the generic ones"

# ---- names
sed 's/ fighter / %0afi%09ght%1b /' made-up >hostile
exits 0 "names that would split a row" perseus monitor --replay=hostile --rules-file=rules --interval=0.2
says '^ +8 \?fi\?ght\?' "do not" "$T/out"
says 'rate-[0-9a-f]+ begins: nearer, thread 8 \(\?fi\?ght\?\)' "in advice, too" "$T/out"
if [ -z "$SAN" ]; then
	cat >called.c <<-'E2'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <unistd.h>
		static void *given(void *a) { pthread_setname_np(pthread_self(), "gamma"); sleep(2); return a; }
		static void *routine(void *a) { sleep(2); return a; }
		int main(int argc, char **argv)
		{
			pthread_t t[2];
			if (argc > 1 && argv[1][0] == 's')
				return 0;
			pthread_create(&t[0], NULL, given, NULL);
			pthread_create(&t[1], NULL, routine, NULL);
			pthread_join(t[0], NULL);
			pthread_join(t[1], NULL);
			return 0;
		}
	E2
	it "a program that calls one of its threads" gcc -O1 -fplugin="$PLUGIN" -o called called.c -pthread
	exits 0 "is watched" perseus monitor --from=directory --interval=0.4 -- ./called
	says '^ +[0-9]+ gamma ' "its name is that" "$T/out"
	says '^ +[0-9]+ routine ' "others are called by their routines, as in top" "$T/out"
	silent '^ +[0-9]+ called ' "and not by the program" "$T/out"
	exits 0 "one that ends at once" perseus monitor --from=directory -- ./called s
	says '^ +[0-9]+ main ' "has names, too" "$T/out"
fi

# ---- what is refused
printf 'perseus-counts 1\nevents a.b\nat 1\nthread 1 1 0 - x 1 1\n' >torn
exits 4 "counts that are torn" perseus monitor --replay=torn
says 'torn line 4: 8 words, expected' "with the line" "$T/err"
printf 'perseus-rules 1\nrule a b above 1 for 1 below 2 for 1 answer move\n' >bad
exits 4 "rules that contradict themselves" perseus monitor --replay=made-up --rules-file=bad
says 'bad line 2: below 2 is not below above 1' "with the line" "$T/err"
exits 4 "events that are none" perseus monitor --events-file=bad --list
exits 4 "no such file" perseus monitor --replay=nosuch
exits 4 "no such run" perseus monitor --from=directory nosuch
exits 4 "no such process" perseus monitor --from=directory -p 4194303
exits 2 "no program" perseus monitor --
exits 2 "two things at once" perseus monitor -p 1 @last
exits 2 "a source that is none" perseus monitor --from=cache
exits 2 "acting on a process that runs" perseus monitor --act --cpus=0 -p 1
exits 2 "acting without cores" perseus monitor --act -- ./ball 1
exits 2 "an audit without acting" perseus monitor --audit=x -- ./ball 1
exits 3 "acting without perseusd" perseus monitor --act --cpus=0 --socket="$T/nosuch" -- ./ball 1
finish
