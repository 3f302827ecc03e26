#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-overhead: the overhead that a report tells, beside what was
# measured: CPU time of the recorded program and its recorder over that of the
# plain build, least of interleaved runs, in four modes.
. tests/bench/lib.sh
. tests/bench/programs.sh
load_note
VARIANTS="plain calls,memory"
rounds=${BENCH_ROUNDS:-3}
only=${BENCH_ONLY:-}
measure() {
	name=$1 program=$2
	shift 2
	python3 tests/bench/overhead.py "$rounds" "$T" "$name" "$T/plain/$program" "$T/calls,memory/$program" "$@" | tee -a "$T/table"
}
D=$(pwd)
if build kv 'gcc $F -o $B/kv tests/bench/kv.c -lpthread'; then
	measure kv-2 kv 2 20000
	measure kv-8 kv 8 4000
fi
each_program
for mode in timing budget trace sharing; do
	all=$(grep -c " $mode " "$T/table")
	off=$(grep " $mode .* OFF" "$T/table" | wc -l)
	figure "overhead-$mode-off" "$off" 0 "of $all programs neither within 2 points or a factor of 1.3 nor in the interval told"
done
finish_bench
