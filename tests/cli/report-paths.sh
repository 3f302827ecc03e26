#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus report --paths, --bottom-up, --folded on programs with known calls;
# calls that were open when a program was killed; programs with one name twice.
. tests/lib.sh
. tests/soon.inc

cat >"$T/prog.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define N __attribute__((noinline))

static volatile unsigned sum;

N static void empty(unsigned i) { sum += i; }
N static void tiny(unsigned i) { for (unsigned n = 0; n < 40; n++) sum += i; }
N static void work(unsigned n) { for (unsigned i = 0; i < n; i++) sum += i; }
N static void once(void) { work(3000000); }
N static void twice(void) { work(3000000); once(); }
N static void many(unsigned n) { for (unsigned i = 0; i < n; i++) tiny(i); }
N static void none(unsigned n) { for (unsigned i = 0; i < n; i++) empty(i); }
N static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
N static void serve(void) { usleep(300000); fclose(fopen("serving", "w")); for (;;) usleep(100000); }
static void *thread(void *arg) { twice(); usleep(20000); return arg; }

int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	once();
	twice();
	many(400000);
	none(100000);
	sum += fib(18);
	pthread_join(t, NULL);
	if (argc > 1)
		serve();
	printf("%u %s\n", sum & 1, argv[0] ? "end" : "");
	return 0;
}
C
line() { grep -nF "$1" "$T/prog.c" | head -1 | cut -d: -f1; }
top=$(pwd)
cd "$T" || exit 1
it "program builds" gcc -O1 -pthread -fplugin="$PLUGIN" -o prog prog.c
exits 0 "it is recorded" perseus record -q ./prog
exits 0 "its calls are a tree" perseus report --paths --calls 1000
says '^ *[0-9.]+ % +[0-9.]+ % .*  main \(prog\.c:[0-9]+\)$' "main is a root"
says '^ *[0-9.]+ % .*  thread \(prog\.c:[0-9]+\)$' "so is what the other thread starts in"
says "   1 .*    twice \(prog\.c:$(line '	twice()')\)" "calls stand one level below, with the place of the call"
says "   1 .*      once \(prog\.c:$(line 'once(); }')\)" "and what they call below them"
says "^ .* 400,000 .*      tiny \(prog\.c:$(line 'tiny(i)')\)" "counts are exact"
says ' (([2-9][0-9.]*|[1-9][0-9][0-9]) m|[0-9.]+ )s .*    usleep .* [0-9.]+ % waiting' "waiting is said where it happened"
says '100,000 +(< )?[0-9.]+ [nmu]s .*      empty' "a function that is shorter than its probe is there"
exits 0 "the other way round" perseus report --bottom-up --calls 1000
says "^ *[0-9.]+ % +[0-9.]+ [mu]?s +5 .*  work$" "a function with all its calls"
says "    twice \(prog\.c:$(line 'static void twice')\)" "its callers below it"
says "      thread \(prog\.c:$(line '*thread')\)" "and theirs"
exits 0 "as JSON" perseus report --paths --json --calls 1000
cp "$T/out" paths.json
exits 0 "folded" perseus report --folded
cp "$T/out" folded.txt
says '^main;many;tiny [0-9]+$' "a frame for each call" folded.txt
says '^thread;usleep;\[waiting\] [0-9]+$' "waiting is a frame" folded.txt
silent '^[^ ]* [0-9]+ |^ |[^0-9]$' "each line is a stack and a number" folded.txt
if command -v python3 >/dev/null; then
	cat >same.py <<'P'
import json
r = json.load(open("paths.json"))
nodes = r["nodes"]
path = lambda n: (path(nodes[n["parent"]]) if n["parent"] is not None else ()) + (n["name"],)
calls = {}
for n in nodes:
    calls[path(n)] = calls.get(path(n), 0) + n["calls"]
want = {("main", "once"): 1, ("main", "once", "work"): 1, ("main", "twice"): 1, ("main", "twice", "once", "work"): 1,
        ("main", "many", "tiny"): 400000, ("main", "none", "empty"): 100000,
        ("thread", "twice", "once"): 1, ("thread", "usleep"): 1, ("main", "fib"): 1}
for k, v in want.items():
    assert calls.get(k) == v, (k, calls.get(k), v)
assert sum(v for k, v in calls.items() if k[-1] == "fib") == 8361, calls
assert len(nodes) == r["nodes_in_all"] and r["calls_without_path"] == 0
own = sum(n["self_ns"] + n["wait_ns"] for n in nodes)
assert abs(own - r["thread_ns"]) < 1e-3 * r["thread_ns"], (own, r["thread_ns"])
for i, n in enumerate(nodes):
    below = sum(m["total_ns"] for m in nodes if m["parent"] == i)
    assert abs(n["total_ns"] - n["self_ns"] - n["wait_ns"] - below) < 10 + 1e-6 * n["total_ns"], n
for n in nodes:
    for q in (n["p50_ns"], n["p90_ns"], n["p99_ns"]): # what the clock cannot distinguish has no figure
        assert q is None or q >= r["resolution_ns"] > 0, n
stacks = dict(l.rsplit(" ", 1) for l in open("folded.txt").read().splitlines())
assert abs(sum(map(int, stacks.values())) - r["thread_ns"]) < 1e-3 * r["thread_ns"]
P
	it "tree, folded stacks and thread time are one and the same, all counts are exact" python3 same.py
else
	skip "tree, folded stacks and thread time are one and the same, all counts are exact" "python3 is not installed"
fi
exits 2 "one form at a time" perseus report --paths --folded
exits 2 "folded stacks are not JSON" perseus report --folded --json
tar -xzf "$top/tests/record/golden/1.0-timing.tar.gz"
exits 4 "a run of the first format has no paths" perseus report --paths ./1.0-timing
says 'no call paths' "and that is said"
silent '^ *[0-9.]+ %' "instead of an empty tree" "$T/out"

# Killed inside of calls; its twin, which ended by itself, has none to name.
perseus record -q ./prog x >/dev/null 2>"$T/record.err" &
rec=$!
soon test -e serving # 300 ms and more are over, as the calls since then have told the record
pid=$(ps -o pid= --ppid $rec | head -1)
[ -n "$pid" ] && soon grep -q '^State:.*sleeping' /proc/$((pid))/status && kill -9 "$pid"
wait $rec
exits 4 "a killed run is reported" perseus report
says "^main was in serve \(prog\.c:$(line '		serve()')\) -> usleep \(prog\.c:$(line 'static void serve')\)" "with the calls that it was in"
exits 4 "the tree, too" perseus report --paths
says '  serve \(prog\.c:[0-9]+\).*, 1 not returned' "marks what did not return"
says '^ *[0-9.]+ % +[0-9.]+ % +([3-9][0-9][0-9] ms|[0-9.]+ s) +1 .*  serve' "and counts its time up to the end"
exits 0 "the whole run" perseus report prog-1
silent ' was in ' "names no open call"

# Two programs of one run with a main and a leaf each.
for i in 1 2; do
	{
		[ $i = 2 ] && echo && echo
		echo '#include <unistd.h>'
		echo '__attribute__((noinline)) static void leaf(int n) { volatile int x; while (n--) x = n; }'
		echo 'int main(void) {'
		[ $i = 1 ] && echo '	leaf(200000); execl("./p2", "p2", (char *)0); return 1; }' || echo '	leaf(100000); leaf(100000); return 0; }'
	} >p$i.c
	gcc -O1 -w -fplugin="$PLUGIN" -o p$i p$i.c
done
exits 0 "a program that becomes another is recorded" perseus record -q ./p1
exits 0 "and reported" perseus report
says '  main \(p1\.c:3\), start of a thread$' "the main of the first"
says '  main \(p2\.c:5\), start of a thread$' "is not that of the second"
says ' 1 .*  leaf \(called at p1\.c:4\)$' "functions of one name"
says ' 2 .*  leaf \(called at p2\.c:6\)$' "are kept apart by program"
cd "$top" || exit 1
finish
