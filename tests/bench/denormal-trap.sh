#!/bin/sh
# SPDX-License-Identifier: MIT
# What a trap costs: the stencil of 120 sweeps with 1,786,590 events, scalar, and the same with AVX-512.
#   TRAP_RUNS=5: the fastest of so many
. tests/bench/lib.sh

lib=$O/lib/libperseus-trap.so
runs=${TRAP_RUNS:-5}
gcc -O1 -fno-predictive-commoning -o "$T/scalar" tests/runtime/trap-jacobi.c
gcc -O1 -I. -Iinclude -D_GNU_SOURCE -o "$T/trap-read" tests/runtime/trap-read.c "$O/record.a" "$O/yaml.a" "$O/lib.a" \
  -lyaml -lelf -lz -lm

# fastest COMMAND...: nanoseconds of the fastest run
fastest() {
	best=
	for _ in $(seq "$runs"); do
		rm -rf "$T/run"
		mkdir "$T/run"
		from=$(date +%s%N)
		"$@" >/dev/null
		to=$(date +%s%N)
		[ -n "$best" ] && [ $((to - from)) -ge "$best" ] || best=$((to - from))
	done
	echo "$best"
}
# events: of the last run
events() { "$T/trap-read" "$T"/run/*.pden | sed -n '1s/.*operands=\([0-9]*\) results=\([0-9]*\).*/\1 \2/p' | awk '{print $1 + $2}'; }
# price PROGRAM: nanoseconds an event
price() {
	plain=$(fastest "$1" 120 0)
	trapped=$(fastest env PERSEUS_RUN_DIR="$T/run" LD_PRELOAD="$lib" "$1" 120 0)
	awk -v a="$trapped" -v b="$plain" -v n="$(events)" 'BEGIN { if (n) printf "%.0f", (a - b) / n }'
}

figure denormal.trap_ns "$(price "$T/scalar")" 1000 "peer: SIGFPE and single step, 4,030; $(events) events"
if grep -qw avx512f /proc/cpuinfo; then
	gcc -O3 -mavx512f -mprefer-vector-width=512 -o "$T/wide" tests/runtime/trap-jacobi.c
	figure denormal.trap_ns.avx512 "$(price "$T/wide")" "" "up to 16 lanes each; $(events) events"
fi
clean=$(fastest env PERSEUS_RUN_DIR="$T/run" LD_PRELOAD="$lib" "$T/scalar" 400 0.1)
figure denormal.trap.clean "$(awk -v a="$clean" -v b="$(fastest "$T/scalar" 400 0.1)" 'BEGIN { printf "%.2f", a / b }')" "" \
  "ratio to the plain program where nothing is denormal"
finish_bench
