#!/bin/sh
# SPDX-License-Identifier: MIT
# make check-transparency: the test programs of GCC itself, and random ones, do
# the same with all probes in them, asleep and awake, as without.  Prints the
# counts; needs gcc-N-source, csmith and libcsmith-dev.  Arguments, if any, are
# groups and options of judge.py that replace the list below.
: "${O:=$(pwd)/build}"
here=$(dirname "$0")
levels="-O0 -O2 -O3"
# One seed in eight runs for longer than the judge waits: 240 leave 200.
set -- --lib "$O/lib" --data "${CORPORA:-$O/transparency}" --names --seeds 240 "$@"
[ $# = 7 ] || exec "$here/judge.py" "$@"
for corpus in torture ieee builtins g++; do
	for level in $levels; do
		set -- "$@" "$corpus:$level"
	done
done
for corpus in csmith coroutines dg-torture; do
	set -- "$@" "$corpus:-O2"
done
set -- "$@" gomp:-O2:2 csmith:-O0:2 csmith:-O3:2 coroutines:-O0:4 coroutines:-O3:4 libstdc++:-O2:6 dg-torture:-O0:5 dg-torture:-O3:5
set -- "$@" code/torture:-O2:4 code/g++:-O2:4 code/csmith:-O3:10
for level in "-O2 -flto" -O1 -Og -Os "-O2 -fPIC" "-O2 -fPIE -pie" "-O2 -no-pie" "-O2 -static" "-O2 -g"; do
	set -- "$@" "torture:$level:12" "g++:$level:12"
done
exec "$here/judge.py" "$@"
