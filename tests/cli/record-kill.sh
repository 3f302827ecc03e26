#!/bin/sh
# SPDX-License-Identifier: MIT
# The program never depends on the recorder: `perseus record` is killed at
# random instants, the program goes on to its end, and nothing is left behind
# outside the run directory.  KILLS=100 for the long form (default 5).
. tests/lib.sh
cd "$T" || exit 1
kills=${KILLS:-5}

cat >work.c <<'E'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
__attribute__((noinline)) static long work(long n) { volatile long s = 0; while (n--) s += n; return s; }
static void *thread(void *arg) { for (int i = 0; i < 200; i++) work(5000); return arg; }
int main(void)
{
	double end;
	int threads = 0, status = 0;
	pid_t child;
	if (!fopen("begun", "w")) return 3;
	end = now() + 0.5;
	child = fork();
	while (now() < end) {
		pthread_t t;
		if (pthread_create(&t, NULL, thread, NULL)) return 2;
		pthread_join(t, NULL);
		threads++;
		work(1000);
		usleep(2000);
	}
	if (!child) return 7;
	waitpid(child, &status, 0);
	printf("whole %d\n", WEXITSTATUS(status) == 7 && threads > 0);
	fflush(stdout);
	return fopen("ended", "w") ? 0 : 1;
}
E
gcc -O1 -g -fplugin="$PLUGIN" -pthread -o work work.c || { echo "Bail out! cannot build"; exit 1; }
mkdir tmp
export TMPDIR="$T/tmp"

options() {
	case $(($1 % 5)) in
	0) echo ;;
	1) echo --delay=0.1 --duration=0.2 ;;
	2) echo --purpose=sharing ;;
	3) perseus record --help | grep -q -- --trace && echo --trace ;;
	4) echo --start-signal=USR2 ;;
	esac
}

# Everything that is here and should not be: the runs themselves, and what the program writes.
strangers() {
	{ ls -A . | grep -vxE 'work[0-9]+|perseus\.data|begun|ended|out|err|report'
	  ls -A "$TMPDIR"
	  ls -A perseus.data 2>/dev/null | grep -vxE 'work[0-9]+-[0-9]+|last(-timing|-sharing)?'
	  ls /dev/shm | grep -i perseus | grep -v perseus-judge; } | tr '\n' ' '
}

# True while a process of this name is there.
running() { grep -qsx "$1" /proc/[0-9]*/comm; }

# Half of the instants count from the start of the recorder, half from that of the program.
instant() { awk -v seed="$1$(date +%N)" 'BEGIN { srand(seed); printf "%.4f", 0.01 + rand() * 0.5 }'; }
kill_one() {
	# shellcheck disable=SC2046
	perseus record -q $(options "$1") "./work$1" >out 2>err &
	recorder=$!
	if [ $(($1 % 2)) = 0 ]; then
		for _ in $(seq 200); do [ -e begun ] && break; sleep 0.01; done
	fi
	sleep "$(instant "$1")"
	kill -9 $recorder 2>/dev/null
	wait $recorder 2>/dev/null
	sleep 0.1
	for _ in $(seq 200); do running "work$1" || break; sleep 0.05; done
}

whole=0 clean=0 readable=0 early=0
for i in $(seq "$kills"); do
	mkdir "$T/k$i"
	cd "$T/k$i" || exit 1
	ln ../work "work$i"
	kill_one "$i"
	if [ ! -e begun ]; then
		early=$((early + 1)) whole=$((whole + 1)) readable=$((readable + 1))
	else
		if grep -qx "whole 1" out && [ -e ended ]; then whole=$((whole + 1)); else echo "# $i: $(cat out err)"; fi
		perseus report >report 2>&1
		case $? in
		0 | 1 | 4) readable=$((readable + 1)) ;;
		*) # one that waited for its start in vain has recorded nothing
			if [ -z "$(ls perseus.data/*/*.prec 2>/dev/null)" ]; then readable=$((readable + 1)); else echo "# $i: $(cat report)"; fi ;;
		esac
	fi
	s=$(strangers)
	if [ -z "$s" ]; then clean=$((clean + 1)); else echo "# $i: left behind: $s"; fi
	cd "$T" && rm -rf "$T/k$i"
done
it "$kills kills of the recorder: the program went on to its end ($early were before its start)" test "$whole" = "$kills"
it "... nothing was left outside the run directory" test "$clean" = "$kills"
it "... and what there is can be read" test "$readable" = "$kills"
it "no process is left" sh -c '! grep -qsE "^work[0-9]+\$" /proc/[0-9]*/comm'
finish
