#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-dormant: what programs cost that were built with probes and run
# without the runtime, against the plain build.  Least CPU time of interleaved
# runs of the programs in tests/bench/programs.sh.
. tests/bench/lib.sh
. tests/bench/programs.sh
VARIANTS="plain calls calls,memory"
load_note
plugin_line
rounds=${BENCH_ROUNDS:-15}
gcc -O2 -o "$T/cputime" tests/bench/cputime.c || exit 3

# measure NAME PROGRAM ARGUMENT...
measure() {
	name=$1 program=$2
	shift 2
	"$T/cputime" "$rounds" "$T/plain/$program" "$T/calls/$program" "$T/calls,memory/$program" -- x "$@" 2>"$T/log" |
		awk -v n="$name" '{ printf "%s %s %.3f %.3f\n", n, $1, $2 / $1, $3 / $1 }' >"$T/line"
	[ -s "$T/line" ] || { echo "note: $name: $(tail -n 1 "$T/log")"; return; }
	text=$(for v in plain calls calls,memory; do size -A "$T/$v/$program" | awk '/^\.text/ { n += $2 } END { print n }'; done | tr '\n' ' ')
	cat "$T/line" >>"$T/all"
	echo "$(cat "$T/line") $text" | awk '{ printf "%-14s plain %6.3f s   calls %.3f   all %.3f   text %7d x%.2f x%.2f\n", $1, $2, $3, $4, $5, $6 / $5, $7 / $5 }'
}

each_program

# column N: of the programs
column() { awk -v n="$1" '{ print $n }' "$T/all" 2>/dev/null; }
n=$(wc -l 2>/dev/null <"$T/all")
echo "${n:-0} programs"
figure dormant.calls.median "$(column 3 | median)" 1.02
figure dormant.calls.max "$(column 3 | sort -g | tail -n 1)" ""
figure dormant.all.median "$(column 4 | median)" 1.05
figure dormant.all.max "$(column 4 | sort -g | tail -n 1)" 1.15
finish_bench
