#!/bin/sh
# SPDX-License-Identifier: MIT
# What threads are called: by the routine of the program, the same in every
# command and every run, and never by what happened to be inlined there.
. tests/lib.sh
cp tests/cli/names/* "$T"
cd "$T" || exit 1
line() { grep -n "$1" "$2" | head -1 | cut -d: -f1; }

# names WANTED PROGRAM ARGUMENT...: the names of its threads, sorted, joined by ';'
names() {
	n_want=$1
	shift
	perseus record -q -o run "$@" >/dev/null 2>err || return 1
	n_got=$(perseus report --json run | python3 of.py)
	rm -rf run
	[ "$n_got" = "$n_want" ] || { echo "got '$n_got', expected '$n_want'"; return 1; }
}

for o in -O0 -O2; do
	it "$o: C builds" gcc $o -g -pthread -fplugin="$PLUGIN" -o threads threads.c
	it "$o: C threads have the names of their routines" names \
		'compute 0;compute 1;consume 0;consume 1;consume 2;eleven;main' ./threads
done
it "recorded for all commands" perseus record -q -o all ./threads
perseus report --threads all >out
says ' consume 2$' "report numbers them"
silent ' (take|store|turn) 0$' "... and calls none after what is inlined into it"
says '^ +[0-9.]+ % .* compute \(threads\.c:[0-9]+\), start of a thread|^ +[0-9.]+ % .* compute, start of a thread' "the time of a thread that only computes is its routine's"
perseus report all >out
silent ' [1-9][0-9]* % unknown' "... and nobody's else"
perseus waits --all all >out
silent '(waits|held by) +(take|store)' "waits have the same names"
perseus analyze all -o model.yaml >out 2>&1
says 'consume 2' "the model has the same names" model.yaml

for o in -O0 -O2; do
	it "$o: C++ builds" g++ -std=c++20 $o -g -pthread -fplugin="$PLUGIN" -o forms forms.cc
	while read -r which want; do
		it "$o: $which is '$want'" names "$want" ./forms "$which"
	done <<-END
		function calls 0;calls 1;calls 2;main
		leaf computes 0;computes 1;main
		config configured;main
		member app::Engine::turn;main
		functor app::Functor::operator();main
		template app::Worker<double>::run;main
		lambda lambda at forms.cc:$(line 'lambda that calls' forms.cc) 0;lambda at forms.cc:$(line 'lambda that calls' forms.cc) 1;main
		quiet-lambda lambda at forms.cc:$(line 'lambda that computes' forms.cc);main
		kept-lambda lambda at forms.cc:$(line 'lambda that is kept' forms.cc) 0;lambda at forms.cc:$(line 'lambda that is kept' forms.cc) 1;main
		two-lambdas lambda at forms.cc:$(line 'first of two' forms.cc);lambda at forms.cc:$(line 'second of two' forms.cc);main
		bind calls;main
		async calls;main
		async-lambda lambda at forms.cc:$(line 'lambda of async' forms.cc);main
		jthread calls;main
		jthread-lambda lambda at forms.cc:$(line 'lambda of jthread' forms.cc);main
	END
done

if echo 'int main(void) { return 0; }' | gcc -fopenmp -x c -o has-omp - 2>/dev/null; then
	it "OpenMP builds" gcc -O2 -g -fopenmp -fplugin="$PLUGIN" -o teams teams.c
	n=$(line 'the first' teams.c)
	it "workers of one region have its name" names "main;region fill:$n 0;region fill:$n 1" ./teams
	it "workers of several are the pool's" names 'OpenMP worker 0;OpenMP worker 1;main' ./teams both
else
	skip "OpenMP threads" "no libgomp"
fi
# ---- locks without a symbol -------------------------------------------------------------
for o in -O0 -O2; do
	it "$o: a program with locks on the heap builds" g++ $o -g -pthread -fplugin="$PLUGIN" -o locks locks.cc
	it "... and is recorded" perseus record -q -o locks$o ./locks
	perseus waits --all locks$o >out
	for m in accounts_mutex log_mutex again 'vault(\.m)?'; do
		says "^    mutex     Bank::$m +2,00[0-9] times by [23] threads" "$o: a member is named: $m"
	done
	says '^    mutex     Bank::drawer\[\]\.lock +2,000 times' "$o: ... of an element, whichever" out
	says '^    mutex     Plain::shelf\[\] +2,000 times' "$o: ... an element itself" out
	says '^    rwlock    Bank::rates +2,000 times' "$o: ... of a shared_mutex"
	says '^    mutex     Plain::door +2,000 times' "$o: ... of a struct from malloc"
	says '^    rwlock    Plain::book +2,000 times' "$o: ... its rwlock"
	says '^    spinlock  Plain::fast +2,000 times' "$o: ... its spin lock"
	says '^    mutex     (here, )?local of main ' "$o: a local one is said to be one"
	silent '(gthr-default|std_mutex|invoke|atomic_base)\.h' "$o: no place in a header of the library"
	silent '^    (mutex|rwlock) +- ' "$o: none without a name"
	perseus analyze locks$o -o model.yaml >out 2>&1
	silent '(gthr-default|std_mutex)\.h' "$o: analyze shows none either"
done

# Where a stack lies is read from libc's block of the thread; what else looks like it depends on the addresses.
never_local() {
	for n_i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		rm -rf often
		perseus record -q -o often ./locks >/dev/null && perseus waits --all often >out || return 1
		! grep -E '(Bank|Plain)::[a-z_.]+, local of' out || return 1
	done
}
it "what is on the heap is on no thread's stack, in twenty recordings" never_local

# ---- whose time it is: own code, a library without probes -----------------------------------
it "a library without probes builds" gcc -O1 -g -fPIC -shared -DLIBRARY -o libsqueeze.so squeeze.c
it "... and a program that works there" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o squeeze squeeze.c -L. -lsqueeze -Wl,-rpath,"$PWD"
it "it is recorded" perseus record -q -o library ./squeeze
perseus report library >out
says ' waiting, [1-9][0-9] % in libraries without probes, 0 % unknown' "the time is in a library"
says "^          [1-9][0-9] % in squeeze, which has no probes \\(called at squeeze\\.c:$(grep -n 'the call' squeeze.c | cut -d: -f1)\\): " "... behind this call"
it "the same with probes" gcc -O1 -g -pthread -fplugin="$PLUGIN" -DLIBRARY -c -o own.o squeeze.c
it "... in the program" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o own squeeze.c own.o
it "it is recorded, too" perseus record -q -o own-run ./own
perseus report own-run >out
says ' waiting, [0-9] % in libraries without probes, 0 % unknown' "it is own code"
silent 'which has no probes' "... and has probes"
for r in library own-run; do
	perseus report $r >out
	# ... and that in line for a core, which is in the time of no function.
	sum=$(sed -n 's/ %/ /g; s/^time *//p; s/^ *(\([0-9]*\) .*in the time of no function.*/\1/p' out | tr ',' '\n' | awk '{ n += $1 } END { print n }')
	it "each part of the time is in one place only ($r: $sum %)" test "$sum" -ge 97 -a "$sum" -le 103
done

# A clone of which nothing is left to probe is no library.
cat >clone.c <<'C'
#include <stdint.h>
static uint8_t all[4][4];
static __attribute__((noinline)) long touch(uint8_t *p, long x, long i)
{
	return x + *p;
}
int main(int argc, char **argv)
{
	long x = 0;

	for (long i = 0; i < 2000000; i++) {
		x = touch(&all[argc % 4][i % 3], x, i);
		__asm__ volatile("" ::: "memory");
	}
	return x != 0;
}
C
it "a function that is cloned builds" gcc -Os -g -fplugin="$PLUGIN" -o clone clone.c
it "... as a clone of another name" sh -c "nm clone | grep -q ' t touch\.'"
it "... is recorded" perseus record -q -o clone-run ./clone
perseus report clone-run >out
says ' waiting, 0 % in libraries without probes' "... and is the program's own"

# ---- who stands in line for a core does so for what it computes ---------------------------------
core=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
# own FUNCTION: microseconds of its own, 0 if it is not named
own() { python3 -c 'import json, sys
print(int(sum(f["self_ns"] for f in json.load(open("out"))["functions"] if f["name"].startswith(sys.argv[1])) / 1000))' "$1"; }
for twin in CALLED OWN; do
	it "six threads of one core build ($twin)" gcc -O2 -g -pthread -D$twin -fplugin="$PLUGIN" -o line line.c
	it "... are recorded" taskset -c "$core" perseus record -q -o line-$twin ./line
	perseus report --json line-$twin >out
	case $twin in CALLED) who=chunk other=step ;; *) who=step other=chunk ;; esac
	it "... $who has time ($(own $who) us)" [ "$(own $who)" -gt 1000 ]
	it "... and $other hardly any ($(own $other) us)" [ "$(own $who)" -gt $((3 * $(own $other))) ]
done
finish
