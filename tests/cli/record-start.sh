#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus record --start-signal, --delay, --duration: a part of the life of a
# program that does not notice.
. tests/lib.sh
. tests/soon.inc
cd "$T" || exit 1
cc() { gcc -O1 -g -fplugin="$PLUGIN" -pthread "$@"; }

# A service: a worker, a thread that sleeps in poll(), its own use of SIGUSR1,
# and a line for everything that it could notice.
cat >service.c <<'E'
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t caught, stop, stopped;
static volatile long jobs;
static long interrupted;
static void on_usr1(int sig) { (void)sig; caught++; }
static void on_term(int sig) { (void)sig; stop = stopped = 1; }
__attribute__((noinline)) long job(long n) { volatile long s = 0; while (n--) s += n; return s; }
__attribute__((noinline)) static long before_only(long n) { volatile long s = 0; while (n--) s += n; return s; }
static void *worker(void *arg) { while (!stop) { job(20000); jobs++; } return arg; }
static void *sleeper(void *arg)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (!stop)
		if (poll(NULL, 0, 100) < 0 && errno == EINTR) interrupted++;
	return arg;
}
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
/* Alone it is, and a pipe that it closes has no other end. */
static int alone(void)
{
	struct pollfd p;
	int fd[2];
	char c;
	if (pipe(fd)) return 1;
	close(fd[1]);
	p = (struct pollfd){fd[0], POLLIN, 0};
	if (poll(&p, 1, 2000) != 1 || read(fd[0], &c, 1)) return 2;
	close(fd[0]);
	return !__libc_single_threaded;
}
/* The file `stop` is there, and ten turns and ten jobs have been done since. */
static int enough(long turns)
{
	static long turn, job = -1;
	if (access("stop", F_OK)) return 0;
	if (job < 0) { turn = turns; job = jobs; }
	return turns >= turn + 10 && jobs >= job + 10;
}
int main(int argc, char **argv)
{
	double end = now() + atof(argv[1]);
	long turns = 0;
	const char *what = argc > 2 ? argv[2] : "";
	long (*plugged)(long) = NULL;
	pthread_t t[2];
	int usr1 = 0;
	signal(SIGUSR1, on_usr1);
	signal(SIGTERM, on_term);
	before_only(1000);
	if (alone()) return 50 + alone();
	if (!strcmp(what, "plug")) {
		void *lib = dlopen(argv[3], RTLD_NOW);
		plugged = lib ? (long (*)(long))dlsym(lib, "plugged") : NULL;
		if (!plugged) return 60;
	}
	if (!strcmp(what, "fork")) { pid_t c = fork(); if (!c) usr1 = 1000; }
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	pthread_create(&t[0], NULL, worker, NULL);
	pthread_create(&t[1], NULL, sleeper, NULL);
	for (; !stop && now() < end && !enough(turns); turns++) {
		if (usleep(10000) && errno == EINTR) usr1++;
		if (plugged) plugged(100);
	}
	stop = 1;
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	if (!strcmp(what, "fork") && usr1 < 1000) { int s; wait(&s); if (WEXITSTATUS(s) != 5) return 70; }
	if (!strcmp(what, "exec")) execl(argv[0], argv[0], argc > 3 ? argv[3] : "0.1", (char *)NULL);
	printf("turns %ld\n", turns);
	printf("jobs %ld caught %d interrupted %ld\n", jobs, (int)caught, interrupted + (usr1 % 1000 > caught + stopped));
	return 5;
}
E
cat >plug.c <<'E'
__attribute__((noinline)) static long inner(long n) { volatile long s = 0; while (n--) s += n; return s; }
long plugged(long n) { return inner(n) + 1; }
E
cc -o service service.c -ldl && cc -shared -fPIC -o plug.so plug.c || { echo "Bail out! cannot build"; exit 1; }

turns() { sed -n 's/^turns //p' "$1"; }
jobs() { sed -n 's/^jobs \([0-9]*\) .*/\1/p' "$1"; }
# of_function NAME: calls in the run's report
of_function() { perseus report --json --calls 999 "${2:-@last}" | python3 -c '
import json, sys
print(sum(f["calls"] for f in json.load(sys.stdin)["functions"] if f["name"] == sys.argv[1]))' "$1"; }
between() { [ -n "$3" ] && [ "$3" -ge "$1" ] && [ "$3" -le "$2" ]; }
wall_ms() { awk '/^wall_ns:/ { printf "%d", $2 / 1000000 }' "$1/manifest.yaml"; }

# start OPTION... COMMAND: in the background; $recorder and $victim, which has said its number
start() {
	rm -f stop
	perseus record "$@" >"$T/out" 2>"$T/err" &
	recorder=$!
	soon grep -q '^pid ' "$T/out"
	victim=$(sed -n 's/^pid //p' "$T/out" | tail -1)
}
# ends STATUS TEXT: what was started is told to end, and does with that status
ends() {
	touch stop
	wait $recorder
	e_got=$?
	it "$2" test $e_got = "$1"
}

began=$(date +%s%3N)
start --delay=0.4 --duration=1 ./service 90
it "a delay and a duration: the end is announced" soon grep -q "stopped; the program goes on" "$T/err"
elapsed=$(($(date +%s%3N) - began))
ends 5 "... the program's status is handed on"
cp "$T/out" first.out
says "^jobs [0-9]+ caught 0 interrupted 0" "... it has not noticed: no signal, no call interrupted" "$T/out"
says "^status: stopped" "the manifest says that a part was recorded" perseus.data/last/manifest.yaml
it "the run is as long as the duration, and the delay is no part of it" between 990 "$((elapsed - 390))" "$(wall_ms perseus.data/last)"
all=$(jobs first.out) part=$(of_function job)
it "some of the calls are recorded, not all" between 1 "$((all - 10))" "$part"
it "nothing of what was before" test "$(of_function before_only)" = 0
exits 0 "the run is complete" perseus report
says "main .*start of a thread" "the first thread is known as what it is" "$T/out"
it "the control page is gone" test ! -e perseus.data/last/control
it "no file but the record is open in the run" test "$(ls perseus.data/last | sort | tr '\n' ' ')" = "$(cd perseus.data/last && ls -d *.prec manifest.yaml modules | sort | tr '\n' ' ')"

start --start-signal=USR1 ./service 90
it "the recorder says whom to signal" soon grep -q "waiting: kill -USR1 $recorder begins" "$T/err"
it "the program has the threads that it made, and one that waits" soon tasks "$victim" 4
kill -USR1 "$victim"
soon settled "$victim"
it "while it waits the record holds no thread" test "$(threads_in perseus.data/last/*.prec)" = 0
kill -USR1 $recorder
soon recording perseus.data/last 1
kill -USR1 "$victim"
kill -USR1 $recorder
soon grep -q "^next" "$T/err"
says "^run @last" "the second signal ends it, and the summary is there while the program runs" "$T/err"
it "... which it does, without the thread that waited" soon tasks "$victim" 3
kill -USR1 $recorder
kill -TERM $recorder
wait $recorder
it "a third signal does nothing, another one is handed on" test $? = 5
says "^jobs [0-9]+ caught 2 interrupted 0" "the program's own use of the same signal is untouched" "$T/out"
exits 0 "the run is complete" perseus report @last

start --start-signal=SIGUSR2 ./service 90
kill -USR2 $recorder
soon recording perseus.data/last 3
kill -TERM $recorder
wait $recorder
it "without a second signal it is recorded to its end" test "$? $(sed -n 's/^status: //p' perseus.data/last/manifest.yaml)" = "5 exited"
it "... all threads are known, by the calls that they make" test "$(perseus report | sed -n 's/^run .* \([0-9]*\) threads.*/\1/p')" = 3
grep -v '^ *overhead' "$T/err" >rest
silent "[0-9]{3,}\.?[0-9]* %" "... waits that began before the start count from there" rest

rm -rf perseus.data
exits 125 "a program that ends before the start leaves no run" perseus record --delay=20 ./service 0.1
says "ended before --delay was over" "... and that is said" "$T/err"
it "... nor anything else" test ! -e perseus.data
exits 125 "the same for the signal" perseus record --start-signal=USR1 ./service 0.1
says "ended before the signal came" "... with its own words" "$T/err"

# both RUN: two records, each with a worker
both() { for f in "$1"/*.prec; do threads_in "$f"; done | awk '$1 >= 2 { n++ } END { exit n != 2 }'; }
start --delay=0.3 ./service 90 fork
soon both perseus.data/last
ends 5 "a fork before the start"
it "... both processes are recorded" test "$(ls perseus.data/last/*.prec | wc -l)" = 2
it "... each with its worker" both perseus.data/last
start -o execed --delay=0.2 ./service 90 exec
soon recording execed 1
ends 5 "exec after the start"
it "... the new program is recorded from its beginning" test "$(of_function before_only execed)" = 1
start -o ended --delay=0.1 --duration=0.2 ./service 90 exec
soon grep -q "stopped; the program goes on" "$T/err"
ends 5 "exec after the end"
it "... the new program is not recorded" test "$(ls ended/*.prec | wc -l)" = 1
start -o early --start-signal=USR2 ./service 0.1 exec 90
soon sh -c '[ $(grep -c ^pid "$1") = 2 ]' - "$T/out"
kill -USR2 $recorder
soon recording early 1
ends 5 "exec before the start"
it "... leaves no record of what was before" test "$(ls early/*.prec | wc -l)" = 1
start -o plugged --delay=0.2 ./service 90 plug ./plug.so
soon recording plugged 1
ends 5 "a library that was loaded before the start"
it "... is recorded" between 5 "$(turns "$T/out")" "$(of_function inner plugged)"

cat >daemon.c <<'E'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) static long job(long n) { volatile long s = 0; while (n--) s += n; return s; }
int main(int argc, char **argv)
{
	FILE *f;
	long jobs = 0, last = -1;
	(void)argc, (void)argv;
	if (fork()) return 0;
	setsid();
	if (fork()) return 0;
	fclose(stdin); fclose(stdout); fclose(stderr);
	for (; last < 0 || jobs < last + 20; jobs++) {
		if (last < 0 && !access("daemon.stop", F_OK)) last = jobs;
		job(1000);
		usleep(10000);
	}
	f = fopen("daemon.jobs", "w");
	return !f || fprintf(f, "%ld\n", jobs) < 0 || fclose(f) || rename("daemon.jobs", "daemon.ended");
}
E
cc -o daemon daemon.c || exit 1
exits 0 "a daemon outlives the program, and is recorded" timeout 90 perseus record -o daemon.run --delay=0.3 --duration=1 ./daemon
part=$(of_function job daemon.run)
it "... and goes on" test ! -e daemon.ended
touch daemon.stop
soon test -e daemon.ended
it "... to its end" test -e daemon.ended
it "... recorded for the time that was asked for" between 1 "$(($(cat daemon.ended) - 20))" "$part"
it "... which leaves no record of its own" test "$(of_function job daemon.run)" = "$part"

cat >share.c <<'E'
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
static struct { volatile long a, b; } pair __attribute__((aligned(64)));
static volatile struct { _Alignas(64) long n; } round_of[2];
static volatile long last = 1L << 40;
/* Neither is a round ahead: they meet on one processor, too.  A thousand rounds after the file `stop` both end. */
static void *run(void *p)
{
	int me = p == (void *)&pair.b;
	for (long n = 1; n < last; n++) {
		for (round_of[me].n = n; round_of[!me].n < n;)
			sched_yield();
		for (int i = 0; i < 1000; i++) ++*(volatile long *)p;
		if (!me && last == 1L << 40 && n % 100 == 0 && !access("stop", F_OK)) last = n + 1000;
	}
	round_of[me].n = 1L << 40;
	return p;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, run, (void *)&pair.a);
	pthread_create(&t[1], NULL, run, (void *)&pair.b);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
E
cc -o share share.c || exit 1
rm -f stop
perseus record -q -o shared --purpose=sharing --delay=0.2 ./share &
recorder=$!
soon recording shared 2
ends 0 "memory probes wake up late, too"
perseus conflicts --all shared >"$T/out" 2>"$T/err"
says "false-sharing" "... and find what is there" "$T/out"

exits 2 "a signal that does not exist" perseus record --start-signal=NONE ./service 1
says "expected a signal" "... is named" "$T/err"
exits 2 "a signal that cannot be taken" perseus record --start-signal=KILL ./service 1
exits 2 "no time" perseus record --delay=0 ./service 1
exits 2 "two beginnings" perseus record --delay=1 --start-signal=USR1 ./service 1
finish
