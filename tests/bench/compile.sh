#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-compile: what the plugin costs the compiler, in user instructions,
# on this project's own sources and on any file named in BENCH_SOURCES.
. tests/bench/lib.sh
count() {
	perf stat -x, -e instructions:u -o "$T/stat" gcc -O2 -std=gnu11 -D_GNU_SOURCE -I. -Iinclude "$@" -c -o "$T/x.o" 2>/dev/null
	awk -F, '/instructions/ {print $1}' "$T/stat"
}
perf stat -e instructions:u true >/dev/null 2>&1 || { echo "no instruction counter here: perf stat -e instructions:u does not work"; exit 0; }
sources=${BENCH_SOURCES:-$(ls -S lib/*.c yaml/*.c record/*.c planner/*.c | head -12)}
for src in $sources; do
	base=$(count "$src")
	[ -n "$base" ] || continue
	for v in none calls calls,memory; do
		n=$(count -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=$v "$src")
		echo "$n $base" | awk '{printf "%.4f\n", $1 / $2}' >>"$T/$v.txt"
	done
done
figure compile.none "$(median <"$T/none.txt")" 1.005
figure compile.calls.median "$(median <"$T/calls.txt")" 1.12
figure compile.calls.max "$(sort -g "$T/calls.txt" | tail -1)" 1.20
figure compile.memory.median "$(median <"$T/calls,memory.txt")" 1.40
finish_bench
