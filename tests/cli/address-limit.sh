#!/bin/sh
# SPDX-License-Identifier: MIT
# A program under a limit of its address space does what it does without a
# record: it is recorded in a part of what is left, or not, and that is said.
. tests/lib.sh
[ -z "$SAN" ] || { skip "limits of the address space" "needs the plugin and a runtime without a sanitizer"; finish; }
cd "$T" || exit 1
chmod 777 .
cat >lim.c <<'E2'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static long a[16];
__attribute__((noinline)) static long work(long n) { volatile long s = 0; while (n--) s += n; return s; }
static void *run(void *p)
{
	void *q = malloc(1 << 20);

	if (!q) abort();
	for (int i = 0; i < 100000; i++) a[(long)p]++;
	memset(q, work(100) != 0, 1 << 20);
	return q;
}
int main(void)
{
	pthread_t t[3];
	int bad = 0, st;

	for (int k = 0; k < 3; k++) {
		pid_t c = fork();
		if (!c) { run(0); _exit(work(1) == 7); }
		if (c < 0 || waitpid(c, &st, 0) != c || st) bad++;
	}
	for (long i = 0; i < 3; i++) if (pthread_create(&t[i], 0, run, (void *)i)) return 100;
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	return bad;
}
E2
gcc -O2 -pthread -fplugin="$PLUGIN" lim.c -o lim
# A thread's first malloc() maps 64 to 128 MiB for a moment: meanwhile another one cannot be made, now and then.
export MALLOC_ARENA_MAX=1

# limited KIND KILOBYTES COMMAND...: without the right to raise a limit
limited() (
	kind=$1 kilobytes=$2
	shift 2
	ulimit "$kind" "$kilobytes" || exit 99
	[ "$(id -u)" != 0 ] || exec setpriv --reuid=65534 --clear-groups --bounding-set=-all "$@"
	exec "$@"
)
# recorded KIND KILOBYTES OPTIONS...: status of the program, the summary in $T/sum
recorded() {
	kind=$1 kilobytes=$2
	shift 2
	rm -rf run
	limited "$kind" "$kilobytes" "$O/bin/perseus" record "$@" -o "$T/run" ./lim >sum 2>&1
}

for k in 80000 100000 150000 1000000; do
	exits 0 "$k kB: the program without a record" limited -v $k ./lim
	exits 0 "... timing: ends as without" recorded -v $k
	says 'sites registered, nothing lost|leaves too little for a record' "... and it is recorded, or that is said" sum
	says '4 processes|leaves too little' "... with its children" sum
	exits 0 "... sharing: ends as without" recorded -v $k --purpose=sharing
	says 'sites registered, nothing lost|leaves too little for a record' "... and it is recorded, or that is said" sum
done
recorded -v 80000 --purpose=sharing
says 'leaves too little for a record' "80000 kB are too little for a sharing run" sum
silent '^trust +good' "... which is not called good" sum
recorded -v 1000000 --purpose=sharing
says 'sites registered, nothing lost' "1000000 kB are enough" sum
exits 0 "a soft limit is raised" recorded -Sv 130000 --purpose=sharing
says 'sites registered, nothing lost' "... so it is recorded" sum
finish
