#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-compile: what the plugin costs the compiler (compile and assemble),
# on this project's own sources and on any file named in BENCH_SOURCES.
. tests/bench/lib.sh
unit=instructions:u rounds=1 how="user instructions"
if ! perf stat -x, -e $unit true 2>&1 | grep -q '^[0-9]'; then
	unit=task-clock rounds=${BENCH_ROUNDS:-7} how="least CPU time of $rounds: no instruction counter here"
fi
# count GCC-ARGUMENTS...: the least of some compilations
count() {
	i=0
	while [ $i -lt "$rounds" ]; do
		perf stat -x, -e $unit -o "$T/stat" gcc -O2 -std=gnu11 -D_GNU_SOURCE -I. -Iinclude "$@" -c -o "$T/x.o" 2>/dev/null
		sed -n 's/^\([0-9][0-9.]*\),.*/\1/p' "$T/stat"
		i=$((i + 1))
	done | sort -g | head -1
}
sources=${BENCH_SOURCES:-$(ls -S lib/*.c yaml/*.c record/*.c planner/*.c | head -12)}
for src in $sources; do
	base=$(count "$src")
	[ -n "$base" ] || { echo "$src does not compile by itself"; continue; }
	for v in none calls calls,memory; do
		n=$(count -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=$v "$src")
		echo "$n $base" | awk '{printf "%.4f\n", $1 / $2}' >>"$T/$v.txt"
	done
done
figure compile.none "$(median <"$T/none.txt")" 1.005 "$how"
figure compile.calls.median "$(median <"$T/calls.txt")" 1.12 "$how"
figure compile.calls.max "$(sort -g "$T/calls.txt" | tail -1)" 1.20 "$how"
figure compile.memory.median "$(median <"$T/calls,memory.txt")" 1.40 "$how"
finish_bench
