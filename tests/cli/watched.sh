#!/bin/sh
# SPDX-License-Identifier: MIT
# Watched programs of 1,000 threads, and such as end, exec and fork meanwhile: perseus top and perseus monitor see
# each thread once, go on or say the end, and leave nothing behind.
. tests/lib.sh
cd "$T" || exit 1
if [ -n "$SAN" ]; then
	skip "watched programs" "the plugin is not built with a sanitizer"
	finish
fi
W=watched$$
cat >watched.c <<'E2'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int n;
static volatile long seats[1000][16];
static pthread_barrier_t all;
static void *sit(void *arg)
{
	long me = (long)arg;
	pthread_barrier_wait(&all);
	for (;;) {
		seats[me][0]++;
		usleep(200000);
		if (access("leave", F_OK) == 0)
			return arg;
	}
}
static void threads(void)
{
	pthread_attr_t small;
	pthread_t *t = calloc((size_t)n, sizeof(*t));
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all, NULL, (unsigned)n + 1);
	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], &small, sit, (void *)i))
			exit(3);
	pthread_barrier_wait(&all);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}
int main(int argc, char **argv)
{
	n = atoi(argv[1]);
	if (argc > 2 && !strcmp(argv[2], "exec"))
		execl(argv[0], argv[0], argv[1], "after", (char *)NULL);
	if (argc > 2 && !strcmp(argv[2], "late")) {
		usleep(1500000);
		execl(argv[0], argv[0], argv[1], "after", (char *)NULL);
	}
	if (argc > 2 && !strcmp(argv[2], "fork")) {
		pid_t child = fork();
		threads();
		if (child)
			waitpid(child, NULL, 0);
		return child ? 0 : 5;
	}
	threads();
	return 0;
}
E2
it "a program builds" gcc -O1 -fplugin="$PLUGIN" -o "$W" watched.c -pthread
# What JSON documents say: python on `docs`.
look() { it "$1" python3 -c "
import json
d, s, at, docs = json.JSONDecoder(), open('$2').read().rstrip(), 0, []
while at < len(s):
    x, at = d.raw_decode(s, at)
    docs.append(x)
    while at < len(s) and s[at].isspace():
        at += 1
tables = [x for x in docs if 'threads' in x]
most = max(tables, key=lambda x: len(x['threads']))
$3"; }
# The program leaves as soon as its threads have been seen: whatever the machine does meanwhile.
# watch SECONDS OUT COMMAND...: until OUT names that many threads, then `leave`
watch() {
	want=$1 out=$2
	shift 2
	rm -f leave
	"$@" >"$out" 2>"$out.err" &
	watcher=$!
	for _ in $(seq 300); do
		[ "$(python3 -c "
import json
d, s, at, n = json.JSONDecoder(), open('$out').read().rstrip(), 0, 0
try:
    while at < len(s):
        x, at = d.raw_decode(s, at)
        n = max(n, len(x.get('threads', [])))
        while at < len(s) and s[at].isspace():
            at += 1
except ValueError:
    pass
print(n)" 2>/dev/null)" -ge "$want" ] 2>/dev/null && break
		kill -0 $watcher 2>/dev/null || break
		sleep 0.2
	done
	touch leave
	wait $watcher
	echo $? >"$out.status"
}

watch 1001 top.json perseus top --interval=0.5 --json -- "./$W" 1000
look "top: 1,000 threads, each once" top.json "
assert len(most['threads']) == 1001, len(most['threads'])
assert len({x['tid'] for x in most['threads']}) == 1001"
it "... and their end" grep -q "the program has ended" top.json.err
it "... with status 0" grep -qx 0 top.json.status

watch 1001 monitor.json perseus monitor --from=directory --interval=0.5 --json -- "./$W" 1000
look "monitor: 1,000 threads, each once" monitor.json "
assert len(most['threads']) == 1001, len(most['threads'])
assert len({x['tid'] for x in most['threads']}) == 1001"
look "... whose own lines nobody takes" monitor.json "
totals = docs[-1]['totals']
assert len(totals) >= 1001, len(totals)
assert all(t['directory.hit'] <= t['directory.hit_at_most'] for t in totals)"
it "... and their end" grep -q "the program has ended" monitor.json.err
it "... with status 0" grep -qx 0 monitor.json.status

watch 6 exec.json perseus monitor --from=directory --interval=0.3 --json -- "./$W" 5 late
look "monitor: a program that calls exec is one process with its new threads" exec.json "
assert len(most['threads']) == 6, most['threads']
assert len({x['pid'] for x in most['threads']}) == 1
assert len({x['tid'] for x in most['threads']}) == 6"
it "... and its end" grep -q "the program has ended" exec.json.err
watch 6 at-once.json perseus monitor --from=directory --interval=0.3 --json -- "./$W" 5 exec
look "... also at once" at-once.json "assert len(most['threads']) == 6, most['threads']"

watch 12 fork.json perseus monitor --from=directory --interval=0.3 --json -- "./$W" 5 fork
look "monitor: both processes of one that forks" fork.json "
assert len(most['threads']) == 12, most['threads']
assert len({x['pid'] for x in most['threads']}) == 2"
it "... and their end" grep -q "the program has ended" fork.json.err
watch 12 top-fork.json perseus top --interval=0.3 --json -- "./$W" 5 fork
look "top: both, too" top-fork.json "
assert most['processes'] == 2 and len(most['threads']) == 12, (most['processes'], len(most['threads']))"

touch leave
exits 0 "monitor: a program that has ended before the first look" perseus monitor --from=directory --interval=0.3 -- "./$W" 3
says "the program has ended" "... is told"
it "nobody is left" sh -c "! pgrep -f '^./$W ' >left || { cat left; false; }"
finish
